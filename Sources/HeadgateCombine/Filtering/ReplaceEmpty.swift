import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Passes everything on, and publishes a value of your choice where the stream finishes without one.
    ///
    /// ```
    /// self          ----|
    /// replaceEmpty  0
    ///               ----(0|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = [Int]().publisher
    ///     .replaceEmpty(with: 0)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 0
    /// // finished
    /// ```
    ///
    /// - **Demand**: passed on as it is. The value of your choice waits until it has been asked for.
    /// - **Completion**: passed on as it is, behind the value of your choice.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameter output: What to publish where there is nothing else.
    @inlinable public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
        Publishers.ReplaceEmpty(upstream: self, output: output)
    }
}

extension Publishers {
    /// A publisher of the values of another publisher, or of one value where there are none.
    public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// What is published where there is nothing else.
        public let output: Output

        /// The publisher that may be empty.
        public let upstream: Upstream

        /// Makes the publisher that `replaceEmpty(with:)` returns.
        @inlinable public init(upstream: Upstream, output: Output) {
            self.upstream = upstream
            self.output = output
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: TailConduit(ReplaceEmptyTail<Output, Failure>(last: output), subscriber))
        }
    }
}

extension Publishers.ReplaceEmpty: StrictlySendable
where Upstream.Output: StrictlySendable, Upstream: StrictlySendable {}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

/// Puts the value after the end of a stream without values.
@usableFromInline struct ReplaceEmptyTail<Output, Failure: Error>: Tail {
    @usableFromInline let last: Output

    @usableFromInline var isEmpty = true

    @inlinable init(last: Output) { self.last = last }

    @inlinable var name: StaticString { "ReplaceEmpty" }

    @inlinable mutating func receive(_ input: Output) -> Output? {
        isEmpty = false
        return input
    }

    @inlinable func end(
        _ completion: Subscribers.Completion<Failure>
    ) -> (last: Output?, completion: Subscribers.Completion<Failure>) {
        if case .finished = completion, isEmpty { return (last, completion) }
        return (nil, completion)
    }
}
