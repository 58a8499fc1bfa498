extension Rule {
    /// 1.1: A subscriber hears exactly one `receive(subscription:)`, and nothing before it.
    public static let oneSubscription = Rule(
        1, 1,
        "A subscriber hears exactly one `receive(subscription:)`, and nothing before it.")

    /// 1.2: Values come only against demand: never more in total than was asked for.
    public static let valuesAgainstDemand = Rule(
        1, 2,
        "Values come only against demand: never more in total than was asked for.")

    /// 1.3: At most one completion comes, and it needs no demand.
    public static let oneCompletion = Rule(1, 3, "At most one completion comes, and it needs no demand.")

    /// 1.4: After the completion there is silence.
    public static let silenceAfterTheEnd = Rule(1, 4, "After the completion there is silence.")

    /// 1.5: Used-up demand never completes a stream.
    public static let demandIsNoEnd = Rule(1, 5, "Used-up demand never completes a stream.")

    /// 1.6: A source completes right behind its last value, without further demand.
    public static let endsBehindTheLastValue = Rule(
        1, 6,
        "A source completes right behind its last value, without further demand.")

    /// 1.7: An operator subscribes to its first upstream before anything else, and hands its own subscription down when
    /// upstream's arrives.
    public static let subscribesUpstreamFirst = Rule(
        1, 7,
        "An operator subscribes to its first upstream before anything else, and hands its own subscription down when "
            + "upstream's arrives. What upstream says before that is misbehaviour: values are dropped, and an end is told "
            + "after the subscription.")

    /// 2.1: Demand adds up: what is requested, and what `receive(_:)` returns, is added to what is
    /// outstanding.
    public static let demandAddsUp = Rule(
        2, 1,
        "Demand adds up: what is requested, and what `receive(_:)` returns, is added to what is outstanding.")

    /// 2.2: Demand can't be taken back.
    public static let demandStands = Rule(2, 2, "Demand can't be taken back.")

    /// 2.3: asking for nothing does nothing, anywhere, and never traps.
    public static let noneIsNothing = Rule(2, 3, "`request(.none)` does nothing, anywhere. It never traps.")

    /// 2.4: `.unlimited` absorbs everything and is never used up.
    public static let unlimitedAbsorbs = Rule(2, 4, "`.unlimited` absorbs everything and is never used up.")

    /// 2.5: A request after the end or after `cancel()` does nothing.
    public static let lateRequestsDoNothing = Rule(2, 5, "A request after the end or after `cancel()` does nothing.")

    /// 2.6: A value that nobody asked for is dropped only where the documentation of the publisher says so.
    public static let nothingIsLost = Rule(
        2, 6,
        "A value that nobody asked for is dropped only where the documentation of the publisher says so.")

    /// 3.1: What a subscriber hears comes one after the other: never two calls at a time, whatever the
    /// threads.
    public static let oneCallAtATime = Rule(
        3, 1,
        "What a subscriber hears comes one after the other: never two calls at a time, whatever the threads.")

    /// 3.2: `request(_:)` and `cancel()` may be called from any thread, at any time, from inside any call.
    public static let anyThread = Rule(
        3, 2,
        "`request(_:)` and `cancel()` may be called from any thread, at any time, from inside any call.")

    /// 3.3: No lock is held while code that is not Headgate's runs: closures, subscribers, publishers,
    /// schedulers, `deinit`.
    public static let noLockHeld = Rule(
        3, 3,
        """
        No lock is held while code that is not Headgate's runs: closures, subscribers, \
        publishers, schedulers, `deinit`.
        """)

    /// 3.4: Subjects may be sent to from several threads; all subscribers see one order.
    public static let oneOrderForAll = Rule(
        3, 4,
        "Subjects may be sent to from several threads; all subscribers see one order.")

    /// 3.5: Work brought from inside a delivery, or after waiting for longer than the bound, is left to the thread that
    /// is delivering.
    public static let workIsLeft = Rule(
        3, 5,
        """
        Work brought from inside a delivery, or after waiting for longer than the bound of 3.6, is left to the thread \
        that is delivering.
        """)

    /// 3.6: A value is delivered by the thread that sent it, and before `send` returns, with two exceptions.
    ///
    /// The send came from inside a delivery of this process's streams: then it follows, flat. Or waiting for one's turn
    /// has taken longer than one millisecond, and one more for each value that waits already, up to a hundred.
    public static let sendersThread = Rule(
        3, 6,
        """
        A value is delivered by the thread that sent it, and before `send` returns, except when (i) the send came from \
        inside a delivery of this process's streams (then it follows, flat), or (ii) waiting for one's turn has taken \
        longer than 1 millisecond, and 1 more for each value that waits already, up to 100.
        """)

    /// 3.7: Who only subscribes, cancels, requests, reads `value` or releases never delivers somebody else's value.
    public static let onlySendersDeliver = Rule(
        3, 7,
        "Who only subscribes, cancels, requests, reads `value` or releases never delivers somebody else's value.")

    /// 4.1: Neither a value nor the end is delivered inside the delivery of a value to the same subscriber.
    public static let noNestedValues = Rule(
        4, 1,
        "Neither a value nor the end is delivered inside the delivery of a value to the same subscriber.")

    /// 4.2: `request(_:)` and `send(_:)` from inside a delivery are flat: the stack does not grow with their
    /// number.
    public static let flatStack = Rule(
        4, 2,
        "`request(_:)` and `send(_:)` from inside a delivery are flat: the stack does not grow with their number.")

    /// 4.3: After `cancel()` returns inside a delivery, nothing more arrives at that subscriber.
    public static let cancelMeansStop = Rule(
        4, 3,
        "After `cancel()` returns inside a delivery, nothing more arrives at that subscriber.")

    /// 4.4: After `cancel()` returns on another thread, at most the call under way still arrives.
    public static let cancelElsewhere = Rule(
        4, 4,
        "After `cancel()` returns on another thread, at most the call under way still arrives.")

    /// 4.5: A pipeline may have thousands of stages without running out of stack.
    public static let longPipelines = Rule(
        4, 5,
        """
        A pipeline may have thousands of stages: it is subscribed to, asked, served, ended, \
        cancelled and released without running out of stack.
        """)

    /// 4.6: Whoever subscribes to a subject from inside one of its deliveries hears what is sent after that, and the end
    /// if it has been sent.
    public static let subscribingInside = Rule(
        4, 6,
        """
        Whoever subscribes to a subject from inside one of its deliveries hears what is sent after that, and the end if \
        it has been sent, wherever in the list the subscriber being called stands.
        """)

    /// 5.1: `cancel()` reaches every upstream, and each upstream hears it once at the most.
    public static let cancelReachesUpstream = Rule(
        5, 1,
        "`cancel()` reaches every upstream, and each upstream hears it once at the most.")

    /// 5.2: An operator that ends the stream before its upstream does cancels upstream first.
    public static let cancelsBeforeEnding = Rule(
        5, 2,
        "An operator that ends the stream before its upstream does cancels upstream first.")

    /// 5.3: A publisher lets go of its subscriber, and a subscriber of its subscription, at the terminal
    /// event or at `cancel()`.
    public static let letsGo = Rule(
        5, 3,
        """
        A publisher lets go of its subscriber, and a subscriber of its subscription, at the \
        terminal event or at `cancel()`.
        """)

    /// 5.4: A source whose subscription is let go of without `cancel()` lets go of its subscriber and stops.
    ///
    /// An operator holds its upstream, a subject its subscribers, and a subscription its subject, until `cancel()` or the
    /// end.
    public static let droppedSubscription = Rule(
        5, 4,
        """
        A source whose subscription is let go of without `cancel()` lets go of its subscriber and stops. An operator \
        holds its upstream, a subject its subscribers, and a subscription its subject, until `cancel()` or the end.
        """)

    /// 5.5: Subscribers of a subject are served in the order in which they subscribed; leaving costs the same
    /// however many there are.
    public static let orderOfSubscribers = Rule(
        5, 5,
        """
        Subscribers of a subject are served in the order in which they subscribed; leaving costs \
        the same however many there are.
        """)

    /// 6.1: A second subscription is cancelled and otherwise ignored, by whoever keeps the first.
    ///
    /// An operator that keeps none passes it on to one that does.
    public static let secondSubscription = Rule(
        6, 1,
        """
        A second subscription is cancelled and otherwise ignored, by whoever keeps the first; an operator that keeps \
        none passes it on to one that does.
        """)

    /// 6.2: What a publisher says after the end, or after `cancel()`, is ignored by Headgate's operators and
    /// subscribers.
    public static let ignoresWhatComesLate = Rule(
        6, 2,
        """
        What a publisher says after the end, or after `cancel()`, is ignored by Headgate's \
        operators and subscribers.
        """)

    /// 6.3: A negative demand, capacity or count traps with the rule, the value and the remedy.
    public static let negativeCountsTrap = Rule(
        6, 3,
        "A negative demand, capacity or count traps with the rule, the value and the remedy.")

    /// 6.4: Every other mistake of the program traps in the same way, as soon as it is made.
    public static let mistakesTrap = Rule(
        6, 4,
        "Every other mistake of the program traps in the same way, as soon as it is made.")

    /// 7.1: Work that is scheduled once is done once.
    public static let runsOnce = Rule(7, 1, "Work that is scheduled once is done once.")

    /// 7.2: Work is not done before its moment.
    public static let notBeforeItsTime = Rule(7, 2, "Work is not done before its moment.")

    /// 7.3: Work for one moment is done in the order in which it was scheduled, one piece at a time.
    public static let orderOfWork = Rule(
        7, 3,
        "Work for one moment is done in the order in which it was scheduled, one piece at a time.")

    /// 7.4: Work that is repeated stops when its cancellable is cancelled, also from inside the work.
    public static let cancelledWorkRests = Rule(
        7, 4,
        "Work that is repeated stops when its cancellable is cancelled, also from inside the work.")

    /// 7.5: The clock never goes back, and when work is done it shows that work's moment or a later one.
    public static let clockGoesForward = Rule(
        7, 5,
        "The clock never goes back, and when work is done it shows that work's moment or a later one.")
}
