import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the number of values, when upstream finishes.
    ///
    /// ```
    /// self      a---b---c---|
    /// count
    ///           ------------(3|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["a", "b", "c"].publisher
    ///     .count()
    ///     .sink { print($0) }
    /// // 3
    /// ```
    ///
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result; a failure is passed on, and there is no result.
    /// - **Complexity**: constant time a value.
    @inlinable public func count() -> Publishers.Count<Self> {
        Publishers.Count(upstream: self)
    }
}

extension Publishers {
    /// A publisher of the number of values of another publisher.
    public struct Count<Upstream: Publisher>: Publisher {
        /// A number of values.
        public typealias Output = Int

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are counted.
        public let upstream: Upstream

        /// Makes the publisher that `count()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: FoldConduit(CountFold<Upstream.Output, Failure>(), subscriber))
        }
    }
}

extension Publishers.Count: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Count: Equatable where Upstream: Equatable {}

/// Counts.
@usableFromInline struct CountFold<Input, Failure: Error>: Fold {
    @usableFromInline var count = 0

    @inlinable init() {}

    @inlinable var name: StaticString { "Count" }

    @inlinable var hasResult: Bool { true }

    @inlinable mutating func receive(_ input: Input) -> FoldResult<Failure> {
        count += 1
        return .more
    }

    @inlinable func result() -> Int { count }
}
