extension Rule {
    /// The rules in words, a line each: the same text as in `Documentation/Contract.md`.
    private static let contract = """
        1.1 A subscriber receives exactly one `receive(subscription:)`, before anything else.
        1.2 Values are delivered only against demand: never more in total than was requested.
        1.3 At most one completion is delivered, and it needs no demand.
        1.4 Nothing is delivered after the completion.
        1.5 Exhausted demand never completes a stream.
        1.6 A source completes right after its last value, without further demand.
        1.7 An operator subscribes to its first upstream before anything else, and hands its own subscription \
        downstream after that: when upstream's subscription arrives or, if the operator joins, keeps or shares \
        values, once it has subscribed. Anything that upstream sends before its subscription breaks rule 1.1, and its \
        effect is undefined.
        2.1 Demand is additive: what is requested, and what `receive(_:)` returns, is added to the outstanding \
        demand.
        2.2 Demand can't be withdrawn.
        2.3 `request(.none)` does nothing, anywhere. It never traps.
        2.4 `.unlimited` absorbs all further demand and is never used up.
        2.5 A request after the completion or after `cancel()` does nothing.
        2.6 A value without demand is dropped only where the documentation of the publisher says so.
        2.7 An operator requests nothing from any upstream while nothing is outstanding for itself, except where its \
        documentation says so.
        2.8 If an operator requests from an upstream that sends on its own, or subscribes to one, inside one of its \
        own deliveries, its request arrives there before the call returns. An upstream that answers at once is \
        requested from after the delivery, and so is a publisher from outside Headgate, because its kind is not \
        known.
        3.1 Calls to a subscriber are serial: never two at a time, whatever the threads.
        3.2 `request(_:)` and `cancel()` may be called from any thread, at any time, from inside any call.
        3.3 No lock is held while code outside Headgate runs: closures, subscribers, publishers, schedulers, \
        `deinit`.
        3.4 Several threads may send to a subject; all its subscribers see the same order.
        3.5 Work submitted from inside a delivery, or after waiting longer than the bound of 3.6, is left to the \
        thread that is delivering.
        3.6 A value is delivered by the thread that sent it, before `send` returns, except when (i) the send came \
        from inside a delivery of this process's streams (then it follows, without nesting), or (ii) the sender has \
        waited for its turn longer than 1 millisecond, plus 1 for each value already waiting, up to 100.
        3.7 A caller that only subscribes, cancels, requests, reads `value` or releases delivers nothing for another \
        caller, except what that sends from inside a delivery meanwhile. No caller is kept by what others go on \
        sending.
        4.1 Neither a value nor a completion is delivered inside the delivery of a value to the same subscriber.
        4.2 `request(_:)` and `send(_:)` from inside a delivery do not nest: the stack does not grow with their \
        number.
        4.3 After `cancel()` returns inside a delivery, nothing more arrives at that subscriber.
        4.4 After `cancel()` returns on another thread, at most the call in progress still arrives, and no thread \
        that sends to the cancelled stream waits for that call.
        4.5 On a stack of 8 MiB, a pipeline of the operators that the contract lists may have nine thousand stages in \
        a release build, and a thousand in a debug build: it can be subscribed to, requested from, served, completed, \
        cancelled and released.
        4.6 A subscriber that joins a subject from inside one of its deliveries receives what is sent after that, and \
        the completion if it has already been sent, whatever the position of the subscriber being called.
        5.1 When `cancel()` returns, on whichever thread, it has reached every upstream, even during a delivery; an \
        upstream that is being subscribed to is cancelled as soon as its subscription arrives, and `subscribe(on:)` \
        cancels on its scheduler. Each upstream is cancelled at most once.
        5.2 An operator that ends the stream before its upstream does cancels upstream first.
        5.3 A publisher releases its subscriber, and a subscriber its subscription, at the terminal event or at \
        `cancel()`.
        5.4 A source whose subscription is released without `cancel()` delivers what was requested, then releases its \
        subscriber and stops; one that observes something else, as a timer does, stops at once. An operator retains \
        its upstream, a subject its subscribers, and a subscription its subject, until `cancel()` or the end.
        5.5 Subscribers of a subject are served in the order in which they subscribed; the cost of leaving does not \
        depend on their number.
        6.1 A second subscription is cancelled and otherwise ignored by the stage that keeps the first; an operator \
        that keeps none forwards it to one that does.
        6.2 Headgate's operators and subscribers ignore whatever a publisher sends after the completion or after \
        `cancel()`; an operator that keeps no subscription forwards it to one that does.
        6.3 A negative demand, capacity or count traps with the rule, the value and the remedy.
        6.4 Any other misuse that Headgate notices traps in the same way, when it happens.
        7.1 Work that is scheduled once runs exactly once.
        7.2 Work never runs before its scheduled time.
        7.3 Work for the same time runs in the order in which it was scheduled, one job at a time.
        7.4 Repeated work stops when its cancellable is cancelled, even from inside the work.
        7.5 The clock never goes back, and while work runs it shows that work's scheduled time or a later one.
        """

