import HeadgateEngine

extension Publisher {
    /// Forwards all values, or publishes a given value if upstream finishes without any.
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
    /// - **Demand**: forwarded unchanged. The replacement waits for demand.
    /// - **Completion**: forwarded, after the replacement if there is one.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it; the replacement on
    ///   that on which upstream completes, or of the request that it has waited for.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter output: The value to publish if upstream is empty.
    @inlinable public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
        Publishers.ReplaceEmpty(upstream: self, output: output)
    }
}

extension Publishers {
    /// A publisher of the values of upstream, or of one value if upstream is empty.
    public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The value that is published if upstream is empty.
        public let output: Output

        /// The upstream publisher, which may be empty.
        public let upstream: Upstream

        /// Creates the publisher that `replaceEmpty(with:)` returns.
        @inlinable public init(upstream: Upstream, output: Output) {
            self.upstream = upstream
            self.output = output
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: TailConduit(ReplaceEmptyTail(last: output), subscriber))
        }
    }
}

extension Publishers.ReplaceEmpty: Sendable where Upstream.Output: Sendable, Upstream: Sendable {}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

/// Appends the replacement to a stream without values.
@usableFromInline struct ReplaceEmptyTail<Output, Failure: Error>: Tail {
    @usableFromInline let last: Output

    @usableFromInline var isEmpty = true

    @inlinable init(last: Output) { self.last = last }

    @inlinable var name: StaticString { "ReplaceEmpty" }

    @inlinable mutating func receive(_ input: Output) -> Output? {
        isEmpty = false
        return input
    }

    @inlinable func finalValue(before completion: Subscribers.Completion<Failure>) -> Output? {
        if case .finished = completion, isEmpty { last } else { nil }
    }
}
