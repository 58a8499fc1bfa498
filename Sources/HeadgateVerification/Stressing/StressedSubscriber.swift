import HeadgateCore
import HeadgateTesting

/// Stresses a subscriber with several threads, and reports the result rule by rule.
///
/// In each of many short streams, a thread sends the subscription, values as far as they are requested, and a
/// completion; another may continue where the first stops. They call one after the other, as publishers do (rule 3.1).
/// Meanwhile up to two threads cancel, before the subscription arrives or at any time after it, and another may call
/// something else. However the threads meet, the cancellation must reach the publisher exactly once (rule 5.1), the
/// subscription must be released (rule 5.3), and no demand may be lost (rule 2.1). Under ThreadSanitizer, it also
/// reveals state of the subscriber that is not protected.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// stress(subscriber: Subscribers.Sink<Int, VerificationFailure>(receiveCompletion: { _ in }, receiveValue: { _ in }))
///     .check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - subscriber: Creates the subscriber. Only one that is `Cancellable` is cancelled.
///   - values: The values to deliver.
///   - failure: The failure of some of the streams; `nil` if they can't fail.
///   - effort: How much work to do: the streams of a round are as many as its `values`.
///   - meanwhile: What another thread calls once in each stream, such as a method that requests more.
public func stress<S: Subscriber>(
    subscriber: @escaping @autoclosure () -> S, values: [S.Input], failure: S.Failure? = nil,
    effort: StressEffort = .normal, meanwhile: ((S) -> Void)? = nil
) -> Verification {
    StressedSubscriber(make: subscriber, values: values, failure: failure, effort: effort, meanwhile: meanwhile)
        .verification
}

/// Stresses a subscriber of numbers with several threads, and reports the result rule by rule.
///
/// - Parameters:
///   - subscriber: Creates the subscriber. Only one that is `Cancellable` is cancelled.
///   - effort: How much work to do: the streams of a round are as many as its `values`.
///   - meanwhile: What another thread calls once in each stream, such as a method that requests more.
public func stress<S: Subscriber<Int, VerificationFailure>>(
    subscriber: @escaping @autoclosure () -> S, effort: StressEffort = .normal, meanwhile: ((S) -> Void)? = nil
) -> Verification {
    stress(
        subscriber: subscriber(), values: Array(1...5), failure: .upstreamFailed, effort: effort, meanwhile: meanwhile)
}

private struct StressedSubscriber<S: Subscriber> {
    typealias Life = StressLife<S>

    let make: () -> S
    let values: [S.Input]
    let failure: S.Failure?
    let effort: StressEffort
    let meanwhile: ((S) -> Void)?

    var verification: Verification {
        var verification = run().conclude([
            .demandAddsUp, .noLockHeld, .cancelReachesUpstream, .releasesReferences,
        ])
        if verification[.cancelReachesUpstream] == .held, !(make() is any Cancellable) {
            verification.verdicts[.cancelReachesUpstream] = .notCheckable("the subscriber can't be cancelled")
        }
        return verification
    }

    private func run() -> StressReport {
        var report = StressReport("subscriber", effort)
        let calmCount = countCalmly()
        for seed in effort.seeds where !report.isStuck {
            var generator = SeededGenerator(seed: seed)
            let lives = (0..<effort.values).map { _ in
                Life(make(), StressLifePlan(values.count, canFail: failure != nil, using: &generator))
            }
            report.note(script: "short streams; meanwhile other threads cancel", seed: seed) { run(lives, seed) }
            for life in lives {
                report.note(script: life.plan.sentence(callsElse: meanwhile != nil), seed: seed) {
                    StressFinding(breaches: life.finish(values, failure, calmCount: calmCount))
                }
            }
        }
        return report
    }

    /// The number of values that the subscriber takes without other threads.
    private func countCalmly() -> Int {
        let life = Life(make(), .calm)
        life.begin(values)
        meanwhile?(life.subscriber)
        _ = life.finish(values, failure, calmCount: 0)
        return life.acceptedCount
    }

    /// Leads all streams through their lives on threads that meet at the beginning of each.
    private func run(_ lives: [Life], _ seed: UInt64) -> StressFinding {
        let meetings = Meetings(threadCount: meanwhile == nil ? 4 : 5)
        var bodies: [(Int, Life) -> Void] = [
            { _, life in life.begin(values) },
            { _, life in life.continue(values, failure) { meetings.isOver } },
            { _, life in life.cancel(0) }, { _, life in life.cancel(1) },
        ]
        if let meanwhile {
            bodies.append { number, life in
                yieldThread(times: (number &+ Int(seed % 5)) % 4)
                meanwhile(life.subscriber)
            }
        }
        let threads = bodies.map { body in
            {
                for (number, life) in lives.enumerated() {
                    meetings.wait(before: number)
                    if meetings.isOver { return }
                    body(number, life)
                }
            }
        }
        if runSideBySide(threads, timeout: effort.timeout) { return StressFinding() }
        meetings.giveUp()
        return .stuck
    }
}
