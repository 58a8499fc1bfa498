import HeadgateCombine
import HeadgateEngine
import HeadgateCore
import HeadgateTesting

/// Verifies a subject, and reports the result rule by rule.
///
/// As a publisher it is verified with scripts of requests, sends, completions and cancellations; then with several
/// subscribers, some of which send, cancel and leave from inside a delivery. Values without demand may be dropped. A
/// value that is replayed to a late subscriber needs demand, as every value does, and waits for it. A subject may
/// retain itself while it has subscribers, and must be released when the last of them has cancelled or the stream has
/// ended.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// verify(subject: PassthroughSubject<Int, VerificationFailure>()).check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - subject: Creates the subject.
///   - effort: How much work to do.
public func verify<S: Subject<Int, VerificationFailure>>(
    subject: @escaping @autoclosure () -> S, effort: Effort = .normal
) -> Verification {
    SubjectVerifier(make: subject, effort: effort).verify()
}

/// Verifies a subject.
struct SubjectVerifier<S: Subject<Int, VerificationFailure>> {
    typealias Listener = TestSubscriber<Int, VerificationFailure>

    let make: () -> S
    let effort: Effort
    let progress = ScriptProgress()

    func verify() -> Verification {
        effort.check()
        var verification = Verification(subject: "subject", verdicts: [:], scriptCount: 0)
        let runner = makeRunner(.dropsUnasked) { makeFixture(of: make(), first: 1) }
        let threads = runner.probeThreads()
        verification.goOn(after: threads, timeout: 2 * effort.timeout, progress: progress) { verification in
            verification.take(runner.probeReference())
            // A quarter of the effort is for subscribers that join late.
            let part = effort.divided(by: 4)
            verification.search(runner, effort.without(part))
            verification.probe(runner, threads: threads)
            if let finding = runner.probeForgetting() { verification.take(finding) }
            searchReplay(&verification, part)
            verification.take(probes.compactMap { $0() })
            verification.take(probeSendersThread())
            verification.abandonComparisons(of: runner)
            verification.fill(
                [
                    .oneOrderForAll, .sendersThread, .onlySendersDeliver, .subscribingInside, .orderOfSubscribers,
                    .cancelReachesUpstream, .ignoresLateEvents,
                ], .held)
            verification.fillIn(forPublisherWith: .dropsUnasked)
        }
        return verification
    }

    /// What scripts can't show.
    private var probes: [() -> Finding?] {
        [
            probeOrder,
            probeOrderOfThreads,
            probeService,
            probeEnd,
            probeUpstream,
            probeLeaving,
            probeLeavingAtTheEnd,
            probeSkipping,
            probeOrderOfEnds,
            probeLateUpstream,
            probeJoining,
            probeJoiningAtTheEnd,
            probeReleaseOfTheSubject,
        ]
    }

    /// - Parameter script: What was done with the subject before, in words.
    func makeRunner(
        _ capabilities: Capabilities, after script: String = "",
        _ makeFixture: @escaping () -> Fixture<Int, VerificationFailure>
    ) -> ScriptRunner<Int, VerificationFailure> {
        var runner = ScriptRunner(
            capabilities: capabilities, isOperator: false, timeout: effort.timeout, progress: progress,
            makeFixture: makeFixture)
        runner.preamble = script
        return runner
    }

    func makeFixture(of subject: S, first: Int) -> Fixture<Int, VerificationFailure> {
        let next = Guarded(first)
        return Fixture(
            attach: { subject.subscribe($0) },
            source: { action in
                switch action {
                case .send:
                    let value = next.withLock { number in
                        defer { number += 1 }
                        return number
                    }
                    subject.send(value)
                case .finish: subject.send(completion: .finished)
                case .fail: subject.send(completion: .failure(.upstreamFailed))
                case .begin, .beginCancelling, .request, .cancel, .react, .wait: return false
                }
                return true
            })
    }

    /// Some subscribers, and what is done with them and the subject, in words.
    struct Scene {
        let script: String
        let listeners: [Listener]

        init(_ script: String, _ listeners: Listener...) {
            self.script = script
            self.listeners = listeners
        }

        /// What each subscriber has received of the values that are sent.
        var orders: [[Int]] { listeners.map { $0.values.filter { $0 > 1000 } } }

        func broken(_ rule: Rule, _ finding: String) -> Finding {
            .broken(rule, finding, script: script, timeLine: listeners.last?.timeLine() ?? TimeLine())
        }

        /// The first breach that one of the subscribers has noticed.
        func findBreach() -> Finding? {
            listeners.flatMap(\.breaches).first.map { broken($0.rule, $0.finding) }
        }

