import HeadgateEngine

extension Collection where Element: Publisher {
    /// Merges these publishers, each of which publishes in sorted order, into one sorted stream.
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
    /// The next value is known once every publisher that has not completed has published one. Equal values are
    /// published in the order of their publishers. If a publisher is not sorted, neither is the result.
    ///
    /// - **Demand**: requests one value from each publisher, and the next after that one has been delivered and there
    ///   is more demand. So at most one value of each waits.
    /// - **Completion**: finishes when all have finished, or at once if there are none. Fails at once when one of them
    ///   fails, and cancels the others.
    /// - **Threads**: a value is delivered, and the closure called, on the thread of the publisher that sends the last
    ///   of the values that are compared, or of the request that they have waited for. One thread delivers at a time:
    ///   another that sends waits for its turn, or leaves its value to the first if that takes long (rule 3.6 of the
    ///   contract), and one that requests leaves what waits to it.
    /// - **Complexity**: a logarithmic number of comparisons per value, in the number of publishers; memory for one value
    ///   of each.
    ///
    /// - Parameter areInIncreasingOrder: Whether the first value comes before the second. Called on the delivering
    ///   thread.
    @preconcurrency @inlinable public func mergeSorted(
        by areInIncreasingOrder: @escaping @Sendable (Element.Output, Element.Output) -> Bool
    ) -> Publishers.MergeSorted<Element> {
        Publishers.MergeSorted(Array(self), by: areInIncreasingOrder)
    }
}

extension Publisher {
    /// Merges this publisher and others, each of which publishes in sorted order, into one sorted stream.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `mergeSorted(by:)` on a collection of
    /// publishers.
    ///
    /// - Parameters:
    ///   - others: The other publishers.
    ///   - areInIncreasingOrder: Whether the first value comes before the second.
    @preconcurrency @inlinable public func mergeSorted(
        with others: Self..., by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool
    ) -> Publishers.MergeSorted<Self> {
        Publishers.MergeSorted([self] + others, by: areInIncreasingOrder)
    }
}

extension Publishers {
    /// A publisher that merges sorted publishers into one sorted stream.
    public struct MergeSorted<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The publishers.
        public let publishers: [Upstream]

        /// Whether the first value comes before the second.
        public let areInIncreasingOrder: @Sendable (Output, Output) -> Bool

        /// Creates the publisher that `mergeSorted(by:)` returns.
        @preconcurrency @inlinable public init(
            _ publishers: [Upstream], by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool
        ) {
            self.publishers = publishers
            self.areInIncreasingOrder = areInIncreasingOrder
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            SortedConduit.connect(publishers, by: areInIncreasingOrder, to: subscriber)
        }
    }
}

extension Publishers.MergeSorted: Sendable where Upstream: Sendable {}
