import HeadgateCore
import HeadgateTesting

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

/// The report of a stress test, which grows round by round.
struct StressReport {
    private(set) var verification: Verification

    /// Whether threads of a round hang, which keep what they hold.
    private(set) var isStuck = false

    init(_ subject: String, _ effort: StressEffort) {
        verification = Verification(subject: subject, scriptCount: effort.rounds)
    }

    /// Runs a round, unless threads of one before it hang.
    mutating func note(script: String, seed: UInt64?, _ round: () -> StressFinding) {
        if isStuck { return }
        let finding = round()
        isStuck = finding.isStuck
        for breach in finding.breaches {
            verification.take(.init(breach: breach, script: script, timeLine: finding.timeLine, seed: seed))
        }
    }

    /// The report after all rounds, with a verdict on each rule.
    ///
    /// - Parameter rules: The tested rules.
    func conclude(_ rules: [Rule], _ capabilities: Capabilities = []) -> Verification {
        var verification = verification
        if !capabilities.isDisjoint(with: .unpredictableOnThreads) {
            verification.fill(
                [.demandAddsUp, .nothingIsLost, .completesAfterLastValue],
                .notCheckable("the published values depend on the interleaving of threads"))
        }
        verification.fill(rules, .held)
        verification.fill(Rule.all, .notCheckable("threads don't reveal it; verify does, if it can be checked at all"))
        return verification
    }
}

/// Stresses a publisher with threads, round by round, and checks the results.
struct StressRunner<Output, Failure: Error> {
    typealias Listener = StressSubscriber<Output, Failure>

    let capabilities: Capabilities
    let effort: StressEffort
    let makeFixture: (StressPlan) -> Fixture<Output, Failure>

    /// Waits for late events.
    private let lateness: Lateness

    /// - Parameters:
    ///   - isAsynchronous: Whether work runs on threads that the test does not control.
    init(
        capabilities: Capabilities, effort: StressEffort, isAsynchronous: Bool = false,
        makeFixture: @escaping (StressPlan) -> Fixture<Output, Failure>
    ) {
        self.capabilities = capabilities
        self.effort = effort
        self.makeFixture = makeFixture
        lateness = Lateness(
            isAsynchronous || capabilities.contains(.asynchronous),
            timeout: min(effort.timeout, Effort.normal.timeout))
    }

    /// The demand that stands for "unlimited".
    private var everything: Subscribers.Demand { capabilities.contains(.unbounded) ? .max(40) : .unlimited }

    /// Whether the published values depend on the interleaving of threads.
    private var isUnpredictable: Bool { !capabilities.isDisjoint(with: .unpredictableOnThreads) }

    /// Runs all rounds.
    ///
    /// - Parameter rules: The tested rules beside those of every publisher.
    func verify(_ subject: String, and rules: [Rule] = []) -> Verification {
        var report = StressReport(subject, effort)
        for seed in effort.seeds {
            let plan = StressPlan(seed: seed, values: effort.values, everything: everything)
            report.note(script: plan.sentence, seed: seed) { run(plan) }
        }
        return report.conclude(Rule.forThreads + rules, capabilities)
    }

    private func run(_ plan: StressPlan) -> StressFinding {
        weak var weakListener: Listener?
        let fixture = makeFixture(plan)
        var finding = use(fixture, plan) { weakListener = $0 }
        settle(fixture)
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
        _ fixture: Fixture<Output, Failure>, _ plan: StressPlan, watch: (Listener) -> Void
    ) -> StressFinding {
        let listener = Listener(timeout: effort.timeout, yielder: plan.yielder(3), reaction: plan.reaction)
        watch(listener)
        fixture.attach(listener)
        settle(fixture)
        lateness.wait(for: .oneSubscription) { listener.subscription != nil }
        if listener.subscription == nil {
            return StressFinding(breaches: listener.breaches + [Breach(.oneSubscription, "no subscription")])
        }
        var threads = plan.requests.enumerated().map { plan.thread($0, for: $1, listener.request) }
        if let clock = fixture.clock {
            threads.append(plan.thread(2, for: 0..<effort.values) { _ in clock.runUntilIdle(limit: 4) })
        }
        for number in 0..<fixture.sourceCount {
            threads.append { drive(number, of: fixture, plan.yielder(4 + number)) }
        }
        if case .outside(let delay) = plan.cancellation {
            threads.append {
                yieldThread(times: delay)
                listener.cancel()
            }
        }
        if !runSideBySide(threads, timeout: effort.timeout) { return .stuck }
        settle(fixture)
        let breaches = check(fixture, listener, plan)
        return StressFinding(
            breaches: listener.breaches + breaches, timeLine: listener.timeLine, subscription: listener.subscription)
    }

    /// Lets an upstream send until it has had no value with demand for a while.
    private func drive(_ number: Int, of fixture: Fixture<Output, Failure>, _ yielder: ThreadYielder) {
        var refusals = 0
        while refusals < 20 {
            yielder.pause()
            refusals = fixture.source?(.send(from: number)) == true ? 0 : refusals + 1
        }
    }

    /// Advances time until nothing happens any more.
    private func settle(_ fixture: Fixture<Output, Failure>) {
        fixture.letTimePass()
        if fixture.clock != nil { fixture.waitForThreads() }
    }

    /// Lets upstreams send their remaining values and their completions, on one thread.
    private func finishUp(_ fixture: Fixture<Output, Failure>, _ plan: StressPlan) {
        settle(fixture)
        // After one upstream has ended, the operator may continue with the next.
        for _ in 0..<fixture.sourceCount {
            // Upstreams take turns, because an operator may need a value of each.
            while fixture.send() { settle(fixture) }
            fixture.finish(failing: plan.completion != .finished)
            settle(fixture)
        }
    }

    /// Continues on one thread, and checks what must have happened by now.
    private func check(_ fixture: Fixture<Output, Failure>, _ listener: Listener, _ plan: StressPlan) -> [Breach] {
        if listener.isCancelled {
            if !lateness.mayBeLate { listener.expectQuiet() }
            listener.request(.max(1))
            finishUp(fixture, plan)
            return inspect(fixture, listener)
        }
        let calm = runCalmly(plan)
        var breaches: [Breach?] = []
        if let calm, fixture.source == nil, plan.completion == .finished {
            breaches.append(checkDemand(listener, against: calm))
        }
        listener.request(everything)
        finishUp(fixture, plan)
        if let calm { breaches.append(checkWhole(listener, against: calm, plan)) }
        if listener.ending == nil { listener.cancel() }
        settle(fixture)
        return breaches.compactMap(\.self) + inspect(fixture, listener)
    }

    private func inspect(_ fixture: Fixture<Output, Failure>, _ listener: Listener) -> [Breach] {
        let inspect = { fixture.inspect(listener.ending != nil, listener.isCancelled) }
        lateness.wait { Set(inspect().map(\.rule)) }
        return inspect()
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
        settle(fixture)
        listener.request(everything)
        finishUp(fixture, plan)
        lateness.waitForAll(ends: !capabilities.isDisjoint(with: [.finite, .fails])) {
            listener.hasCompleted
        } count: {
            listener.valueCount
        }
        if listener.ending == nil { listener.cancel() }
        return listener
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
