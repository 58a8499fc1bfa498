import HeadgateEngine

extension Publisher {
    /// Publishes the maximum value under a given ordering, when upstream finishes.
    ///
    /// ```
    /// self      "bb"--"a"--"ccc"---|
    /// max       by length
    ///           -------------------("ccc"|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["bb", "a", "ccc"].publisher
    ///     .max { $0.count < $1.count }
    ///     .sink { print($0) }
    /// // ccc
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: finishes after the result. A failure is forwarded without a result. An empty stream has no
    ///   result.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream completes, or on that of the first request, whichever comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter areInIncreasingOrder: Returns whether its second argument is greater than its first. Of equal values,
    ///   the first is published. Called on the thread that delivers.
    @preconcurrency @inlinable public func max(by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool)
        -> Publishers.Comparison<Self>
    {
        Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
    }

    /// Publishes the maximum value under a throwing ordering, when upstream finishes, and fails if it throws.
    ///
    /// ```
    /// self      1---2---0---3---|
    /// tryMax    no zero
    ///           --------x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 2, 0].publisher
    ///     .tryMax { a, b in
    ///         if a == 0 || b == 0 { throw Zero() }
    ///         return a < b
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: finishes after the result. A failure is forwarded without a result. An error that the closure
    ///   throws cancels upstream and fails the stream.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream completes, or on that of the first request, whichever comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter areInIncreasingOrder: Returns whether its second argument is greater than its first. Of equal values,
    ///   the first is published. Called on the thread that delivers.
    @preconcurrency @inlinable public func tryMax(
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool
    ) -> Publishers.TryComparison<Self> {
        Publishers.TryComparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
    }

    /// Publishes the minimum value under a given ordering, when upstream finishes.
    ///
    /// ```
    /// self      "bb"--"a"--"ccc"---|
    /// min       by length
    ///           -------------------("a"|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["bb", "a", "ccc"].publisher
    ///     .min { $0.count < $1.count }
    ///     .sink { print($0) }
    /// // a
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: finishes after the result. A failure is forwarded without a result. An empty stream has no
    ///   result.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream completes, or on that of the first request, whichever comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter areInIncreasingOrder: Returns whether its second argument is greater than its first. Of equal values,
    ///   the first is published. Called on the thread that delivers.
    @preconcurrency @inlinable public func min(by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool)
        -> Publishers.Comparison<Self>
    {
        Publishers.Comparison(upstream: self) { areInIncreasingOrder($1, $0) }
    }

    /// Publishes the minimum value under a throwing ordering, when upstream finishes, and fails if it throws.
    ///
    /// ```
    /// self      1---2---0---3---|
    /// tryMin    no zero
    ///           --------x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 2, 0].publisher
    ///     .tryMin { a, b in
    ///         if a == 0 || b == 0 { throw Zero() }
    ///         return a < b
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: finishes after the result. A failure is forwarded without a result. An error that the closure
    ///   throws cancels upstream and fails the stream.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream completes, or on that of the first request, whichever comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter areInIncreasingOrder: Returns whether its second argument is greater than its first. Of equal values,
    ///   the first is published. Called on the thread that delivers.
    @preconcurrency @inlinable public func tryMin(
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool
    ) -> Publishers.TryComparison<Self> {
        Publishers.TryComparison(upstream: self) { try areInIncreasingOrder($1, $0) }
    }
}

extension Publisher where Output: Comparable & SendableMetatype {
    /// Publishes the maximum value when upstream finishes.
    ///
    /// ```
    /// self      2---1---3---|
    /// max
    ///           ------------(3|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = [2, 1, 3].publisher
    ///     .max()
    ///     .sink { print($0) }
    /// // 3
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: finishes after the result. A failure is forwarded without a result. An empty stream has no
    ///   result.
    /// - **Threads**: values are compared on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream completes, or on that of the first request, whichever comes later.
    /// - **Complexity**: one comparison per value.
    @preconcurrency @inlinable public func max() -> Publishers.Comparison<Self> {
        max { $0 < $1 }
    }

    /// Publishes the minimum value when upstream finishes.
    ///
    /// ```
    /// self      2---1---3---|
    /// min
    ///           ------------(1|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = [2, 1, 3].publisher
    ///     .min()
    ///     .sink { print($0) }
    /// // 1
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: finishes after the result. A failure is forwarded without a result. An empty stream has no
    ///   result.
    /// - **Threads**: values are compared on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream completes, or on that of the first request, whichever comes later.
    /// - **Complexity**: one comparison per value.
    @preconcurrency @inlinable public func min() -> Publishers.Comparison<Self> {
        min { $0 < $1 }
    }
}

extension Publishers {
    /// A publisher of the maximum value under a given ordering.
    public struct Comparison<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that returns whether the second value is greater than the first.
        public let areInIncreasingOrder: @Sendable (Upstream.Output, Upstream.Output) -> Bool

        /// Creates the publisher that `max(by:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, areInIncreasingOrder: @escaping @Sendable (Upstream.Output, Upstream.Output) -> Bool
        ) {
            self.upstream = upstream
            self.areInIncreasingOrder = areInIncreasingOrder
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: NonthrowingFold(ComparisonFold(name: "Comparison", areInIncreasingOrder)), to: subscriber)
        }
    }

    /// A publisher of the maximum value under a throwing ordering.
    public struct TryComparison<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that returns whether the second value is greater than the first.
        public let areInIncreasingOrder: @Sendable (Upstream.Output, Upstream.Output) throws -> Bool

        /// Creates the publisher that `tryMax(by:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream,
            areInIncreasingOrder: @escaping @Sendable (Upstream.Output, Upstream.Output) throws -> Bool
        ) {
            self.upstream = upstream
            self.areInIncreasingOrder = areInIncreasingOrder
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: ComparisonFold(name: "TryComparison", areInIncreasingOrder), to: subscriber)
        }
    }
}

extension Publishers.Comparison: Sendable where Upstream: Sendable {}

extension Publishers.TryComparison: Sendable where Upstream: Sendable {}

/// Keeps the maximum so far.
@usableFromInline struct ComparisonFold<Input, InputFailure: Error>: ThrowingFold {
    @usableFromInline let name: StaticString

    @usableFromInline let areInIncreasingOrder: (Input, Input) throws -> Bool

    @usableFromInline var greatest: Input?

    @inlinable init(name: StaticString, _ areInIncreasingOrder: @escaping (Input, Input) throws -> Bool) {
        self.name = name
        self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable var hasResult: Bool { greatest != nil }

    @inlinable mutating func attempt(_ input: Input) throws -> Bool {
        if let greatest, try !areInIncreasingOrder(greatest, input) { return false }
        greatest = input
        return false
    }

    @inlinable func result() -> Input { greatest.unsafelyUnwrapped }
}
