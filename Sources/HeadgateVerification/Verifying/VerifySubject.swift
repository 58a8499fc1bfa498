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
        let runner = ScriptRunner(
            capabilities: .dropsUnasked, isOperator: false, timeout: effort.timeout, progress: progress,
            makeFixture: makeFixture)
        let threads = runner.probeThreads()
        verification.goOn(after: threads, timeout: 2 * effort.timeout, progress: runner.progress) { verification in
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

    private func makeFixture() -> Fixture<Int, VerificationFailure> { makeFixture(of: make(), first: 1) }

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

    func broken(_ rule: Rule, _ finding: String, script: String, received: [Listener]) -> Finding {
        .broken(rule, finding, script: script, timeLine: received.last?.timeLine() ?? TimeLine())
    }

    /// The first breach that one of the subscribers has noticed.
    func findBreach(script: String, received: [Listener]) -> Finding? {
        received.flatMap(\.breaches).first.map { broken($0.rule, $0.finding, script: script, received: received) }
    }

    /// Sends from inside a delivery: every subscriber must receive the same order.
    private func probeOrder() -> Finding? {
        let subject = make()
        let first = Listener(.unlimited) { _, value in if value == 1001 { subject.send(1002) } }
        let second = Listener(.unlimited)
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1001)
        let script = "two subscribers request everything; send 1001; the first sends 1002 in the delivery"
        let orders = [first, second].map { $0.values.filter { $0 > 1000 } }
        if orders[0] != orders[1] {
            return broken(
                .oneOrderForAll, "the first received \(orders[0]), the second \(orders[1])", script: script,
                received: [first, second])
        }
        if let finding = findBreach(script: script, received: [first, second]) { return finding }
        if orders[0] != [1001, 1002] {
            return broken(.nothingIsLost, "both received \(orders[0])", script: script, received: [first, second])
        }
        return nil
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
        let script =
            "two subscribers request everything; send 1001; in the first delivery, on another thread: send 1002"
        if isStuck {
            let finding = "send(_:) on another thread waits for the delivery to return"
            return broken(.noLockHeld, finding, script: script, received: [first, second])
        }
        if let finding = findBreach(script: script, received: [first, second]) { return finding }
        let orders = [first, second].map { $0.values.filter { $0 > 1000 } }
        if orders == [[1001, 1002], [1001, 1002]] { return nil }
        return broken(
            .oneOrderForAll, "the first received \(orders[0]), the second \(orders[1])", script: script,
            received: [first, second])
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
        return broken(
            .orderOfSubscribers, "subscribers 0 to 4 without 1 were served in the order \(order)",
            script: "five subscribers; the second cancels; send", received: listeners)
    }

    /// A subscriber that joins after the end receives the completion.
    private func probeEnd() -> Finding? {
        let subject = make()
        subject.send(completion: .failure(.upstreamFailed))
        subject.send(completion: .finished)
        subject.send(1001)
        let late = Listener(.unlimited)
        subject.subscribe(late)
        if let breach = late.breaches.first(where: { $0.rule == .oneSubscription }) {
            return broken(
                breach.rule, breach.finding, script: "fail; finish; send; subscribe", received: [late])
        }
        if !late.isSubscribed {
            return broken(
                .oneSubscription, "a subscriber that joins after the end receives no subscription",
                script: "fail; finish; send; subscribe", received: [late])
        }
        if late.failure == .upstreamFailed, late.breaches.isEmpty, !late.values.contains(1001) { return nil }
        return broken(
            .ignoresLateEvents, "a subscriber that joins after the failure receives something else",
            script: "fail; finish; send; subscribe", received: [late])
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
            return broken(.demandAddsUp, "demand did not reach upstream", script: script, received: [listener])
        }
        subject.send(completion: .finished)
        if upstream.cancelCount == 1 { return nil }
        return broken(
            .cancelReachesUpstream, "at the end, upstream was cancelled \(upstream.cancelCount) times",
            script: script + "; finish", received: [listener])
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
        return findBreach(
            script: "two subscribers request everything; send; the first cancels the second in the delivery",
            received: [first, second])
    }
}
