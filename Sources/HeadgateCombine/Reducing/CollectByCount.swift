import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes arrays of so many values each, and what is left when upstream finishes.
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
    /// - **Demand**: upstream is asked for `count` values for each array. So where values are left at the end, the
    ///   array that they were to be part of has been asked for, and they can be published without exceeding demand.
    /// - **Completion**: finishes behind what is left; a failure is passed on at once, and what is left is dropped.
    /// - **Complexity**: amortised constant time a value.
    ///
    /// - Parameter count: The number of values in each array. Less than one is a programmer's error and traps.
    @inlinable public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
        Publishers.CollectByCount(upstream: self, count: count)
    }
}

extension Publishers {
    /// A publisher of arrays of so many values each of another publisher.
    public struct CollectByCount<Upstream: Publisher>: Publisher {
        /// An array of values of upstream.
        public typealias Output = [Upstream.Output]

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are collected.
        public let upstream: Upstream

        /// The number of values in each array but the last.
        public let count: Int

        /// Makes the publisher that `collect(_:)` returns.
        @inlinable public init(upstream: Upstream, count: Int) {
            if count < 1 {
                programmerError(
                    rule: "An array of collected values holds one at the least.", found: "collect(\(count))",
                    remedy: "Use a count above zero.")
            }
            self.upstream = upstream
            self.count = count
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let tail = CollectByCountTail<Upstream.Output, Failure>(count: count)
            upstream.receive(subscriber: TailConduit(tail, subscriber))
        }
    }
}

extension Publishers.CollectByCount: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}

/// Keeps values until there are enough for an array; what is left comes after the end.
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

    @inlinable func end(
        _ completion: Subscribers.Completion<Failure>
    ) -> (last: [Input]?, completion: Subscribers.Completion<Failure>) {
        if case .finished = completion, !values.isEmpty { return (values, completion) }
        return (nil, completion)
    }
}
