import HeadgateCore
import HeadgateTesting

/// Stresses a subject with several threads, and reports the result rule by rule.
///
/// Two threads send, while a third requests values, a fourth cancels, and a fifth subscribes; in every other round one
/// of the senders ends the stream. All subscribers must receive the same order. Then two threads send into two subjects
/// whose subscribers send into each other: a subject that delivers under a lock deadlocks there. Finally, one thread
/// sends while others subscribe, request and cancel: it must deliver everything itself.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// stress(subject: PassthroughSubject<Int, VerificationFailure>()).check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// See ``stress(publisher:_:effort:settle:)``.
///
/// - Parameters:
///   - subject: Creates the subject.
///   - effort: How much work to do.
public func stress<S: Subject<Int, VerificationFailure>>(
    subject: @escaping @autoclosure () -> S, effort: StressEffort = .normal
) -> Verification {
    let rules =
        Rule.forThreads.filter { $0 != .demandAddsUp && $0 != .completesAfterLastValue } + [
            .oneOrderForAll, .sendersThread, .onlySendersDeliver,
        ]
    return StressedSubject(make: subject, effort: effort).run().conclude(rules)
}

private struct StressedSubject<S: Subject<Int, VerificationFailure>> {
    typealias Listener = StressSubscriber<Int, VerificationFailure>

    let make: () -> S
    let effort: StressEffort

    func run() -> StressReport {
        var report = StressReport("subject", effort)
        for seed in effort.seeds {
            let plan = StressPlan(seed: seed, values: effort.values, everything: .unlimited)
            report.note(script: "two threads send; others request, cancel and subscribe", seed: seed) {
                var round = StressRound(subject: make(), effort: effort, plan: plan)
                return round.run()
            }
            if !seed.isMultiple(of: 2) { continue }
            report.note(script: "one thread sends; two others subscribe, request and cancel", seed: seed) {
                SendingFromOneThread(subject: make(), effort: effort, plan: plan).run()
            }
        }
        report.note(
            script: "two threads send into two subjects whose subscribers send into each other", seed: nil, cross)
        return report
    }

    /// Sends into two subjects that are connected in both directions.
    private func cross() -> StressFinding {
        let subjects = [make(), make()]
        let listeners = (0..<2).map { number in
            // A value is decremented each time it crosses, so that it comes to rest.
            Listener(
                timeout: effort.timeout, onValue: { if $0 > 0 { subjects[1 - number].send($0 - 1) } })
        }
        for (subject, listener) in zip(subjects, listeners) {
            subject.subscribe(listener)
            listener.request(.unlimited)
        }
        let threads = subjects.map { subject in
            { for _ in 0..<effort.rounds { subject.send(3) } }
        }
        if !runSideBySide(threads, timeout: effort.timeout) { return .stuck }
        for listener in listeners { listener.cancel() }
        return StressFinding(breaches: listeners.flatMap(\.breaches))
    }
}

/// One round.
private struct StressRound<S: Subject<Int, VerificationFailure>> {
    typealias Listener = StressSubscriber<Int, VerificationFailure>

    let subject: S
    let effort: StressEffort
    let plan: StressPlan
    private(set) var breaches: [Breach] = []

    /// Whether one of the threads ends the stream.
    private var ends: Bool { plan.seed.isMultiple(of: 2) }

    /// The values that a thread sends.
    private func values(of sender: Int) -> [Int] { (1...effort.values).map { 1_000_000 * (sender + 1) + $0 } }

    mutating func run() -> StressFinding {
        weak var weakFirst: Listener?
        weak var weakLeaver: Listener?
        let subscriptions = runThreads { first, leaver in (weakFirst, weakLeaver) = (first, leaver) }
        guard let subscriptions else { return .stuck }
        // A retained subscription must not retain the subscriber.
        withExtendedLifetime(subscriptions) {
            if weakFirst != nil { add(.releasesReferences, "a subscriber is retained after the end") }
            if weakLeaver != nil { add(.releasesReferences, "a subscriber is retained after cancel()") }
        }
        return StressFinding(breaches: breaches)
    }

    /// - Returns: The subscriptions; `nil` if threads did not return.
    @inline(never) private mutating func runThreads(watch: (Listener, Listener) -> Void) -> [any Subscription]? {
        let first = makeListener()
        let second = makeListener()
        let careful = makeListener(reaction: plan.reaction)
        let leaver = makeListener()
        let latecomer = makeListener()
        watch(first, leaver)
        for listener in [first, second, careful, leaver] { subject.subscribe(listener) }
        for listener in [first, second, leaver] { listener.request(.unlimited) }

        let (subject, ends, plan) = (subject, ends, plan)
        var threads: [() -> Void] = (0..<2).map { sender in
            let send = plan.thread(sender, for: values(of: sender), subject.send)
            return {
                send()
                if sender == 0, ends { subject.send(completion: plan.completion) }
            }
        }
        threads.append(plan.thread(2, for: plan.requests[0], careful.request))
        threads.append {
            yieldThread(times: Int(plan.seed % 16))
            leaver.cancel()
        }
        threads.append {
            yieldThread(times: Int(plan.seed % 7))
            subject.subscribe(latecomer)
            latecomer.request(.unlimited)
        }
        if !runSideBySide(threads, timeout: effort.timeout) { return nil }
        leaver.expectQuiet()
        subject.send(0)
        check(first, second, careful: careful, leaver: leaver, latecomer: latecomer)
        subject.send(completion: .finished)
        let listeners = [first, second, careful, leaver, latecomer]
        breaches += listeners.flatMap(\.breaches)
        return listeners.compactMap(\.subscription)
    }

    private func makeListener(reaction: @escaping (Int) -> Reaction = { _ in .nothing }) -> Listener {
        Listener(timeout: effort.timeout, yielder: plan.yielder(3), reaction: reaction)
    }

    private mutating func check(
        _ first: Listener, _ second: Listener, careful: Listener, leaver: Listener, latecomer: Listener
    ) {
        let order = first.values
        if second.values != order { add(.oneOrderForAll, "two subscribers received different orders") }
        if !leaver.values.elementsEqual(order.prefix(leaver.values.count)) {
            add(.oneOrderForAll, "the subscriber that cancelled had received another order")
        }
        if !latecomer.values.elementsEqual(order.suffix(latecomer.values.count)) {
            add(.oneOrderForAll, "the late subscriber received another order, or not all values sent after it joined")
        }
        if !careful.values.isFoundInOrder(in: order) {
            add(.oneOrderForAll, "the subscriber with limited demand received another order")
        }
        for sender in 0..<2 {
            let sent = values(of: sender).map { "\($0)" }
            let received = order.filter(Set(sent).contains)
            if !received.elementsEqual(sent.prefix(received.count)) {
                add(.oneOrderForAll, "the values of one thread arrived in another order than they were sent")
            } else if !ends, received.count < sent.count {
                add(.nothingIsLost, "\(sent.count) values sent by one thread, \(received.count) received")
            }
        }
        if ends, first.ending == nil || first.ending != second.ending {
            add(.nothingIsLost, "not every subscriber received the completion")
        }
    }

    private mutating func add(_ rule: Rule, _ finding: String) { breaches.append(Breach(rule, finding)) }
}
