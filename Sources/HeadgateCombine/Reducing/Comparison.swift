import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the greatest value, as a closure sees it, when upstream finishes.
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
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result; a failure is passed on, and there is no result. Of no values
    ///   there is none.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter areInIncreasingOrder: Tells of two values whether the second is greater. Of equal ones the first is
    ///   published. Called on the thread that delivers.
    @inlinable public func max(by areInIncreasingOrder: @escaping StreamClosure<Output, Output, Bool>)
        -> Publishers.Comparison<Self>
    {
        Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
    }

    /// Publishes the greatest value, as a closure sees it, when upstream finishes; where it throws, the stream fails
    /// with that error.
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
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result; a failure is passed on, and there is no result. An error that the
    ///   closure throws cancels upstream and ends the stream.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter areInIncreasingOrder: Tells of two values whether the second is greater. Of equal ones the first is
    ///   published. Called on the thread that delivers.
    @inlinable public func tryMax(
        by areInIncreasingOrder: @escaping ThrowingStreamClosure<Output, Output, Bool>
    ) -> Publishers.TryComparison<Self> {
        Publishers.TryComparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
    }

    /// Publishes the least value, as a closure sees it, when upstream finishes.
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
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result; a failure is passed on, and there is no result. Of no values
    ///   there is none.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter areInIncreasingOrder: Tells of two values whether the second is greater. Of equal ones the first is
    ///   published. Called on the thread that delivers.
    @inlinable public func min(by areInIncreasingOrder: @escaping StreamClosure<Output, Output, Bool>)
        -> Publishers.Comparison<Self>
    {
        Publishers.Comparison(upstream: self) { areInIncreasingOrder($1, $0) }
    }

    /// Publishes the least value, as a closure sees it, when upstream finishes; where it throws, the stream fails with
    /// that error.
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
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result; a failure is passed on, and there is no result. An error that the
    ///   closure throws cancels upstream and ends the stream.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter areInIncreasingOrder: Tells of two values whether the second is greater. Of equal ones the first is
    ///   published. Called on the thread that delivers.
    @inlinable public func tryMin(
        by areInIncreasingOrder: @escaping ThrowingStreamClosure<Output, Output, Bool>
    ) -> Publishers.TryComparison<Self> {
        Publishers.TryComparison(upstream: self) { try areInIncreasingOrder($1, $0) }
    }
}

extension Publisher where Output: Comparable & StrictlySendableMetatype {
    /// Publishes the greatest value, when upstream finishes.
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
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result; a failure is passed on, and there is no result. Of no values
    ///   there is none.
    /// - **Complexity**: one comparison a value.
    @inlinable public func max() -> Publishers.Comparison<Self> {
        max { $0 < $1 }
    }

    /// Publishes the least value, when upstream finishes.
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
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result; a failure is passed on, and there is no result. Of no values
    ///   there is none.
    /// - **Complexity**: one comparison a value.
    @inlinable public func min() -> Publishers.Comparison<Self> {
        min { $0 < $1 }
    }
}

extension Publishers {
    /// A publisher of that value of another publisher than which none is greater in some order.
    public struct Comparison<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are compared.
        public let upstream: Upstream

        /// Tells of two values whether the second is greater.
        public let areInIncreasingOrder: StreamClosure<Upstream.Output, Upstream.Output, Bool>

        /// Makes the publisher that `max(by:)` returns.
        @inlinable public init(
            upstream: Upstream, areInIncreasingOrder: @escaping StreamClosure<Upstream.Output, Upstream.Output, Bool>
        ) {
            self.upstream = upstream
            self.areInIncreasingOrder = areInIncreasingOrder
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let fold = ComparisonFold<Output, Failure>(areInIncreasingOrder: areInIncreasingOrder)
            upstream.receive(subscriber: FoldConduit(fold, subscriber))
        }
    }

    /// A publisher of that value of another publisher than which a throwing closure finds none greater.
    public struct TryComparison<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// Any error: those of upstream and those that the closure throws.
        public typealias Failure = any Error

        /// The publisher whose values are compared.
        public let upstream: Upstream

        /// Tells of two values whether the second is greater.
        public let areInIncreasingOrder: ThrowingStreamClosure<Upstream.Output, Upstream.Output, Bool>

        /// Makes the publisher that `tryMax(by:)` returns.
        @inlinable public init(
            upstream: Upstream,
            areInIncreasingOrder: @escaping ThrowingStreamClosure<Upstream.Output, Upstream.Output, Bool>
        ) {
            self.upstream = upstream
            self.areInIncreasingOrder = areInIncreasingOrder
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let fold = TryComparisonFold<Output, Upstream.Failure>(areInIncreasingOrder: areInIncreasingOrder)
            upstream.receive(subscriber: FoldConduit(fold, subscriber))
        }
    }
}

extension Publishers.Comparison: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.TryComparison: StrictlySendable where Upstream: StrictlySendable {}

/// Keeps the greatest value so far.
@usableFromInline struct ComparisonFold<Input, Failure: Error>: Fold {
    @usableFromInline let areInIncreasingOrder: (Input, Input) -> Bool

    @usableFromInline var greatest: Input?

    @inlinable init(areInIncreasingOrder: @escaping (Input, Input) -> Bool) {
        self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable var name: StaticString { "Comparison" }

    @inlinable var hasResult: Bool { greatest != nil }

    @inlinable mutating func receive(_ input: Input) -> FoldResult<Failure> {
        if let greatest, !areInIncreasingOrder(greatest, input) { return .more }
        greatest = input
        return .more
    }

    @inlinable func result() -> Input { greatest.unsafelyUnwrapped }
}

/// Keeps the greatest value so far, as a throwing closure sees it.
@usableFromInline struct TryComparisonFold<Input, InputFailure: Error>: ThrowingFold {
    @usableFromInline let areInIncreasingOrder: (Input, Input) throws -> Bool

    @usableFromInline var greatest: Input?

    @inlinable init(areInIncreasingOrder: @escaping (Input, Input) throws -> Bool) {
        self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable var name: StaticString { "TryComparison" }

    @inlinable var hasResult: Bool { greatest != nil }

    @inlinable mutating func attempt(_ input: Input) throws -> Bool {
        if let greatest, try !areInIncreasingOrder(greatest, input) { return false }
        greatest = input
        return false
    }

    @inlinable func result() -> Input { greatest.unsafelyUnwrapped }
}
