import HeadgateEngine

extension Publisher {
    /// Forwards all values, and publishes a given value in place of a failure.
    ///
    /// ```
    /// self          1---2---x
    /// replaceError  0
    ///               1---2---(0|)
    /// ```
    ///
    /// ```swift
    /// struct Outage: Error {}
    /// let cancellable = Fail<Int, Outage>(error: Outage())
    ///     .replaceError(with: 0)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 0
    /// // finished
    /// ```
    ///
    /// - **Demand**: forwarded unchanged. The replacement waits for demand.
    /// - **Completion**: finishes when upstream finishes, or after the replacement when upstream fails.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it; the replacement on
    ///   that on which upstream fails, or of the request that it has waited for.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter output: The value to publish in place of a failure.
    @inlinable public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
        Publishers.ReplaceError(upstream: self, output: output)
    }
}

extension Publishers {
    /// A publisher of the values of upstream, and of one more in place of a failure.
    public struct ReplaceError<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        /// The value that is published in place of a failure.
        public let output: Output

        /// The upstream publisher, which may fail.
        public let upstream: Upstream

        /// Creates the publisher that `replaceError(with:)` returns.
        @inlinable public init(upstream: Upstream, output: Output) {
            self.upstream = upstream
            self.output = output
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: TailConduit(ReplaceErrorTail(last: output), subscriber))
        }
    }
}

extension Publishers.ReplaceError: Sendable where Upstream.Output: Sendable, Upstream: Sendable {}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

/// Appends the replacement to a stream that fails.
@usableFromInline struct ReplaceErrorTail<Output, InputFailure: Error>: Tail {
    @usableFromInline typealias Failure = Never

    @usableFromInline let last: Output

    @inlinable init(last: Output) { self.last = last }

    @inlinable var name: StaticString { "ReplaceError" }

    @inlinable mutating func receive(_ input: Output) -> Output? { input }

    @inlinable func finalValue(before completion: Subscribers.Completion<InputFailure>) -> Output? {
        if case .failure = completion { last } else { nil }
    }
}
