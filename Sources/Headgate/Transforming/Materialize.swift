import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes what this publisher says, the end too, as values of a stream that never fails.
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
    /// - **Demand**: passed on as it is. The event of the end needs demand as every other, and waits for it.
    /// - **Completion**: finishes after the event of the end.
    /// - **Complexity**: constant time a value.
    @inlinable public func materialize() -> Publishers.Materialize<Self> {
        Publishers.Materialize(upstream: self)
    }
}

extension Publishers {
    /// A publisher of what another one says.
    public struct Materialize<Upstream: Publisher>: Publisher {
        /// What upstream says.
        public typealias Output = Event<Upstream.Output, Upstream.Failure>

        /// None: a failure is an event.
        public typealias Failure = Never

        /// The publisher that is quoted.
        public let upstream: Upstream

        /// Makes the publisher that `materialize()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Never>) {
            upstream.receive(
                subscriber: TailConduit(MaterializeTail<Upstream.Output, Upstream.Failure>(), subscriber))
        }
    }
}

extension Publishers.Materialize: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Materialize: Equatable where Upstream: Equatable {}

/// Puts the event of the end after the others.
@usableFromInline struct MaterializeTail<Input, InputFailure: Error>: Tail {
    @inlinable init() {}

    @inlinable var name: StaticString { "Materialize" }

    @inlinable mutating func receive(_ input: Input) -> Event<Input, InputFailure>? { .value(input) }

    @inlinable func end(
        _ completion: Subscribers.Completion<InputFailure>
    ) -> (last: Event<Input, InputFailure>?, completion: Subscribers.Completion<Never>) {
        switch completion {
        case .finished: (.finished, .finished)
        case .failure(let failure): (.failure(failure), .finished)
        }
    }
}
