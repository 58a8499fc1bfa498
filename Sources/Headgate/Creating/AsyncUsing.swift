import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publishers {
    /// How the use of a resource came to its end.
    public enum UsageOutcome<Failure: Error>: Sendable {
        /// The stream has finished.
        case finished
        /// The stream has failed.
        case failed(Failure)
        /// The subscriber has cancelled, or let go of its subscription.
        case cancelled
    }

    /// Publishes what another publisher makes of a resource whose acquisition and release wait.
    ///
    /// ```swift no-run
    /// let orders = Publishers.using {
    ///     try await database.beginTransaction()
    /// } publisher: { transaction in
    ///     transaction.rows("SELECT * FROM orders")
    /// } release: { transaction, outcome in
    ///     if case .finished = outcome { await transaction.commit() } else { await transaction.rollBack() }
    /// }
    /// ```
    ///
    /// The resource is acquired at the first demand and released exactly once, whatever happens, and the release hears
    /// how the stream came to its end. A task does both, with the task-locals of the place of subscription. Cancelling
    /// the stream cancels the task while it acquires, and never while it releases.
    ///
    /// - **Demand**: passed on as it is, when the resource is there.
    /// - **Completion**: passed on when the release has returned. An error that `acquire` throws is the failure.
    /// - **Complexity**: one task per subscription, and the price of `switchToLatest` per value.
    ///
    /// - Parameters:
    ///   - acquire: Makes the resource, for each subscriber.
    ///   - publisher: Makes a publisher of the resource.
    ///   - release: Ends the use of the resource.
    public static func using<Resource, Upstream: Publisher>(
        acquire: @escaping @Sendable () async throws(Upstream.Failure) -> Resource,
        publisher: @escaping @Sendable (Resource) -> Upstream,
        release: @escaping @Sendable (Resource, UsageOutcome<Upstream.Failure>) async -> Void
    ) -> AsyncUsing<Resource, Upstream> {
        AsyncUsing(acquire: acquire, publisher: publisher, release: release)
    }

    /// A publisher of what another publisher makes of a resource whose acquisition and release wait.
    public struct AsyncUsing<Resource, Upstream: Publisher>: Publisher, Sendable {
        /// The values of the other publisher.
        public typealias Output = Upstream.Output

        /// The failure of the other publisher.
        public typealias Failure = Upstream.Failure

        /// Makes the resource.
        public let acquire: @Sendable () async throws(Failure) -> Resource

        /// Makes a publisher of the resource.
        public let publisher: @Sendable (Resource) -> Upstream

        /// Ends the use of the resource.
        public let release: @Sendable (Resource, UsageOutcome<Failure>) async -> Void

        /// Makes the publisher that `using(acquire:publisher:release:)` returns.
        public init(
            acquire: @escaping @Sendable () async throws(Failure) -> Resource,
            publisher: @escaping @Sendable (Resource) -> Upstream,
            release: @escaping @Sendable (Resource, UsageOutcome<Failure>) async -> Void
        ) {
            self.acquire = acquire
            self.publisher = publisher
            self.release = release
        }

        /// Connects a subscriber to a resource of its own.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            // The task publishes one publisher, and ends the stream when it has released the resource. That publisher
            // itself never fails: its end goes to the task.
            UsagePublisher(using: self)
                .switchToLatest()
                .receive(subscriber: OwningSubscriber(name: "Using", subscriber))
        }
    }
}

/// Publishes the publisher that is made of a resource, and ends when the resource has been released.
private struct UsagePublisher<Resource, Upstream: Publisher>: Publisher {
    typealias Output = AnyPublisher<Upstream.Output, Upstream.Failure>

    typealias Failure = Upstream.Failure

    let using: Publishers.AsyncUsing<Resource, Upstream>

    func receive(subscriber: some Subscriber<Output, Failure>) {
        TaskConduit<Output, Failure>.connect(subscriber, name: "Using") { [using] conduit in
            guard await conduit.awaitDemand() else { return }
            do throws(Failure) {
                let resource = try await using.acquire()
                let ending = UsageEnding<Failure>()
                conduit.deliver(observed(using.publisher(resource), ending))
                let outcome = await ending.value()
                await StreamTask.shield { await using.release(resource, outcome) }
                if case .failed(let failure) = outcome { throw failure }
                conduit.finish(.finished)
            } catch {
                conduit.finish(.failure(error))
            }
        }
    }

    private func observed(_ upstream: Upstream, _ ending: UsageEnding<Failure>) -> Output {
        let lease = Lease { ending.end(with: .cancelled) }
        let watched =
            upstream
            .handleEvents(
                receiveCompletion: { completion in
                    switch completion {
                    case .finished: ending.end(with: .finished)
                    case .failure(let failure): ending.end(with: .failed(failure))
                    }
                },
                receiveCancel: { lease.end() }
            )
            .catch { _ in Empty<Upstream.Output, Failure>() }
        return AnyPublisher(hiding: watched)
    }
}

/// How the use of a resource came to its end, for the task that waits for it.
private final class UsageEnding<Failure: Error>: Sendable {
    private struct State {
        var outcome: Publishers.UsageOutcome<Failure>?
        var waiting: UnsafeContinuation<Void, Never>?
    }

    private let state = Guarded(State())

    func end(with outcome: Publishers.UsageOutcome<Failure>) {
        state.withLock { state in
            state.outcome = state.outcome ?? outcome
            return state.waiting.take()
        }?.resume()
    }

    func value() async -> Publishers.UsageOutcome<Failure> {
        await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
            let isKnown = state.withLock { state in
                if state.outcome == nil { state.waiting = task }
                return state.outcome != nil
            }
            if isKnown { task.resume() }
        }
        return state.withLock { $0.outcome } ?? .cancelled
    }
}
