import HeadgateEngine

extension Publisher {
    /// Reports the events that upstream sends after the completion or after `cancel()`.
    ///
    /// ```
    /// self             1---2---3---|
    /// downstream       1---!
    /// onUndeliverable  ----2
    /// ```
    ///
    /// ```swift
    /// struct Loud: Publisher {
    ///     typealias Output = Int
    ///     typealias Failure = Never
    ///     func receive(subscriber: some Subscriber<Int, Never>) {
    ///         subscriber.receive(subscription: Subscriptions.empty)
    ///         subscriber.receive(completion: .finished)
    ///         _ = subscriber.receive(7)
    ///     }
    /// }
    /// let cancellable = Loud().onUndeliverable { print("too late:", $0) }.sink { print($0) }
    /// // too late: value(7)
    /// ```
    ///
    /// A publisher that respects the contract sends nothing after `cancel()`, except for an event that another thread
    /// is already delivering. So this operator reports races, and publishers that break the contract. A late failure
    /// would otherwise be lost. Without this operator it is dropped, at no cost.
    ///
    /// - **Demand** and **Completion**: forwarded.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives. The closure is called on
    ///   the thread that sends too late, possibly by several threads at a time.
    /// - **Complexity**: one atomic load per value.
    ///
    /// - Parameter report: Called with each event that is dropped, on the thread that sends it.
    @preconcurrency @inlinable public func onUndeliverable(
        _ report: @escaping @Sendable (Event<Output, Failure>) -> Void
    ) -> Publishers.UndeliverableWatched<Self> {
        Publishers.UndeliverableWatched(upstream: self, report: report)
    }
}

extension Publishers {
    /// A publisher that reports events that arrive too late to be delivered.
    public struct UndeliverableWatched<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Called with each event that is dropped.
        public let report: @Sendable (Event<Output, Failure>) -> Void

        /// Creates the publisher that `onUndeliverable(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, report: @escaping @Sendable (Event<Output, Failure>) -> Void
        ) {
            self.upstream = upstream
            self.report = report
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: ObservingConduit(name: "Undeliverable", DropObserver(report), subscriber))
        }
    }
}

extension Publishers.UndeliverableWatched: Sendable where Upstream: Sendable {}

/// Reports what arrives after the end.
@usableFromInline struct DropObserver<Value, Failure: Error>: StreamObserver {
    @usableFromInline let report: (Event<Value, Failure>) -> Void

    @inlinable init(_ report: @escaping (Event<Value, Failure>) -> Void) { self.report = report }

    @inlinable func dropped(_ value: Value) { report(.value(value)) }

    @inlinable func dropped(completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .finished: report(.finished)
        case .failure(let failure): report(.failure(failure))
        }
    }
}
