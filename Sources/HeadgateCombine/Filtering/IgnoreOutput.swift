import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the completion alone.
    ///
    /// ```
    /// self          1---2---3---|
    /// ignoreOutput
    ///               ------------|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .ignoreOutput()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { _ in })
    /// // finished
    /// ```
    ///
    /// - **Demand**: upstream is asked for everything at once, for the completion may come only behind all values.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: constant time a value.
    @inlinable public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
        Publishers.IgnoreOutput(upstream: self)
    }
}

extension Publishers {
    /// A publisher of the completion of another publisher alone.
    public struct IgnoreOutput<Upstream: Publisher>: Publisher {
        /// There are no values.
        public typealias Output = Never

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are ignored.
        public let upstream: Upstream

        /// Makes the publisher that `ignoreOutput()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: DiscardingConduit<Upstream.Output, Output, Failure>(subscriber))
        }
    }
}

extension Publishers.IgnoreOutput: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}
