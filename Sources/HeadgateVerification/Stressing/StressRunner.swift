import HeadgateCore
import HeadgateTesting

/// A publisher under test with the threads that drive it.
struct StressFixture<Output, Failure: Error> {
    /// Connects a subscriber.
    let attach: (StressSubscriber<Output, Failure>) -> Void

    /// Threads that run beside those that request and cancel.
    var threads: [() -> Void] = []

    /// Whether a thread drives upstream, which may have unsent values when the threads have returned.
    var isDriven = false

    /// Lets upstream send its remaining values and completion, on one thread.
    var finishUp: () -> Void = {}

    /// Advances time until nothing happens any more.
    var settle: () -> Void = {}

    /// Checks other edges for breaches at the end of a round.
    var inspect: (StressSubscriber<Output, Failure>) -> [Breach] = { _ in [] }
}

/// The result of one round.
struct StressFinding {
    var breaches: [Breach] = []
    var timeLine = TimeLine()

    /// Whether threads did not return.
    var isStuck = false

    var subscription: (any Subscription)?

    /// The result of a round in which threads did not return.
    static var stuck: StressFinding {
        StressFinding(
            breaches: [Breach(.noLockHeld, "threads wait for each other and never return")], isStuck: true)
    }
}

/// The first evidence for each broken rule.
struct StressEvidence {
    private(set) var found: [Rule: Verification.Evidence] = [:]

    /// Whether threads of a round hang, which keep what they hold.
    private(set) var isStuck = false

    /// Runs a round, unless threads of one before it hang.
    mutating func note(script: String, seed: UInt64?, _ round: () -> StressFinding) {
        if isStuck { return }
        let finding = round()
        isStuck = finding.isStuck
        for breach in finding.breaches where found[breach.rule] == nil {
            found[breach.rule] = .init(breach: breach, script: script, timeLine: finding.timeLine, seed: seed)
        }
    }
}

/// Stresses a publisher with threads, round by round, and checks the results.
struct StressRunner<Output, Failure: Error> {
    typealias Listener = StressSubscriber<Output, Failure>

    let capabilities: Capabilities
    let effort: StressEffort
    let makeFixture: (StressPlan) -> StressFixture<Output, Failure>

    /// Waits for late events.
    private let lateness: Lateness

    /// - Parameters:
    ///   - isAsynchronous: Whether work runs on threads that the test does not control.
    init(
        capabilities: Capabilities, effort: StressEffort, isAsynchronous: Bool = false,
        makeFixture: @escaping (StressPlan) -> StressFixture<Output, Failure>
    ) {
        self.capabilities = capabilities
        self.effort = effort
        self.makeFixture = makeFixture
        mayBeLate = isAsynchronous || capabilities.contains(.asynchronous)
        lateness = Lateness(mayBeLate, timeout: min(effort.timeout, Effort.normal.timeout))
    }

    private let mayBeLate: Bool

    /// The demand that stands for "unlimited".
    private var everything: Subscribers.Demand { capabilities.contains(.unbounded) ? .max(40) : .unlimited }

    /// Whether the published values depend on the interleaving of threads.
    private var isUnpredictable: Bool { !capabilities.isDisjoint(with: .unpredictableOnThreads) }

    /// Runs all rounds.
    ///
    /// - Parameter rules: The tested rules beside those of every publisher.
    func verify(_ subject: String, and rules: [Rule] = []) -> Verification {
        var evidence = StressEvidence()
        for seed in effort.seeds {
            let plan = StressPlan(seed: seed, values: effort.values, everything: everything)
            evidence.note(script: plan.sentence, seed: seed) { run(plan) }
        }
        return Verification(
            subject: subject, stress: evidence, rules: Rule.forThreads + rules, capabilities: capabilities,
            effort: effort)
    }

    private func run(_ plan: StressPlan) -> StressFinding {
        weak var weakListener: Listener?
        let fixture = makeFixture(plan)
        var finding = use(fixture, plan) { weakListener = $0 }
        fixture.settle()
        // A retained subscription must not retain the subscriber.
        withExtendedLifetime(finding.subscription) {
            if finding.isStuck { return }
            lateness.wait(for: .releasesReferences) { weakListener == nil }
            if weakListener != nil {
                finding.breaches.append(Breach(.releasesReferences, "the subscriber is retained"))
            }
        }
        return finding
    }

    @inline(never) private func use(
        _ fixture: StressFixture<Output, Failure>, _ plan: StressPlan, watch: (Listener) -> Void
    ) -> StressFinding {
        let listener = Listener(timeout: effort.timeout, yielder: plan.yielder(3), reaction: plan.reaction)
        watch(listener)
        fixture.attach(listener)
        fixture.settle()
        lateness.wait(for: .oneSubscription) { listener.subscription != nil }
        if listener.subscription == nil {
            return StressFinding(breaches: listener.breaches + [Breach(.oneSubscription, "no subscription")])
        }
        var threads = fixture.threads
        threads += plan.requests.enumerated().map { plan.thread($0, for: $1, listener.request) }
        if case .outside(let delay) = plan.cancellation {
            threads.append {
                yieldThread(times: delay)
                listener.cancel()
            }
        }
        if !runSideBySide(threads, timeout: effort.timeout) { return .stuck }
        fixture.settle()
        let breaches = check(fixture, listener, plan)
        return StressFinding(
            breaches: listener.breaches + breaches, timeLine: listener.timeLine, subscription: listener.subscription)
    }

