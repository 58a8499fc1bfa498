import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes whether a closure answers true for every value, as soon as that is known.
    ///
    /// ```
    /// self        2---3---4---|
    /// allSatisfy  even
    ///             ----(false|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (2...4).publisher
    ///     .allSatisfy { $0.isMultiple(of: 2) }
    ///     .sink { print($0) }
    /// // false
    /// ```
    ///
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result, and cancels upstream as soon as it is known; a failure is passed
    ///   on.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter predicate: Decides on each value. Called on the thread that delivers.
    @inlinable public func allSatisfy(_ predicate: @escaping StreamClosure<Output, Bool>) -> Publishers.AllSatisfy<Self>
    {
        Publishers.AllSatisfy(upstream: self, predicate: predicate)
    }

    /// Publishes whether a closure answers true for every value, as soon as that is known; where it throws, the stream
    /// fails with that error.
    ///
    /// ```
    /// self           2---0---3---|
    /// tryAllSatisfy  even, but no zero
    ///                ----x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [2, 0, 3].publisher
    ///     .tryAllSatisfy { number in
    ///         if number == 0 { throw Zero() }
    ///         return number.isMultiple(of: 2)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result, and cancels upstream as soon as it is known; a failure is passed
    ///   on. An error that the closure throws cancels upstream and ends the stream.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter predicate: Decides on each value. Called on the thread that delivers.
    @inlinable public func tryAllSatisfy(_ predicate: @escaping ThrowingStreamClosure<Output, Bool>)
        -> Publishers.TryAllSatisfy<Self>
    {
        Publishers.TryAllSatisfy(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of whether a closure answers true for every value of another publisher.
    public struct AllSatisfy<Upstream: Publisher>: Publisher {
        /// Whether all values are such.
        public typealias Output = Bool

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are looked at.
        public let upstream: Upstream

        /// What decides on each value.
        public let predicate: StreamClosure<Upstream.Output, Bool>

        /// Makes the publisher that `allSatisfy(_:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping StreamClosure<Upstream.Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let fold = MatchFold<Upstream.Output, Failure>(name: "AllSatisfy", decidesOn: false, predicate)
            upstream.receive(subscriber: FoldConduit(fold, subscriber))
        }
    }

    /// A publisher of whether a throwing closure answers true for every value of another publisher.
    public struct TryAllSatisfy<Upstream: Publisher>: Publisher {
        /// Whether all values are such.
        public typealias Output = Bool

        /// Any error: those of upstream and those that the closure throws.
        public typealias Failure = any Error

        /// The publisher whose values are looked at.
        public let upstream: Upstream

        /// What decides on each value.
        public let predicate: ThrowingStreamClosure<Upstream.Output, Bool>

        /// Makes the publisher that `tryAllSatisfy(_:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping ThrowingStreamClosure<Upstream.Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let fold = TryMatchFold<Upstream.Output, Upstream.Failure>(
                name: "TryAllSatisfy", decidesOn: false, predicate)
            upstream.receive(subscriber: FoldConduit(fold, subscriber))
        }
    }
}

extension Publishers.AllSatisfy: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.TryAllSatisfy: StrictlySendable where Upstream: StrictlySendable {}
