import HeadgateCore

/// Tries a publisher in every order of events up to a depth and at random beyond, and tells rule by rule what it found.
///
/// The publisher is made anew for every script. No time passes: a publisher that needs a scheduler is handed a
/// ``TestScheduler`` by the other overload. A publisher that traps ends the process; one that never returns is cancelled
/// after some thousand values, which it should obey.
///
/// Where an operator or a subject is what publishes in the end, a subscription that is let go of may go on, and rule 5.4
/// is set aside by ``Verification/excusing(_:because:)``.
///
/// ```swift
/// verify(publisher: (1...5).publisher, .finite).check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - publisher: Makes the publisher.
///   - capabilities: What it is able to do.
///   - effort: How hard to look.
///   - settle: Waits until the publisher has done what it does on threads of its own, as far as that can be known: what
///     is missing when it returns is waited for, where the publisher is declared ``Capabilities/asynchronous``.
public func verify<P: Publisher>(
    publisher: @escaping @autoclosure () -> P, _ capabilities: Capabilities = [], effort: Effort = .normal,
    settle: @escaping () -> Void = {}
) -> Verification {
    verifyPublisher(capabilities, effort: effort) {
        let publisher = publisher()
        return Rig(attach: { publisher.subscribe($0) }, waitForThreads: settle)
    }
}

/// Tries a publisher that works with a scheduler, and tells rule by rule what it found.
///
/// ```swift
/// verify(publisher: { Publishers.timer(scheduler: $0, interval: .seconds(1)).map { _ in } }, [.unbounded, .dropsUnasked])
///     .check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - publisher: Makes the publisher on a scheduler, which the verifier moves on after every step, and then only where a
///     script says so.
///   - capabilities: What it is able to do.
///   - effort: How hard to look.
public func verify<P: Publisher>(
    publisher: @escaping (TestScheduler) -> P, _ capabilities: Capabilities = [], effort: Effort = .normal
) -> Verification {
    // What comes by itself does not end, and a little of it shows what there is.
    let limit = capabilities.contains(.hot) ? 5 : 50
    return verifyPublisher(capabilities, effort: effort) {
        let scheduler = TestScheduler()
        var subject: P? = publisher(scheduler)
        return Rig(
            attach: { subject?.subscribe($0) }, clock: scheduler, workLimit: limit,
            letGoOfPublisher: { subject = nil })
    }
}

private func verifyPublisher<Output, Failure: Error>(
    _ capabilities: Capabilities, effort: Effort, makeRig: @escaping () -> Rig<Output, Failure>
) -> Verification {
    effort.check()
    let trial = Trial(capabilities: capabilities, isOperator: false, makeRig: makeRig)
    var verification = Verification(subject: "publisher", verdicts: [:], scriptCount: 0)
    let threads = trial.probeThreads(patience: effort.patience)
    if verification.stop(atALockIn: threads) { return verification }
    for finding in trial.probeReference() { verification.take(finding) }
    verification.search(trial, effort)
    verification.probe(trial, threads: threads, isSource: !capabilities.contains(.holdsSubscribers))
    for finding in trial.probeHotDemand() { verification.take(finding) }
    if !trial.book.isUnfit, let full = trial.runFreely() { verification.judgeEnding(of: full, capabilities) }
    if let finding = trial.probeUnlimited(), verification.isConforming { verification.take(finding) }
    verification.fillIn(forPublisherWith: capabilities)
    return verification
}
