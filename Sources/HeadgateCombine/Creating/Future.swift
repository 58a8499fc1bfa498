import HeadgateEngine

/// Publishes one value, or fails, when its promise is fulfilled, now or later, from any thread.
///
/// ```
/// promise      ----7
/// Future       ----7|
/// subscribed later      7|
/// ```
///
/// ```swift
/// import Dispatch
/// import HeadgateCombine
///
/// let answer = Future<Int, Never> { promise in
///     DispatchQueue.global().async { promise(.success(7)) }
/// }
/// for await number in answer.values { print(number) }
/// // 7
/// ```
///
/// The initializer runs the closure once, immediately, whether or not there is a subscriber. The first call of the
/// promise counts; later calls are ignored. The thread that fulfills the promise serves the waiting subscribers, in the
/// order in which they subscribed.
///
/// - **Demand**: the value waits for each subscriber's demand.
/// - **Completion**: right after the value; a failure needs no demand. If the promise is released without having been
///   called, the releasing thread finishes the subscribers without a value, and later subscribers finish at once, so
///   nothing waits for a value that can't arrive. (Combine's `Future` never completes in this case.)
/// - **Threads**: the closure is called on the thread that creates the future. The outcome is delivered on the thread
///   that fulfills the promise, or on that of the subscription or the request that comes later.
public final class Future<Output, Failure: Error>: Publisher {
    /// Fulfills the future with its outcome, from any thread; hence `@Sendable`.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    @usableFromInline let outcome = PromisedOutcome<Output, Failure>(name: "Future")

    /// Creates a publisher and calls the closure immediately.
    ///
    /// - Parameter attemptToFulfill: Receives the promise, which it may call or keep. The promise may be called from
    ///   any thread, hence `@Sendable`.
    @inlinable public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        let promise = FuturePromise(outcome)
        attemptToFulfill { promise.outcome.fulfill($0) }
    }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) { outcome.connect(subscriber) }
}

// Threads share only the outcome, which a lock guards.
extension Future: @unchecked Sendable where Output: Sendable {}

/// Held by the promise's closure: when its last copy is released, the promise can't be called any more.
// It holds only the outcome.
@usableFromInline final class FuturePromise<Output, Failure: Error>: @unchecked Sendable {
    @usableFromInline let outcome: PromisedOutcome<Output, Failure>

    @inlinable init(_ outcome: PromisedOutcome<Output, Failure>) { self.outcome = outcome }

    @inlinable deinit { outcome.abandon() }
}

extension Future where Failure == Never, Output: Sendable {
    /// The value, as soon as it is available.
    ///
    /// Waits as long as necessary, even if the task is cancelled meanwhile: without a value or an error, there is
    /// nothing to return. For the same reason, awaiting a promise that is released without having been called
    /// traps. Where either may happen, use `values`, or a future that may fail.
    @preconcurrency public nonisolated(nonsending) var value: Output {
        get async {
            await withCheckedContinuation { continuation in
                var hasValue = false
                receive(
                    subscriber: AnySubscriber(
                        receiveValue: serially { value in
                            hasValue = true
                            continuation.resume(returning: value)
                            return .none
                        },
                        receiveCompletion: serially { _ in
                            if hasValue { return }
                            programmerError(
                                rule: "The promise of an awaited Future that can't fail must be called.",
                                found: "it was released without a call",
                                remedy: "Call it on every path, or use a Future that can fail.")
                        }))
            }
        }
    }
}

extension Future where Output: Sendable {
    /// The value, as soon as it is available.
    ///
    /// - Throws: The failure; `CancellationError` if the task is cancelled meanwhile or the promise is released without
    ///   having been called.
    @preconcurrency public nonisolated(nonsending) var value: Output {
        get async throws {
            if Task.isCancelled { throw CancellationError() }
            let waiter = AwaitedSubscriber<Output, Failure>(.first(1))
            receive(subscriber: waiter)
            guard let value = try await waiter.values().first else { throw CancellationError() }
            return value
        }
    }
}
