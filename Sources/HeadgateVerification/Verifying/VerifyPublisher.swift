import HeadgateCore
import HeadgateTesting

/// Verifies a publisher with systematic scripts up to a depth and random ones beyond, and reports the result rule by
/// rule.
///
/// A new publisher is created for every script. No time passes: a publisher that needs a scheduler is given a
/// ``TestScheduler`` by the other overload. A publisher that traps ends the process; one that never stops is cancelled
/// after some thousand values, which it has to obey.
///
/// If an operator or a subject is the last publisher of the chain, a subscription that is released may continue, and
/// rule 5.4 is excused by ``Verification/excusing(_:because:)``.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// verify(publisher: (1...5).publisher, .finite).check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - publisher: Creates the publisher.
///   - capabilities: What the publisher can do.
///   - effort: How much work to do.
///   - settle: Waits until no call of the publisher is in progress on threads of its own. Values still missing when it
///     returns are waited for if the publisher is declared ``Capabilities/asynchronous``; but what arrives after it
///     though the subscriber has cancelled breaks rule 4.4.
public func verify<P: Publisher>(
    publisher: @escaping @autoclosure () -> P, _ capabilities: Capabilities = [], effort: Effort = .normal,
    settle: (() -> Void)? = nil
) -> Verification {
    verifyPublisher(capabilities, effort: effort) {
        let publisher = publisher()
        return Fixture(
            attach: { publisher.subscribe($0) }, waitForThreads: settle ?? {}, settles: settle != nil)
    }
}

/// Verifies a publisher that uses a scheduler, and reports the result rule by rule.
///
/// ```swift
/// import Dispatch
/// import Headgate
/// import HeadgateTesting
/// import HeadgateTestingTimers
/// import HeadgateVerification
///
/// verify(publisher: { Publishers.timer(scheduler: $0, interval: .seconds(1)).map { _ in } }, [.unbounded, .dropsUnasked])
///     .check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - publisher: Creates the publisher on a scheduler, which the verifier advances after every step, and then only
///     where a script says so.
///   - capabilities: What the publisher can do.
///   - effort: How much work to do.
public func verify<P: Publisher>(
    publisher: @escaping (TestScheduler) -> P, _ capabilities: Capabilities = [], effort: Effort = .normal
) -> Verification {
    // A hot publisher never ends; a few values are enough.
    let limit = capabilities.contains(.hot) ? 5 : 50
    return verifyPublisher(capabilities, effort: effort) {
        let scheduler = TestScheduler()
        var subject: P? = publisher(scheduler)
        return Fixture(
            attach: { subject?.subscribe($0) }, clock: scheduler, workLimit: limit,
            releasePublisher: { subject = nil })
    }
}

private func verifyPublisher<Output, Failure: Error>(
    _ capabilities: Capabilities, effort: Effort, makeFixture: @escaping () -> Fixture<Output, Failure>
) -> Verification {
    effort.check()
    let runner = ScriptRunner(
        capabilities: capabilities, isOperator: false, timeout: effort.timeout, progress: ScriptProgress(),
        makeFixture: makeFixture)
    var verification = Verification(subject: "publisher")
    let threads = runner.probeThreads()
    verification.goOn(after: threads, timeout: 2 * effort.timeout, progress: runner.progress) { verification in
        verification.take(runner.probeReference())
        verification.search(runner, effort)
        verification.probe(runner, threads: threads, isSource: !capabilities.contains(.holdsSubscribers))
        verification.take(runner.probeHotDemand() + runner.probeAfterCancel())
        if !runner.references.isUnfit, let full = runner.runFreely() {
            verification.checkEnding(of: full, capabilities)
        }
        verification.checkUnlimited(runner)
        verification.abandonComparisons(of: runner)
        verification.fillIn(forPublisherWith: capabilities)
    }
    return verification
}
