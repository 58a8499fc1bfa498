import HeadgateEngine

extension Publisher {
    /// Publishes the values and the completion of this publisher as events, in a stream that never fails.
    ///
    /// ```
    /// self         1---2---x
    /// materialize
    ///              1---2---(x|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher
    ///     .materialize()
    ///     .sink { print($0) }
    /// // value(1)
    /// // value(2)
    /// // finished
    /// ```
    ///
    /// - **Demand**: forwarded. The event of the completion needs demand like any other, and waits for it.
    /// - **Completion**: finishes after the event of the completion.
    /// - **Complexity**: constant time per value.
    /// - **Threads**: values are delivered on the thread on which upstream delivers.
    @inlinable public func materialize() -> Publishers.Materialize<Self> {
        Publishers.Materialize(upstream: self)
    }
}

extension Publishers {
    /// A publisher of upstream's values and completion, as events.
    public struct Materialize<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Event<Upstream.Output, Upstream.Failure>

        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates the publisher that `materialize()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Never>) {
            upstream.receive(
                subscriber: TailConduit(MaterializeTail<Upstream.Output, Upstream.Failure>(), subscriber))
        }
    }
}

extension Publishers.Materialize: Sendable where Upstream: Sendable {}

extension Publishers.Materialize: Equatable where Upstream: Equatable {}

/// Appends the event of the completion.
@usableFromInline struct MaterializeTail<Input, InputFailure: Error>: Tail {
    @usableFromInline typealias Failure = Never

    @inlinable init() {}

    @inlinable var name: StaticString { "Materialize" }

    @inlinable mutating func receive(_ input: Input) -> Event<Input, InputFailure>? { .value(input) }

    @inlinable func finalValue(before completion: Subscribers.Completion<InputFailure>) -> Event<Input, InputFailure>? {
        switch completion {
        case .finished: .finished
        case .failure(let failure): .failure(failure)
        }
    }
}
