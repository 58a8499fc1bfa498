import HeadgateCore
import HeadgateTesting

/// Stresses a publisher with several threads, and reports the result rule by rule.
///
/// Two threads request at the same time, a third may cancel, and some calls made inside a delivery are made on another
/// thread while the delivery waits. `verify` finds more, and finds the same in every run; this finds what only threads
/// can reveal, and not in every run. Under ThreadSanitizer (`swift test --sanitize=thread`), it also reveals deliveries
/// that are not ordered at all.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// stress(publisher: (1...40).publisher, .finite).check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - publisher: Creates the publisher.
///   - capabilities: What the publisher can do.
///   - effort: How much work to do.
///   - settle: Waits until the publisher has finished work on threads of its own, as far as that can be known; values
///     still missing when it returns are waited for.
public func stress<P: Publisher>(
    publisher: @escaping @autoclosure () -> P, _ capabilities: Capabilities = [], effort: StressEffort = .normal,
    settle: (() -> Void)? = nil
) -> Verification {
    let runner = StressRunner(
        capabilities: capabilities, effort: effort, isAsynchronous: settle != nil
    ) {
        _ -> Fixture<P.Output, P.Failure> in
        let publisher = publisher()
        return Fixture(attach: { publisher.subscribe($0) }, waitForThreads: settle ?? {})
    }
    return runner.verify("publisher")
}

/// Stresses a publisher that uses a scheduler, and reports the result rule by rule.
///
/// Another thread advances the scheduler. See ``stress(publisher:_:effort:settle:)``.
///
/// - Parameters:
///   - publisher: Creates the publisher on a scheduler.
///   - capabilities: What the publisher can do.
///   - effort: How much work to do.
public func stress<P: Publisher>(
    publisher: @escaping (TestScheduler) -> P, _ capabilities: Capabilities = [], effort: StressEffort = .normal
) -> Verification {
    // A hot publisher never ends; a few values are enough.
    let limit = capabilities.contains(.hot) ? 5 : 10 * effort.values
    let runner = StressRunner(capabilities: capabilities, effort: effort) {
        _ -> Fixture<P.Output, P.Failure> in
        let scheduler = TestScheduler()
        let publisher = publisher(scheduler)
        return Fixture(attach: { publisher.subscribe($0) }, clock: scheduler, workLimit: limit)
    }
    return runner.verify("publisher")
}
