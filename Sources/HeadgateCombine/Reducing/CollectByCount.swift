import HeadgateEngine

extension Publisher {
    /// Publishes arrays of `count` values, and any remainder when upstream finishes.
    ///
    /// ```
    /// self      1---2---3---4---5---|
    /// collect   2
    ///           ----[1,2]---[3,4]---([5]|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...5).publisher
    ///     .collect(2)
    ///     .sink { print($0) }
    /// // [1, 2]
    /// // [3, 4]
    /// // [5]
    /// ```
    ///
    /// - **Demand**: requests `count` values from upstream for each requested array. So any remainder at the end
    ///   belongs to an array that has been requested, and is published without exceeding demand.
    /// - **Completion**: finishes after the remainder. A failure is forwarded at once and drops the remainder.
    /// - **Threads**: upstream's: an array is delivered on the thread on which upstream delivers its last value, the
    ///   remainder on that on which upstream completes, or of the request that it has waited for.
    /// - **Complexity**: amortised constant time per value.
    ///
    /// - Parameter count: The number of values per array. Zero or a negative number traps.
    @inlinable public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
        Publishers.CollectByCount(upstream: self, count: count)
    }
}

extension Publishers {
    /// A publisher of arrays of a fixed number of upstream's values.
    public struct CollectByCount<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = [Upstream.Output]
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The number of values in each array except the last.
        public let count: Int

        /// Creates the publisher that `collect(_:)` returns.
        @inlinable public init(upstream: Upstream, count: Int) {
            require(
                count >= 1, rule: "An array of collected values must hold at least one.", found: "collect(\(count))",
                remedy: "Use a count above zero.")
            self.upstream = upstream
            self.count = count
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: TailConduit(CollectByCountTail(count: count), subscriber))
        }
    }
}

extension Publishers.CollectByCount: Sendable where Upstream: Sendable {}

extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}

/// Collects values until an array is full; the remainder follows the end of upstream.
@usableFromInline struct CollectByCountTail<Input, Failure: Error>: Tail {
    @usableFromInline let inputsPerOutput: Int

    @usableFromInline var values: [Input] = []

    @inlinable init(count: Int) { inputsPerOutput = count }

    @inlinable var name: StaticString { "CollectByCount" }

    @inlinable mutating func receive(_ input: Input) -> [Input]? {
        if values.isEmpty { values.reserveCapacity(min(inputsPerOutput, 64)) }
        values.append(input)
        return values.count < inputsPerOutput ? nil : exchange(&values, with: [])
    }

    @inlinable func finalValue(before completion: Subscribers.Completion<Failure>) -> [Input]? {
        if case .finished = completion, !values.isEmpty { values } else { nil }
    }
}
