import HeadgateEngine

extension Publisher {
    /// Publishes values and the failure as results, in a stream that never fails.
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
    /// - **Demand**: forwarded. The result of a failure needs demand like any other, and waits for it.
    /// - **Completion**: finishes with upstream, after the result of a failure.
    /// - **Complexity**: constant time per value.
    /// - **Threads**: values are delivered on the thread on which upstream delivers.
    @inlinable public func mapToResult() -> AnyPublisher<Result<Output, Failure>, Never> {
        Publishers.MapToResult(upstream: self).eraseToAnyPublisher()
    }
}

extension Publishers {
    /// A publisher of upstream's values and failure, as results.
    public struct MapToResult<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Result<Upstream.Output, Upstream.Failure>

        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates the publisher that `mapToResult()` erases.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Never>) {
            upstream.receive(
                subscriber: TailConduit(MapToResultTail<Upstream.Output, Upstream.Failure>(), subscriber))
        }
    }
}

extension Publishers.MapToResult: Sendable where Upstream: Sendable {}

extension Publishers.MapToResult: Equatable where Upstream: Equatable {}

/// Appends the result of a failure.
@usableFromInline struct MapToResultTail<Input, InputFailure: Error>: Tail {
    @usableFromInline typealias Failure = Never

    @inlinable init() {}

    @inlinable var name: StaticString { "MapToResult" }

    @inlinable mutating func receive(_ input: Input) -> Result<Input, InputFailure>? { .success(input) }

    @inlinable func finalValue(before completion: Subscribers.Completion<InputFailure>) -> Result<Input, InputFailure>?
    {
        if case .failure(let failure) = completion { .failure(failure) } else { nil }
    }
}
