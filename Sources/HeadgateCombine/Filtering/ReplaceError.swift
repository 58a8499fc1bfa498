import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Passes everything on, and publishes a value of your choice in the place of a failure.
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
    /// - **Demand**: passed on as it is. The value of your choice waits until it has been asked for.
    /// - **Completion**: finishes where upstream does, and behind the value of your choice where upstream fails.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameter output: What to publish in the place of a failure.
    @inlinable public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
        Publishers.ReplaceError(upstream: self, output: output)
    }
}

extension Publishers {
    /// A publisher of the values of another publisher, and of one more where that fails.
    public struct ReplaceError<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// There are no errors.
        public typealias Failure = Never

        /// What is published in the place of a failure.
        public let output: Output

        /// The publisher that may fail.
        public let upstream: Upstream

        /// Makes the publisher that `replaceError(with:)` returns.
        @inlinable public init(upstream: Upstream, output: Output) {
            self.upstream = upstream
            self.output = output
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(
                subscriber: TailConduit(ReplaceErrorTail<Output, Upstream.Failure>(last: output), subscriber))
        }
    }
}

extension Publishers.ReplaceError: StrictlySendable
where Upstream.Output: StrictlySendable, Upstream: StrictlySendable {}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

/// Puts the value after the end of a stream that fails.
@usableFromInline struct ReplaceErrorTail<Output, InputFailure: Error>: Tail {
    @usableFromInline let last: Output

    @inlinable init(last: Output) { self.last = last }

    @inlinable var name: StaticString { "ReplaceError" }

    @inlinable mutating func receive(_ input: Output) -> Output? { input }

    @inlinable func end(
        _ completion: Subscribers.Completion<InputFailure>
    ) -> (last: Output?, completion: Subscribers.Completion<Never>) {
        switch completion {
        case .finished: (nil, .finished)
        case .failure: (last, .finished)
        }
    }
}
