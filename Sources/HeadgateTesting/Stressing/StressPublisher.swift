import HeadgateCore

/// Lets threads meet in a publisher, and tells rule by rule what came out.
///
/// Two threads ask at the same time, a third may cancel, and what is said inside a delivery is partly said on another thread
/// while the delivery waits. `verify` finds more, and finds the same in every run; this finds what only threads
/// can show, and not in every run. Run under ThreadSanitizer (`swift test --sanitize=thread`), it also shows deliveries
/// that are not ordered at all.
///
/// ```swift
/// stress(publisher: (1...40).publisher, .finite).check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - publisher: Makes the publisher.
///   - capabilities: What it is able to do.
///   - effort: How hard to try.
///   - settle: Waits until the publisher has done what it does on threads of its own, as far as that can be known: what
///     is missing when it returns is waited for.
public func stress<P: Publisher>(
    publisher: @escaping @autoclosure () -> P, _ capabilities: Capabilities = [], effort: StressEffort = .normal,
    settle: (() -> Void)? = nil
) -> Verification {
    let trial = StressTrial(capabilities: capabilities, effort: effort, isAsynchronous: settle != nil) {
        _ -> StressRig<P.Output, P.Failure> in
        let publisher = publisher()
        return StressRig(attach: { publisher.subscribe($0) }, settle: settle ?? {})
    }
    return Verification(
        subject: "publisher", stress: trial.run(), rules: Rule.forThreads, capabilities: capabilities, effort: effort)
}

/// Lets threads meet in a publisher that works with a scheduler, and tells rule by rule what came out.
///
/// Another thread moves the scheduler on. See ``stress(publisher:_:effort:settle:)``.
///
/// - Parameters:
///   - publisher: Makes the publisher on a scheduler.
///   - capabilities: What it is able to do.
///   - effort: How hard to try.
public func stress<P: Publisher>(
    publisher: @escaping (TestScheduler) -> P, _ capabilities: Capabilities = [], effort: StressEffort = .normal
) -> Verification {
    // What comes by itself does not end, and a little of it shows what there is.
    let limit = capabilities.contains(.hot) ? 5 : 10 * effort.values
    let trial = StressTrial(capabilities: capabilities, effort: effort) { plan -> StressRig<P.Output, P.Failure> in
        let scheduler = TestScheduler()
        let publisher = publisher(scheduler)
        return StressRig(
            attach: { publisher.subscribe($0) }, threads: [scheduler.turning(effort.values, plan.dawdler(2))],
            settle: { scheduler.runUntilIdle(limit: limit) })
    }
    return Verification(
        subject: "publisher", stress: trial.run(), rules: Rule.forThreads, capabilities: capabilities, effort: effort)
}

extension TestScheduler {
    /// What moves the clock while other threads hand over work.
    func turning(_ times: Int, _ dawdler: Dawdler) -> () -> Void {
        {
            var dawdler = dawdler
            for _ in 0..<times {
                dawdler.pause()
                self.runUntilIdle(limit: 4)
            }
        }
    }
}
