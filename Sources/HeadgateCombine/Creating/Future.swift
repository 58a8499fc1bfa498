import HeadgateCore
import HeadgateEngine

/// Publishes one value, or fails, when a promise is fulfilled, now or later, from any thread.
///
/// ```
/// promise      ----7
/// Future       ----7|
/// subscribed later      7|
/// ```
///
/// ```swift
/// let answer = Future<Int, Never> { promise in
///     DispatchQueue.global().async { promise(.success(7)) }
/// }
/// for await number in answer.values { print(number) }
/// // 7
/// ```
///
/// The closure runs once, at once, whether or not anybody subscribes. The first call of the promise counts, any other
/// does nothing. Subscribers that are waiting when the promise is fulfilled are served in the order in which they came,
/// on the thread that fulfills it.
///
/// - **Demand**: the value waits, for each subscriber, until that one asks.
/// - **Completion**: right after the value; a failure needs no demand. If the promise is dropped without having been
///   called, subscribers are finished without a value, on the thread that drops it, and so is whoever comes later: nobody
///   waits for what can't come. (Combine's never completes then.)
public final class Future<Output, Failure: Error>: Publisher {
    /// What is called when the outcome is known, from any thread; hence `@Sendable`.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    @usableFromInline let outcome = PromisedOutcome<Output, Failure>(name: "Future")

    /// Makes a publisher and sets to work at once.
    ///
    /// - Parameter attemptToFulfill: Gets the promise, which it may call or keep. The promise may be called from any
    ///   thread, hence `@Sendable`.
    @inlinable public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        let promise = FuturePromise(outcome)
        attemptToFulfill { promise.outcome.fulfill($0) }
    }

    /// Connects a subscriber.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) { outcome.connect(subscriber) }
}

// What threads share is in the outcome, behind a lock.
extension Future: @unchecked Sendable where Output: Sendable {}

/// What the closure of a promise holds: when the last copy of it goes, the promise can't be called any more.
@usableFromInline final class FuturePromise<Output, Failure: Error> {
    @usableFromInline let outcome: PromisedOutcome<Output, Failure>

    @inlinable init(_ outcome: PromisedOutcome<Output, Failure>) { self.outcome = outcome }

    @inlinable deinit { outcome.abandon() }
}

// It holds nothing but the outcome.
extension FuturePromise: @unchecked Sendable {}

extension Future where Failure == Never, Output: StrictlySendable {
    /// The value, when it is there.
    ///
    /// Waits for as long as it takes, also where the task is cancelled meanwhile: without a value and without an error
    /// there is nothing to return. For the same reason, waiting for a promise that is dropped without having been called
    /// is a programmer's error and traps. Where either may happen, use `values`, or a future that may fail.
    public nonisolated(nonsending) var value: Output {
        get async {
            await withCheckedContinuation { continuation in
                var hasValue = false
                receive(
                    subscriber: AnySubscriber(
                        receiveValue: serially { value in
                            #if !StrictClosures
                                // One thread hands it over to one task.
                                nonisolated(unsafe) let value = value
                            #endif
                            hasValue = true
                            continuation.resume(returning: value)
                            return .none
                        },
                        receiveCompletion: serially { _ in
                            if hasValue { return }
                            programmerError(
                                rule: "A promise whose value is awaited and that can't fail has to be called.",
                                found: "it was dropped",
                                remedy: "Call it on every path, or make it a Future that can fail.")
                        }))
            }
        }
    }
}

extension Future where Output: StrictlySendable {
    /// The value, when it is there.
    ///
    /// - Throws: The failure; `CancellationError` where the task is cancelled meanwhile, or the promise is dropped without
    ///   having been called.
    public nonisolated(nonsending) var value: Output {
        get async throws {
            let waiter = FutureWaiter<Output>()
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    waiter.wait(continuation)
                    receive(
                        subscriber: AnySubscriber(
                            receiveSubscription: { subscription in
                                waiter.connect(subscription)
                                subscription.request(.max(1))
                            },
                            receiveValue: { value in
                                waiter.resume(with: .success(value))
                                return .none
                            },
                            receiveCompletion: { completion in
                                switch completion {
                                case .failure(let failure): waiter.resume(with: .failure(failure))
                                // After the value, there is nobody left to resume.
                                case .finished: waiter.resume(with: .failure(CancellationError()))
                                }
                            }))
                }
            } onCancel: {
                waiter.cancel()
            }
        }
    }
}

/// A task that waits for the value of a future, or to be cancelled.
// What threads share is behind a lock; hence unchecked.
private final class FutureWaiter<Output>: @unchecked Sendable {
    struct State {
        var continuation: CheckedContinuation<Output, any Error>?
        var isCancelled = false
    }

    private let state = Guarded(State())
    private let upstream = SubscriptionSlot()

    func wait(_ continuation: CheckedContinuation<Output, any Error>) {
        let isCancelled = state.withLock {
            if !$0.isCancelled { $0.continuation = continuation }
            return $0.isCancelled
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
    }

    func connect(_ subscription: any Subscription) { _ = upstream.fill(with: subscription) }

    func resume(with result: Result<Output, any Error>) {
        // One thread hands it over to one task.
        nonisolated(unsafe) let result = result
        state.withLock { $0.continuation.take() }?.resume(with: result)
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        upstream.cancel()
        resume(with: .failure(CancellationError()))
    }
}
