import HeadgateEngine

extension Publisher {
    /// Publishes whether all values satisfy a predicate, as soon as that is known.
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
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: cancels upstream as soon as the result is known, and finishes after it. A failure is
    ///   forwarded.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream delivers the deciding value, or completes, or on that of the first request, whichever
    ///   comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter predicate: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func allSatisfy(_ predicate: @escaping @Sendable (Output) -> Bool)
        -> Publishers.AllSatisfy<Self>
    {
        Publishers.AllSatisfy(upstream: self, predicate: predicate)
    }

    /// Publishes whether all values satisfy a throwing predicate, as soon as that is known, and fails if it throws.
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
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: cancels upstream as soon as the result is known, and finishes after it. A failure is
    ///   forwarded. An error that the closure throws cancels upstream and fails the stream.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream delivers the deciding value, or completes, or on that of the first request, whichever
    ///   comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter predicate: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func tryAllSatisfy(_ predicate: @escaping @Sendable (Output) throws -> Bool)
        -> Publishers.TryAllSatisfy<Self>
    {
        Publishers.TryAllSatisfy(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of whether all values of upstream satisfy a predicate.
    public struct AllSatisfy<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Bool
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Creates the publisher that `allSatisfy(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) -> Bool
        ) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: MatchFold(name: "AllSatisfy", decidesOn: false, predicate), to: subscriber)
        }
    }

    /// A publisher of whether all values of upstream satisfy a throwing predicate.
    public struct TryAllSatisfy<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Bool
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Creates the publisher that `tryAllSatisfy(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) throws -> Bool
        ) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: TryMatchFold(name: "TryAllSatisfy", decidesOn: false, predicate), to: subscriber)
        }
    }
}

extension Publishers.AllSatisfy: Sendable where Upstream: Sendable {}

extension Publishers.TryAllSatisfy: Sendable where Upstream: Sendable {}
