import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes values and a failure as results, in a stream that never fails.
    ///
    /// ```
    /// self         1---2---x
    /// mapToResult
    ///              1---2---(x|)
    /// ```
    ///
    /// ```swift
    /// struct Problem: Error {}
    /// let cancellable = [1].publisher.setFailureType(to: Problem.self)
    ///     .append(Fail(error: Problem()))
    ///     .mapToResult()
    ///     .sink { print($0) }
    /// // success(1)
    /// // failure(main.Problem())
    /// ```
    ///
    /// - **Demand**: passed on as it is. The result of a failure needs demand as every other, and waits for it.
    /// - **Completion**: finishes with upstream, after the result of a failure.
    /// - **Complexity**: constant time a value.
    @inlinable public func mapToResult() -> AnyPublisher<Result<Output, Failure>, Never> where Self: StrictlySendable {
        Publishers.MapToResult(upstream: self).eraseToAnyPublisher()
    }
}

extension Publishers {
    /// A publisher of the values and the failure of another one, as results.
    public struct MapToResult<Upstream: Publisher>: Publisher {
        /// A value or the failure.
        public typealias Output = Result<Upstream.Output, Upstream.Failure>

        /// None: a failure is a result.
        public typealias Failure = Never

        /// The publisher that may fail.
        public let upstream: Upstream

        /// Makes the publisher that is in what `mapToResult()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Never>) {
            upstream.receive(
                subscriber: TailConduit(MapToResultTail<Upstream.Output, Upstream.Failure>(), subscriber))
        }
    }
}

extension Publishers.MapToResult: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.MapToResult: Equatable where Upstream: Equatable {}

/// Puts the result of a failure after the others.
@usableFromInline struct MapToResultTail<Input, InputFailure: Error>: Tail {
    @inlinable init() {}

    @inlinable var name: StaticString { "MapToResult" }

    @inlinable mutating func receive(_ input: Input) -> Result<Input, InputFailure>? { .success(input) }

    @inlinable func end(
        _ completion: Subscribers.Completion<InputFailure>
    ) -> (last: Result<Input, InputFailure>?, completion: Subscribers.Completion<Never>) {
        switch completion {
        case .finished: (nil, .finished)
        case .failure(let failure): (.failure(failure), .finished)
        }
    }
}