    /// Every rule, in the order of the contract.
    public static let all: [Rule] = contract.split(separator: "\n").map(Rule.init(line:))

    /// Reads a line: a number, a blank and a sentence.
    private init(line: Substring) {
        let parts = line.split(separator: " ", maxSplits: 1)
        let places = parts[0].split(separator: ".").compactMap { Int($0) }
        (chapter, place, sentence) = (places[0], places[1], String(parts[1]))
    }

    private init(_ chapter: Int, _ place: Int) {
        guard let rule = Rule.all.first(where: { $0.chapter == chapter && $0.place == place }) else {
            fatalError("The contract has no rule \(chapter).\(place).")
        }
        self = rule
    }
}

extension Rule {
    /// 1.1: A subscriber receives exactly one `receive(subscription:)`, before anything else.
    public static let oneSubscription = Rule(1, 1)

    /// 1.2: Values are delivered only against demand: never more in total than was requested.
    public static let valuesAgainstDemand = Rule(1, 2)

    /// 1.3: At most one completion is delivered, and it needs no demand.
    public static let oneCompletion = Rule(1, 3)

    /// 1.4: Nothing is delivered after the completion.
    public static let silenceAfterTheEnd = Rule(1, 4)

    /// 1.5: Exhausted demand never completes a stream.
    public static let exhaustedDemandDoesNotComplete = Rule(1, 5)

    /// 1.6: A source completes right after its last value, without further demand.
    public static let completesAfterLastValue = Rule(1, 6)

    /// 1.7: An operator subscribes to its first upstream before anything else, and hands its own subscription
    /// downstream after that.
    ///
    /// It does so when upstream's subscription arrives or, if the operator joins, keeps or shares values, once it has
    /// subscribed. Anything that upstream sends before its subscription breaks rule 1.1, and its effect is undefined.
    public static let subscribesUpstreamFirst = Rule(1, 7)

    /// 2.1: Demand is additive: what is requested, and what `receive(_:)` returns, is added to the outstanding demand.
    public static let demandAddsUp = Rule(2, 1)

    /// 2.2: Demand can't be withdrawn.
    public static let demandIsNotWithdrawn = Rule(2, 2)

    /// 2.3: Requesting nothing does nothing, anywhere, and never traps.
    public static let requestingNoneDoesNothing = Rule(2, 3)

    /// 2.4: `.unlimited` absorbs all further demand and is never used up.
    public static let unlimitedAbsorbs = Rule(2, 4)

    /// 2.5: A request after the completion or after `cancel()` does nothing.
    public static let lateRequestsDoNothing = Rule(2, 5)

    /// 2.6: A value without demand is dropped only where the documentation of the publisher says so.
    public static let nothingIsLost = Rule(2, 6)

    /// 2.7: An operator requests nothing from any upstream while nothing is outstanding for itself, except where its
    /// documentation says so.
    public static let requestsOnlyForDemand = Rule(2, 7)

    /// 2.8: If an operator requests from an upstream that sends on its own, or subscribes to one, inside one of its own
    /// deliveries, its request arrives there before the call returns.
    ///
    /// An upstream that answers at once is requested from after the delivery, and so is a publisher from outside
    /// Headgate, because its kind is not known.
    public static let requestsInTime = Rule(2, 8)

    /// 3.1: Calls to a subscriber are serial: never two at a time, whatever the threads.
    public static let oneCallAtATime = Rule(3, 1)

    /// 3.2: `request(_:)` and `cancel()` may be called from any thread, at any time, from inside any call.
    public static let anyThread = Rule(3, 2)

    /// 3.3: No lock is held while code outside Headgate runs: closures, subscribers, publishers, schedulers, `deinit`.
    public static let noLockHeld = Rule(3, 3)

    /// 3.4: Several threads may send to a subject; all its subscribers see the same order.
    public static let oneOrderForAll = Rule(3, 4)

    /// 3.5: Work submitted from inside a delivery, or after waiting longer than the bound of 3.6, is left to the thread
    /// that is delivering.
    public static let workIsLeft = Rule(3, 5)

