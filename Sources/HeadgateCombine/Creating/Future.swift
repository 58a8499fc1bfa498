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
/// answer.sink { print($0) }
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

    @usableFromInline let outcome = FutureOutcome<Output, Failure>()

    /// Makes a publisher and sets to work at once.
    ///
    /// - Parameter attemptToFulfill: Gets the promise, which it may call or keep. The promise may be called from any
    ///   thread, hence `@Sendable`.
    @inlinable public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        let promise = FuturePromise(outcome)
        attemptToFulfill { promise.outcome.fulfill($0) }
    }

    /// Connects a subscriber.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        switch outcome.ending {
        case .fulfilled(.success(let value)): subscriber.connect(toOnly: value, name: "Future")
        case let ending?:
            // By a subscription of its own, which shows in a log as that of a future.
            let conduit = PromiseConduit(name: "Future") { _ in }
            subscriber.receive(subscription: conduit)
            FutureOutcome.Waiting(conduit: conduit, subscriber: AnySubscriber(subscriber)).resume(with: ending)
        case nil: outcome.attach(subscriber)
        }
    }
}

// What threads share is in the outcome, behind a lock.
extension Future: @unchecked Sendable where Output: Sendable {}

/// What the closure of a promise holds: when the last copy of it goes, the promise can't be called any more.
@usableFromInline final class FuturePromise<Output, Failure: Error> {
    @usableFromInline let outcome: FutureOutcome<Output, Failure>

    @inlinable init(_ outcome: FutureOutcome<Output, Failure>) { self.outcome = outcome }

    @inlinable deinit { outcome.end(with: .abandoned) }
}

// It holds nothing but the outcome.
extension FuturePromise: @unchecked Sendable {}

/// The outcome of a future, and who waits for it.
///
/// Apart from the future, because it lives as long as either the future or the promise does. The subscriptions do not
/// keep it alive.
// What threads share is behind a lock; hence unchecked.
@usableFromInline final class FutureOutcome<Output, Failure: Error>: @unchecked Sendable {
    @usableFromInline struct Waiting {
        @usableFromInline let conduit: PromiseConduit

        @usableFromInline let subscriber: AnySubscriber<Output, Failure>

        @inlinable init(conduit: PromiseConduit, subscriber: AnySubscriber<Output, Failure>) {
            self.conduit = conduit
            self.subscriber = subscriber
        }

        @inlinable func resume(with ending: Ending) {
            switch ending {
            case .fulfilled(let result): conduit.settle(result, for: subscriber)
            case .abandoned: if conduit.close() { subscriber.receive(completion: .finished) }
            }
        }
    }

    @usableFromInline enum Ending {
        case fulfilled(Result<Output, Failure>)
        /// The promise was dropped.
        case abandoned
    }

    @usableFromInline enum State {
        /// Numbered in the order in which they came; a number is not used again.
        case pending(waiting: [Int: Waiting], next: Int)
        case ended(Ending)
    }

    @usableFromInline let state = Guarded(State.pending(waiting: [:], next: 0))

    @inlinable init() {}

    @inlinable var ending: Ending? {
        state.withLock { if case .ended(let ending) = $0 { ending } else { nil } }
    }

    @inlinable func fulfill(_ result: Result<Output, Failure>) { end(with: .fulfilled(result)) }

    @inlinable func end(with ending: Ending) {
        let waiting: [Int: Waiting] = state.withLock {
            guard case .pending(let waiting, _) = $0 else { return [:] }
            $0 = .ended(ending)
            return waiting
        }
        for (_, member) in waiting.sorted(by: { $0.key < $1.key }) { member.resume(with: ending) }
    }

    @inlinable func attach(_ subscriber: some Subscriber<Output, Failure>) {
        let number: Int = state.withLock {
            guard case .pending(let waiting, let next) = $0 else { return 0 }
            $0 = .pending(waiting: waiting, next: next + 1)
            return next
        }
        let conduit = PromiseConduit(name: "Future") { [weak self] _ in self?.leave(number) }
        // The subscription goes first, so that nothing that happens meanwhile can overtake it.
        subscriber.receive(subscription: conduit)
        if conduit.isCancelled { return }
        let member = Waiting(conduit: conduit, subscriber: AnySubscriber(subscriber))
        let ending: Ending? = state.withLock {
            switch $0 {
            case .pending(var waiting, let next):
                $0 = .pending(waiting: [:], next: next)
                waiting[number] = member
                $0 = .pending(waiting: waiting, next: next)
                return nil
            case .ended(let ending):
                return ending
            }
        }
        if let ending { return member.resume(with: ending) }
        // It may have been cancelled before it was on the list.
        if conduit.isCancelled { leave(number) }
    }

    @inlinable func leave(_ number: Int) {
        // What is taken out is dropped behind the lock, when this returns.
        _ = state.withLock { state -> Waiting? in
            guard case .pending(var waiting, let next) = state else { return nil }
            state = .pending(waiting: [:], next: next)
            let member = waiting.removeValue(forKey: number)
            state = .pending(waiting: waiting, next: next)
            return member
        }
    }
}

extension Future where Failure == Never {
    /// The value, when it is there.
    ///
    /// Waits for as long as it takes, also where the task is cancelled meanwhile: without a value and without an error
    /// there is nothing to return. For the same reason, waiting for a promise that is dropped without having been called
    /// is a programmer's error and traps. Where either may happen, use `values`, or a future that may fail.
    public nonisolated(nonsending) var value: Output {
        get async {
            await withCheckedContinuation { continuation in
                var hasValue = false
                subscribe(
                    AnySubscriber(
                        receiveValue: { value in
                            // One thread hands it over to one task.
                            nonisolated(unsafe) let value = value
                            hasValue = true
                            continuation.resume(returning: value)
                            return .none
                        },
                        receiveCompletion: { _ in
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

extension Future {
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
                    subscribe(
                        AnySubscriber(
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
