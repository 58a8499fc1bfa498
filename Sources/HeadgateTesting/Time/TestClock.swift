import HeadgateCombine
import HeadgateEngine
import HeadgateCore

/// A clock for code that sleeps, driven by a test scheduler.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let clock = TestClock(scheduler)
/// let task = Task {
///     try await clock.sleep(for: .seconds(3))
///     return clock.now
/// }
/// while scheduler.unfinished.isEmpty { await Task.yield() }     // until the task sleeps
/// scheduler.advance(by: .seconds(3))
/// print(try await task.value)
/// // 3s
/// ```
///
/// A task that is cancelled while it sleeps wakes immediately with a `CancellationError`, and leaves no work scheduled.
public struct TestClock: Clock {
    private let scheduler: TestScheduler

    /// Creates a clock that shows the time of a scheduler.
    public init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    /// The current time of the scheduler.
    public var now: TestTime { scheduler.now }

    /// Zero: the clock distinguishes any two times.
    public var minimumResolution: Swift.Duration { .zero }

    /// Sleeps until the test advances the scheduler to a time.
    public func sleep(until deadline: TestTime, tolerance: Swift.Duration? = nil) async throws {
        if deadline <= now { return try Task.checkCancellation() }
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let alarm = scheduler.scheduleOnce(at: deadline) { sleeper.wake(.success(())) }
                if let result = sleeper.fallAsleep(continuation, alarm: alarm) {
                    alarm.cancel()
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            sleeper.wake(.failure(CancellationError()))
        }
    }

    private final class Sleeper: Sendable {
        private enum State: Sendable {
            case awake
            case asleep(CheckedContinuation<Void, any Error>, alarm: AnyCancellable)
            case woken(Result<Void, any Error>)
        }

        private let state = Guarded(State.awake)

        /// - Returns: The result to resume with immediately, if it was woken before.
        func fallAsleep(
            _ continuation: CheckedContinuation<Void, any Error>, alarm: AnyCancellable
        ) -> Result<Void, any Error>? {
            state.withLock {
                if case .woken(let result) = $0 { return result }
                $0 = .asleep(continuation, alarm: alarm)
                return nil
            }
        }

        func wake(_ result: Result<Void, any Error>) {
            let old = state.withLock {
                let old = $0
                if case .woken = old { return old }
                $0 = .woken(result)
                return old
            }
            guard case .asleep(let continuation, let alarm) = old else { return }
            alarm.cancel()
            continuation.resume(with: result)
        }
    }
}