    /// 3.6: A value is delivered by the thread that sent it, before `send` returns, with two exceptions.
    ///
    /// The send came from inside a delivery of this process's streams: then it follows, without nesting. Or the sender
    /// has waited for its turn longer than one millisecond, plus one for each value already waiting, up to a hundred.
    public static let sendersThread = Rule(3, 6)

    /// 3.7: A caller that only subscribes, cancels, requests, reads `value` or releases delivers nothing for another
    /// caller, except what that sends from inside a delivery meanwhile.
    ///
    /// No caller is kept by what others go on sending.
    public static let onlySendersDeliver = Rule(3, 7)

    /// 4.1: Neither a value nor a completion is delivered inside the delivery of a value to the same subscriber.
    public static let noNestedValues = Rule(4, 1)

    /// 4.2: `request(_:)` and `send(_:)` from inside a delivery do not nest: the stack does not grow with their number.
    public static let flatStack = Rule(4, 2)

    /// 4.3: After `cancel()` returns inside a delivery, nothing more arrives at that subscriber.
    public static let cancelStopsDelivery = Rule(4, 3)

    /// 4.4: After `cancel()` returns on another thread, at most the call in progress still arrives, and no thread that
    /// sends to the cancelled stream waits for that call.
    public static let cancelElsewhere = Rule(4, 4)

    /// 4.5: On a stack of 8 MiB, a pipeline of the operators that the contract lists may have nine thousand stages in
    /// a release build, and a thousand in a debug build: it can be subscribed to, requested from, served, completed,
    /// cancelled and released.
    public static let longPipelines = Rule(4, 5)

    /// 4.6: A subscriber that joins a subject from inside one of its deliveries receives what is sent after that, and
    /// the completion if it has already been sent, whatever the position of the subscriber being called.
    public static let subscribingInside = Rule(4, 6)

    /// 5.1: When `cancel()` returns, on whichever thread, it has reached every upstream, even during a delivery; an
    /// upstream that is being subscribed to is cancelled as soon as its subscription arrives, and `subscribe(on:)`
    /// cancels on its scheduler.
    ///
    /// Each upstream is cancelled at most once.
    public static let cancelReachesUpstream = Rule(5, 1)

    /// 5.2: An operator that ends the stream before its upstream does cancels upstream first.
    public static let cancelsBeforeEnding = Rule(5, 2)

    /// 5.3: A publisher releases its subscriber, and a subscriber its subscription, at the terminal event or at
    /// `cancel()`.
    public static let releasesReferences = Rule(5, 3)

    /// 5.4: A source whose subscription is released without `cancel()` delivers what was requested, then releases its
    /// subscriber and stops; one that observes something else, as a timer does, stops at once.
    ///
    /// An operator retains its upstream, a subject its subscribers, and a subscription its subject, until `cancel()` or
    /// the end.
    public static let droppedSubscription = Rule(5, 4)

    /// 5.5: Subscribers of a subject are served in the order in which they subscribed; the cost of leaving does not
    /// depend on their number.
    public static let orderOfSubscribers = Rule(5, 5)

    /// 6.1: A second subscription is cancelled and otherwise ignored by the stage that keeps the first; an operator
    /// that keeps none forwards it to one that does.
    public static let secondSubscription = Rule(6, 1)

    /// 6.2: Headgate's operators and subscribers ignore whatever a publisher sends after the completion or after
    /// `cancel()`; an operator that keeps no subscription forwards it to one that does.
    public static let ignoresLateEvents = Rule(6, 2)

    /// 6.3: A negative demand, capacity or count traps with the rule, the value and the remedy.
    public static let negativeCountsTrap = Rule(6, 3)

    /// 6.4: Any other misuse that Headgate notices traps in the same way, when it happens.
    public static let programmerErrorsTrap = Rule(6, 4)

    /// 7.1: Work that is scheduled once runs exactly once.
    public static let runsOnce = Rule(7, 1)

    /// 7.2: Work never runs before its scheduled time.
    public static let workIsNeverEarly = Rule(7, 2)

    /// 7.3: Work for the same time runs in the order in which it was scheduled, one job at a time.
    public static let orderOfWork = Rule(7, 3)

    /// 7.4: Repeated work stops when its cancellable is cancelled, even from inside the work.
    public static let cancelledWorkStops = Rule(7, 4)

    /// 7.5: The clock never goes back, and while work runs it shows that work's scheduled time or a later one.
    public static let clockGoesForward = Rule(7, 5)
}