        /// That the first two have received something else than each other.
        var disorder: Finding {
            broken(.oneOrderForAll, "the first received \(orders[0]), the second \(orders[1])")
        }
    }

    /// Sends from inside a delivery: every subscriber must receive the same order.
    private func probeOrder() -> Finding? {
        let subject = make()
        let first = Listener(.unlimited) { _, value in if value == 1001 { subject.send(1002) } }
        let second = Listener(.unlimited)
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1001)
        let scene = Scene(
            "two subscribers request everything; send 1001; the first sends 1002 in the delivery", first, second)
        let orders = scene.orders
        if orders[0] != orders[1] { return scene.disorder }
        if let finding = scene.findBreach() { return finding }
        return orders[0] == [1001, 1002] ? nil : scene.broken(.nothingIsLost, "both received \(orders[0])")
    }

    /// Sends on another thread while a value is being delivered, and waits for it there.
    private func probeOrderOfThreads() -> Finding? {
        let subject = make()
        // The first subscriber retains the subject, which retains the subscriber.
        defer { subject.send(completion: .finished) }
        var isStuck = false
        let first = Listener(.unlimited) { _, value in
            if value != 1001 { return }
            if !runSideBySide([{ subject.send(1002) }], timeout: effort.timeout) { isStuck = true }
        }
        let second = Listener(.unlimited)
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1001)
        let scene = Scene(
            "two subscribers request everything; send 1001; in the first delivery, on another thread: send 1002",
            first, second)
        if isStuck {
            return scene.broken(.noLockHeld, "send(_:) on another thread waits for the delivery to return")
        }
        if let finding = scene.findBreach() { return finding }
        return scene.orders == [[1001, 1002], [1001, 1002]] ? nil : scene.disorder
    }

    /// Subscribers are served in the order of their subscriptions, even after others have left.
    private func probeService() -> Finding? {
        let subject = make()
        let log = Guarded<[Int]>([])
        let listeners = (0..<5).map { number in
            Listener(.unlimited) { _, value in if value > 1000 { log.withLock { $0.append(number) } } }
        }
        for listener in listeners { subject.subscribe(listener) }
        listeners[1].cancel()
        subject.send(1001)
        let order = log.withLock { $0 }
        if order == [0, 2, 3, 4] { return nil }
        return Scene("five subscribers; the second cancels; send", listeners[4])
            .broken(.orderOfSubscribers, "subscribers 0 to 4 without 1 were served in the order \(order)")
    }

    /// A subscriber that joins after the end receives the completion.
    private func probeEnd() -> Finding? {
        let subject = make()
        subject.send(completion: .failure(.upstreamFailed))
        subject.send(completion: .finished)
        subject.send(1001)
        let late = Listener(.unlimited)
        subject.subscribe(late)
        let scene = Scene("fail; finish; send; subscribe", late)
        if let breach = late.breaches.first(where: { $0.rule == .oneSubscription }) {
            return scene.broken(breach.rule, breach.finding)
        }
        if !late.isSubscribed {
            return scene.broken(.oneSubscription, "a subscriber that joins after the end receives no subscription")
        }
        if late.failure == .upstreamFailed, late.breaches.isEmpty, !late.values.contains(1001) { return nil }
        return scene.broken(.ignoresLateEvents, "a subscriber that joins after the failure receives something else")
    }

    /// Demand reaches an upstream that the subject is attached to, and the end cancels it.
    private func probeUpstream() -> Finding? {
        let subject = make()
        let upstream = TestPublisher<Int, VerificationFailure>()
        let connection = upstream.attach(subject)
        defer { connection.cancel() }
        let listener = Listener(.unlimited)
        subject.subscribe(listener)
        let script = "attach to an upstream; subscribe and request everything; upstream sends"
        if !upstream.send(1001) || !listener.values.contains(1001) {
            return Scene(script, listener).broken(.demandAddsUp, "demand did not reach upstream")
        }
        subject.send(completion: .finished)
        if upstream.cancelCount == 1 { return nil }
        return Scene(script + "; finish", listener)
            .broken(.cancelReachesUpstream, "at the end, upstream was cancelled \(upstream.cancelCount) times")
    }

    /// A subscriber that another cancels during a delivery receives nothing more.
    private func probeLeaving() -> Finding? {
        let subject = make()
        let second = Listener(.unlimited)
        let first = Listener(.unlimited) { _, value in if value == 1001 { second.cancel() } }
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1001)
        subject.send(1002)
        return Scene(
            "two subscribers request everything; send; the first cancels the second in the delivery", first, second
        ).findBreach()
    }
}
