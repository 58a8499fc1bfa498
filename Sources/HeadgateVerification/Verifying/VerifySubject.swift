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
        var verification = Verification(subject: "subject")
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
            { probeOrder(onAnotherThread: false) },
            { probeOrder(onAnotherThread: true) },
            probeService,
            probeEnd,
            { probeUpstream(isLate: false) },
            { probeUpstream(isLate: true) },
            { probeLeaving(atTheEnd: false) },
            { probeLeaving(atTheEnd: true) },
            probeSkipping,
            probeJoining,
            probeJoiningAtTheEnd,
            probeReleaseOfTheSubject,
        ]
    }

    /// - Parameter script: What was done with the subject before, in words.
    private func makeRunner(
        _ capabilities: Capabilities, after script: String = "",
        _ makeFixture: @escaping () -> Fixture<Int, VerificationFailure>
    ) -> ScriptRunner<Int, VerificationFailure> {
        var runner = ScriptRunner(
            capabilities: capabilities, isOperator: false, timeout: effort.timeout, progress: progress,
            makeFixture: makeFixture)
        runner.preamble = script
        return runner
    }

    private func makeFixture(of subject: S, first: Int) -> Fixture<Int, VerificationFailure> {
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

    /// Tries scripts with a subscriber that joins after three values.
    ///
    /// A replay needs demand as every value does. While nothing else is sent, it is a source like any other, which
    /// serves every request; what is sent meanwhile may be dropped, but must not overtake or disturb it.
    private func searchReplay(_ verification: inout Verification, _ effort: Effort) {
        let pasts: [(script: String, end: Subscribers.Completion<VerificationFailure>?, Capabilities)] = [
            ("send 1, 2, 3; ", nil, []), ("send 1, 2, 3; finish; ", .finished, .finite),
            ("send 1, 2, 3; fail; ", .failure(.upstreamFailed), [.finite, .fails]),
        ]
        for (script, end, capabilities) in pasts {
            let replay = makeRunner(capabilities, after: script) {
                var fixture = makeFixture(of: subject(after: end), first: 4)
                fixture.source = nil
                return fixture
            }
            verification.take(replay.probeReference() + replay.probe().filter { $0.rule != .droppedSubscription })
            verification.search(replay, effort.divided(by: 4))
        }
        let live = makeRunner(.dropsUnasked, after: pasts[0].script) {
            makeFixture(of: subject(after: nil), first: 4)
        }
        verification.take(live.probeReference())
        verification.search(live, effort.divided(by: 4))
    }

    private func subject(after end: Subscribers.Completion<VerificationFailure>?) -> S {
        let subject = make()
        for value in 1...3 { subject.send(value) }
        if let end { subject.send(completion: end) }
        return subject
    }

    /// Some subscribers of a subject, and what is done with them and the subject, in words.
    struct Scene {
        let script: String
        let listeners: [Listener]

        /// Subscribes them.
        init(_ script: String, _ subject: S, _ listeners: [Listener]) {
            self.script = script
            self.listeners = listeners
            for listener in listeners { subject.subscribe(listener) }
        }

        /// What each subscriber has received of the values that are sent.
        var orders: [[Int]] { listeners.map { $0.values.filter { $0 > 1000 } } }

        /// - Parameter listener: The subscriber whose events are shown; the last one, if it does not matter.
        func broken(_ rule: Rule, _ finding: String, of listener: Listener? = nil) -> Finding {
            let timeLine = (listener ?? listeners.last)?.timeLine() ?? TimeLine()
            return .broken(rule, finding, script: script, timeLine: timeLine)
        }

        /// The first breach that one of the subscribers has noticed.
        func findBreach() -> Finding? {
            listeners.lazy.compactMap { listener in
                listener.breaches.first.map { broken($0.rule, $0.finding, of: listener) }
            }.first
        }
    }
}
