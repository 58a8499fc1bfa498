import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Collection where Element: Publisher {
    /// Publishes the values of these publishers, each of which is in order, so that all of them are.
    ///
    /// ```
    /// self         1-----4-----7--|
    /// other        ---2-----5-----|
    /// mergeSorted  ---1--2--4--5--(7|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = [[1, 4, 5], [2, 3, 9]].map(\.publisher)
    ///     .mergeSorted(by: <)
    ///     .collect()
    ///     .sink { print($0) }
    /// // [1, 2, 3, 4, 5, 9]
    /// ```
    ///
    /// Which value is next is known when there is one of each publisher that has not ended. Of equal values, that of the
    /// publisher that stands first comes first. Where a publisher is not in order, neither is the result.
    ///
    /// - **Demand**: each publisher is requested one value, and the next when that one has been delivered and more is
    ///   wanted. So at most one of each waits.
    /// - **Completion**: finishes when all have finished, at once if there are none. Fails at once when any of them does,
    ///   and cancels the others.
    /// - **Complexity**: a time in proportion to the number of publishers per value; memory for one value of each.
    ///
    /// - Parameter areInIncreasingOrder: Whether the first value comes before the second. Called on the thread that delivers.
    @inlinable public func mergeSorted(
        by areInIncreasingOrder: @escaping StreamClosure<Element.Output, Element.Output, Bool>
    ) -> Publishers.MergeSorted<Element> {
        Publishers.MergeSorted(Array(self), by: areInIncreasingOrder)
    }
}

extension Publisher {
    /// Publishes the values of this publisher and of others, each of which is in order, so that all of them are.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `mergeSorted(by:)` on a collection of publishers.
    ///
    /// - Parameters:
    ///   - others: The other publishers.
    ///   - areInIncreasingOrder: Whether the first value comes before the second.
    @inlinable public func mergeSorted(
        with others: Self..., by areInIncreasingOrder: @escaping StreamClosure<Output, Output, Bool>
    ) -> Publishers.MergeSorted<Self> {
        Publishers.MergeSorted([self] + others, by: areInIncreasingOrder)
    }
}

extension Publishers {
    /// A publisher of the values of publishers that are in order, in order.
    public struct MergeSorted<Upstream: Publisher>: Publisher {
        /// The values of all publishers.
        public typealias Output = Upstream.Output

        /// The errors of all publishers.
        public typealias Failure = Upstream.Failure

        /// The publishers.
        public let publishers: [Upstream]

        /// Whether the first value comes before the second.
        public let areInIncreasingOrder: StreamClosure<Output, Output, Bool>

        /// Makes the publisher that `mergeSorted(by:)` returns.
        @inlinable public init(
            _ publishers: [Upstream], by areInIncreasingOrder: @escaping StreamClosure<Output, Output, Bool>
        ) {
            self.publishers = publishers
            self.areInIncreasingOrder = areInIncreasingOrder
        }

        /// Connects a subscriber to all publishers.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            SortedConduit.connect(publishers, by: areInIncreasingOrder, to: subscriber)
        }
    }
}

extension Publishers.MergeSorted: StrictlySendable where Upstream: StrictlySendable {}
