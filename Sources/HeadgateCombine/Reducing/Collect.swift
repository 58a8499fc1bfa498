import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes one array of all values, when upstream finishes.
    ///
    /// ```
    /// self      1---2---3---|
    /// collect
    ///           ------------([1, 2, 3]|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .collect()
    ///     .sink { print($0) }
    /// // [1, 2, 3]
    /// ```
    ///
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result; a failure is passed on, and there is no result. Of no values
    ///   the array is empty.
    /// - **Complexity**: amortised constant time a value. All values are kept until upstream finishes.
    @inlinable public func collect() -> Publishers.Collect<Self> {
        Publishers.Collect(upstream: self)
    }
}

extension Publishers {
    /// A publisher of one array of all values of another publisher.
    public struct Collect<Upstream: Publisher>: Publisher {
        /// An array of values of upstream.
        public typealias Output = [Upstream.Output]

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are collected.
        public let upstream: Upstream

        /// Makes the publisher that `collect()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: FoldConduit(CollectFold<Upstream.Output, Failure>(), subscriber))
        }
    }
}

extension Publishers.Collect: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Collect: Equatable where Upstream: Equatable {}

/// Keeps every value.
@usableFromInline struct CollectFold<Input, Failure: Error>: Fold {
    @usableFromInline var values: [Input] = []

    @inlinable init() {}

    @inlinable var name: StaticString { "Collect" }

    @inlinable var hasResult: Bool { true }

    @inlinable mutating func receive(_ input: Input) -> FoldResult<Failure> {
        values.append(input)
        return .more
    }

    @inlinable func result() -> [Input] { values }
}
