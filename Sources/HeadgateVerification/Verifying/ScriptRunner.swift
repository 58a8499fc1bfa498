import HeadgateCore
import HeadgateTesting

/// Runs scripts on fixtures of one kind and checks the results.
struct ScriptRunner<Output, Failure: Error> {
    typealias Probe = ProbeSubscriber<Output, Failure>

    let capabilities: Capabilities

    /// Whether the subject has an upstream, and so may need demand to receive the completion.
    let isOperator: Bool

    /// What was done before the subscriber, in words.
    var preamble = ""

    /// When work on a scheduler runs.
    var pace = Pace.atOnce

    let makeFixture: () -> Fixture<Output, Failure>

    /// Advances with every script.
    let progress: ScriptProgress

    /// The references for comparison.
    var references = ReferenceCache()

    /// Waits for late events.
    let lateness: Lateness

    /// The demand that stands for "everything".
    var everything: Subscribers.Demand { capabilities.contains(.unbounded) ? .max(40) : .unlimited }

    init(
        capabilities: Capabilities, isOperator: Bool, timeout: Int, progress: ScriptProgress,
        makeFixture: @escaping () -> Fixture<Output, Failure>
    ) {
        self.capabilities = capabilities
        self.isOperator = isOperator
        self.progress = progress
        self.makeFixture = {
            progress.advance()
            return makeFixture()
        }
        lateness = Lateness(capabilities.contains(.asynchronous), timeout: timeout)
        pace = capabilities.contains(.endsByTime) ? .whenDue : .atOnce
    }

    /// The same run for scripts that control when time passes.
    var waiting: ScriptRunner {
        var runner = self
        runner.pace = .onWaiting
        runner.references = ReferenceCache(sourcesOf: references)
        runner.references.isUnfit = references.isUnfit
        return runner
    }

    /// This run and, if work is ever scheduled, the one for scripts that control when time passes.
    var paces: [ScriptRunner] { usesAScheduler ? [self, waiting] : [self] }

    private var usesAScheduler: Bool {
        let fixture = makeFixture()
        guard let clock = fixture.clock else { return false }
        let subscriber = Probe(initialDemand: .max(1))
        fixture.attach(subscriber)
        fixture.letTimePass()
        fixture.send()
        subscriber.leave()
        return clock.scheduledCount > 0
    }

    /// Runs scheduled work between two actions.
    func settle(_ fixture: Fixture<Output, Failure>) {
        switch pace {
        case .atOnce: fixture.letTimePass()
        case .whenDue: fixture.runDue()
        case .onWaiting: break
        }
    }

    /// Connects a subscriber.
    ///
    /// If scripts control when time passes, only work due at the subscription runs.
    func attach(_ fixture: Fixture<Output, Failure>, _ subscriber: Probe) {
        fixture.attach(subscriber)
        if pace == .onWaiting { fixture.runDue() } else { settle(fixture) }
        lateness.wait(for: .oneSubscription) { subscriber.monitor.isSubscribed }
    }

    /// Connects a subscriber to a new fixture.
    func begin(_ subscriber: Probe = Probe()) -> (Fixture<Output, Failure>, Probe) {
        let fixture = makeFixture()
        attach(fixture, subscriber)
        return (fixture, subscriber)
    }

    /// Waits for all events under unlimited demand.
    ///
    /// - Parameter hasSourceEnded: Whether every upstream that the verifier drives has completed.
    func awaitAll(_ subscriber: Probe, hasSourceEnded: Bool = true) {
        lateness.waitForAll(ends: hasSourceEnded && !capabilities.isDisjoint(with: [.finite, .fails])) {
            subscriber.outcome.isOver
        } count: {
            subscriber.outcome.values.count
        }
    }

    /// Runs a script.
    ///
    /// - Returns: The outcome, and whether the last action had any effect.
    func run(_ actions: [ScriptAction]) -> (outcome: Outcome, wasEffective: Bool) {
        let fixture = makeFixture()
        let subscriber = Probe(initialDemand: actions.initialDemand, cancelsAtOnce: actions.cancelsAtOnce)
        subscriber.onCall = { _, call in if call == .completion { fixture.onCompletion() } }
        attach(fixture, subscriber)
        if !subscriber.monitor.isSubscribed { subscriber.add(Breach(.oneSubscription, "no subscription")) }
        var wasEffective = true
        var history: [ScriptAction] = []
        for action in actions {
            let (before, outstanding) = subscriber.snapshot
            let requestCount = fixture.requestCount()
            wasEffective = perform(action, fixture, subscriber)
            settle(fixture)
            if fixture.settles { subscriber.expectNothingInProgress() }
            let after = subscriber.outcome
            checkRequest(action, outstanding: outstanding, before: before, after: after).map(subscriber.add)
            if fixture.requestCount() > requestCount {
                checkUpstreamRequest(action, isOver: before.isOver).map(subscriber.add)
            }
            if wasEffective { checkFailure(action, before: before, after: after).map(subscriber.add) }
            if capabilities.contains(.endsByTime), action == .wait, before.ending == nil, after.ending != nil {
                subscriber.noteEndByTime()
            }
            guard fixture.source != nil, wasEffective, action.isOfUpstream || action == .wait else { continue }
            let arrivals = arrivals(after: history, of: action)
            history.append(action)
            checkArrivals(arrivals, outstanding: outstanding, before: before, after: after).map(subscriber.add)
        }
        var outcome = conclude(fixture, subscriber, history)
        let inspect = { fixture.inspect(outcome.ending != nil, outcome.isCancelled) }
        lateness.wait { Set(inspect().map(\.rule)) }
        outcome.breaches += inspect()
        outcome.hasEndedEarly = fixture.hasEndedEarly()
        if outcome.isOver, let breach = fixture.findPendingTimers() { outcome.breaches.append(breach) }
        if fixture.source == nil, let breach = checkUnexpectedEnd(outcome) { outcome.breaches.append(breach) }
        subscriber.leave()
        return (outcome, wasEffective)
    }

    /// - Returns: Whether the action was possible.
    @discardableResult func perform(
        _ action: ScriptAction, _ fixture: Fixture<Output, Failure>, _ subscriber: Probe
    ) -> Bool {
        switch action {
        case .begin, .beginCancelling: break
        case .request(let demand): subscriber.request(demand)
        case .cancel: subscriber.cancel()
        case .react(let reaction): subscriber.arrange(reaction)
        case .send, .finish, .fail: return fixture.source?(action) ?? false
        case .wait: fixture.letTimePass()
        }
        return true
    }

    /// Completes pending work, and checks the outcome.
    private func conclude(
        _ fixture: Fixture<Output, Failure>, _ subscriber: Probe, _ history: [ScriptAction]
    ) -> Outcome {
        let reference = reference(for: history)
        let isByHand = fixture.source != nil
        var before = subscriber.outcome
        if pace == .whenDue {
            before.breaches += check(before, against: reference, isByHand: isByHand)
            if before.breaches.isEmpty { return before }
        }
        fixture.letTimePass()
        var after = subscriber.outcome
        lateness.wait {
            if subscriber.monitor.isDelivering { return [.demandAddsUp] }
            after = subscriber.outcome
            return Set(check(after, against: reference, isByHand: isByHand).map(\.rule))
        }
        // Missing events may be pending until the clock advances; but then advancing it delivers something.
        if pace == .whenDue, after.values.count == before.values.count { return before }
        if capabilities.contains(.endsByTime), before.ending == nil, after.ending != nil { after.end = .byTimeAtLast }
        after.breaches += check(after, against: reference, isByHand: isByHand)
        return after
    }
}