    /// Continues on one thread, and checks what must have happened by now.
    private func check(_ fixture: StressFixture<Output, Failure>, _ listener: Listener, _ plan: StressPlan) -> [Breach]
    {
        if listener.isCancelled {
            if !mayBeLate { listener.expectQuiet() }
            listener.request(.max(1))
            fixture.finishUp()
            fixture.settle()
            return inspect(fixture, listener)
        }
        let calm = runCalmly(plan)
        var breaches: [Breach?] = []
        if let calm, !fixture.isDriven, plan.completion == .finished {
            breaches.append(checkDemand(listener, against: calm))
        }
        listener.request(everything)
        fixture.settle()
        fixture.finishUp()
        fixture.settle()
        if let calm { breaches.append(checkWhole(listener, against: calm, plan)) }
        if listener.ending == nil { listener.cancel() }
        fixture.settle()
        return breaches.compactMap(\.self) + inspect(fixture, listener)
    }

    private func inspect(_ fixture: StressFixture<Output, Failure>, _ listener: Listener) -> [Breach] {
        lateness.wait { Set(fixture.inspect(listener).map(\.rule)) }
        return fixture.inspect(listener)
    }

    /// Checks that requested values that were available have been delivered.
    private func checkDemand(_ listener: Listener, against calm: Listener) -> Breach? {
        let isEndless = capabilities.contains(.unbounded)
        let expected = isEndless ? listener.requested : min(listener.requested, calm.values.count)
        lateness.wait(for: .demandAddsUp) { listener.valueCount >= expected || listener.isCancelled }
        // A failure, of an inner publisher for instance, may overtake values.
        let hasFailed = listener.ending.map { $0 != "finished" } ?? false
        if listener.valueCount >= expected || listener.isCancelled || hasFailed { return nil }
        return Breach(.demandAddsUp, "\(expected) requested and available, \(listener.valueCount) delivered")
    }

    /// Compares everything that was received with what is received without threads.
    private func checkWhole(_ listener: Listener, against calm: Listener, _ plan: StressPlan) -> Breach? {
        let merges = capabilities.contains(.merges)
        lateness.wait(for: .nothingIsLost) {
            listener.hasCompleted || listener.valueCount >= calm.valueCount && !calm.hasCompleted
                || listener.isCancelled
        }
        let received = merges ? listener.values.sorted() : listener.values
        let expected = merges ? calm.values.sorted() : calm.values
        // A failure may overtake values in either run, and a subscriber that cancels misses the rest.
        let mayFail =
            plan.completion != .finished || [listener, calm].contains { $0.ending ?? "finished" != "finished" }
        let mayBeShort = listener.isCancelled || mayFail || capabilities.contains(.unbounded)
        if mayBeShort, merges || zip(received, expected).allSatisfy(==) { return nil }
        if !received.elementsEqual(expected) {
            return Breach(.nothingIsLost, "different values than without threads, or in another order")
        }
        if capabilities.contains(.finite), listener.ending == nil {
            return Breach(.completesAfterLastValue, "a finite publisher does not complete")
        }
        if listener.ending == calm.ending { return nil }
        return Breach(
            .completesAfterLastValue,
            "a completion (\(listener.ending ?? "none")) unlike without threads (\(calm.ending ?? "none"))")
    }

    /// Runs without threads; returns `nil` if the result can't be compared.
    private func runCalmly(_ plan: StressPlan) -> Listener? {
        if isUnpredictable { return nil }
        let fixture = makeFixture(plan)
        let listener = Listener(timeout: effort.timeout)
        fixture.attach(listener)
        fixture.settle()
        listener.request(everything)
        fixture.settle()
        fixture.finishUp()
        fixture.settle()
        lateness.waitForAll(ends: !capabilities.isDisjoint(with: [.finite, .fails])) {
            listener.hasCompleted
        } count: {
            listener.valueCount
        }
        if listener.ending == nil { listener.cancel() }
        return listener
    }
}

extension Verification {
    /// Creates the report of a stress test.
    ///
    /// - Parameters:
    ///   - evidence: That of the broken rules.
    ///   - rules: The tested rules.
    init(
        subject: String, stress evidence: StressEvidence, rules: [Rule], capabilities: Capabilities,
        effort: StressEffort
    ) {
        self.init(subject: subject, verdicts: [:], scriptCount: effort.rounds)
        take(evidence.found)
        if !capabilities.isDisjoint(with: .unpredictableOnThreads) {
            fill(
                [.demandAddsUp, .nothingIsLost, .completesAfterLastValue],
                .notCheckable("the published values depend on the interleaving of threads"))
        }
        fill(rules, .held)
        fill(Rule.all, .notCheckable("threads don't reveal it; verify does, if it can be checked at all"))
    }
}

extension Capabilities {
    /// With any of these, the published values depend on the interleaving of threads.
    fileprivate static let unpredictableOnThreads: Capabilities = [.hot, .dropsUnasked, .endsByTime]
}

extension Rule {
    /// The rules that one subscriber can check while threads run.
    static let forThreads: [Rule] = [
        oneSubscription, valuesAgainstDemand, oneCompletion, silenceAfterTheEnd, completesAfterLastValue, demandAddsUp,
        nothingIsLost, oneCallAtATime, anyThread, noLockHeld, cancelStopsDelivery, cancelElsewhere, releasesReferences,
    ]
}
