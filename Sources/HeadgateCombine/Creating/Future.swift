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
/// - **Completion**: right behind the value; a failure needs no demand. Never, if the promise is dropped.
public final class Future<Output, Failure: Error>: Publisher {
    /// What is called when the outcome is known, from any thread; hence `@Sendable`.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    @usableFromInline let outcome = FutureOutcome<Output, Failure>()

    /// Makes a publisher and sets to work at once.
    ///
    /// - Parameter attemptToFulfill: Gets the promise, which it may call or keep.
    @inlinable public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        let outcome = outcome
        attemptToFulfill { outcome.fulfill($0) }
    }

    /// Connects a subscriber.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        switch outcome.result {
        case .success(let value): subscriber.connect(toOnly: value, name: "Future")
        case .failure(let failure):
            // By a subscription of its own, which shows in a log as that of a future.
            let conduit = PromiseConduit(name: "Future") { _ in }
            subscriber.receive(subscription: conduit)
            conduit.settle(.failure(failure), for: AnySubscriber(subscriber))
        case nil: outcome.attach(subscriber)
        }
    }
}

// What threads share is in the outcome, behind a lock.
extension Future: @unchecked Sendable where Output: Sendable {}

/// The outcome of a future, and who waits for it.
///
/// Apart from the future, because it lives as long as either the future or the promise does. The subscriptions do not
/// keep it alive: when both have gone, nothing will come, and those who wait are let go of.
// What threads share is behind a lock; hence unchecked.
@usableFromInline final class FutureOutcome<Output, Failure: Error>: @unchecked Sendable {
    @usableFromInline struct Waiting {
        @usableFromInline let conduit: PromiseConduit

        @usableFromInline let subscriber: AnySubscriber<Output, Failure>

        @inlinable init(conduit: PromiseConduit, subscriber: AnySubscriber<Output, Failure>) {
            self.conduit = conduit
            self.subscriber = subscriber
        }

        @inlinable func resume(with result: Result<Output, Failure>) { conduit.settle(result, for: subscriber) }
    }

    @usableFromInline enum State {
        /// Numbered in the order in which they came; a number is not used again.
        case pending(waiting: [Int: Waiting], next: Int)
        case fulfilled(Result<Output, Failure>)
    }

    @usableFromInline let state = Guarded(State.pending(waiting: [:], next: 0))

    @inlinable init() {}

    @inlinable var result: Result<Output, Failure>? {
        state.withLock { if case .fulfilled(let result) = $0 { result } else { nil } }
    }

    @inlinable func fulfill(_ result: Result<Output, Failure>) {
        let waiting: [Int: Waiting] = state.withLock {
            guard case .pending(let waiting, _) = $0 else { return [:] }
            $0 = .fulfilled(result)
            return waiting
        }
        for (_, member) in waiting.sorted(by: { $0.key < $1.key }) { member.resume(with: result) }
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
        let result: Result<Output, Failure>? = state.withLock {
            switch $0 {
            case .pending(var waiting, let next):
                $0 = .pending(waiting: [:], next: next)
                waiting[number] = member
                $0 = .pending(waiting: waiting, next: next)
                return nil
            case .fulfilled(let result):
                return result
            }
        }
        if let result { return member.resume(with: result) }
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
    /// Waits for as long as it takes, also where the task is cancelled meanwhile.
    public nonisolated(nonsending) var value: Output {
        get async {
            await withCheckedContinuation { continuation in
                subscribe(
                    AnySubscriber(
                        receiveValue: { value in
                            // One thread hands it over to one task.
                            nonisolated(unsafe) let value = value
                            continuation.resume(returning: value)
                            return .none
                        }))
            }
        }
    }
}

extension Future {
    /// The value, when it is there.
    ///
    /// - Throws: The failure; `CancellationError` where the task is cancelled meanwhile.
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
                                if case .failure(let failure) = completion { waiter.resume(with: .failure(failure)) }
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
