import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Collection where Element: Publisher {
    /// Publishes rows: the first value of each publisher together, then the second of each, and so on.
    ///
    /// ```swift
    /// let cancellable = [[1, 2].publisher, [10, 20].publisher].zip()
    ///     .sink { print($0) }
    /// // [1, 10]
    /// // [2, 20]
    /// ```
    ///
    /// - **Demand**: passed on to all publishers. One that waits for demand anyway, such as a sequence, is requested one value at a
    ///   time. Values that come before their counterparts wait for them.
    /// - **Completion**: finishes as soon as there can't be another row, at once if there are no publishers, and cancels those that
    ///   go on. Fails at once when any of them fails.
    /// - **Complexity**: a time in proportion to the number of publishers per row. Memory for the values that wait.
    @inlinable public func zip() -> AnyPublisher<[Element.Output], Element.Failure> where Element: StrictlySendable {
        Publishers.ZipMany(self).eraseToAnyPublisher()
    }
}

extension Publisher {
    /// Publishes rows: the first value of each publisher together, then the second of each, and so on, this one's first.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `zip()` on a collection of publishers.
    ///
    /// - Parameter others: The other publishers, which have the same output.
    @inlinable public func zip<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
    where
        Others.Element: Publisher, Others.Element.Output == Output, Others.Element.Failure == Failure,
        Self: StrictlySendable, Others.Element: StrictlySendable
    {
        ([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }).zip()
    }

    /// Publishes rows: the first value of each publisher together, then the second of each, and so on, this one's first.
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher.zip(with: [10, 20].publisher, [100, 200].publisher)
    ///     .sink { print($0) }
    /// // [1, 10, 100]
    /// // [2, 20, 200]
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `zip()` on a collection of publishers.
    ///
    /// - Parameter others: The other publishers, which have the same output.
    @inlinable public func zip<Other: Publisher & StrictlySendable>(with others: Other...) -> AnyPublisher<
        [Output], Failure
    >
    where Other.Output == Output, Other.Failure == Failure, Self: StrictlySendable {
        zip(with: others)
    }
}

extension Publishers {
    /// A publisher of rows of one value of each of any number of publishers of one type.
    ///
    /// Where there are none, it finishes at once.
    public struct ZipMany<Upstream: Publisher>: Publisher {
        /// One value of each publisher.
        public typealias Output = [Upstream.Output]

        /// The errors of all publishers.
        public typealias Failure = Upstream.Failure

        /// The publishers.
        public let publishers: [Upstream]

        /// Makes a publisher of rows of the values of those in a sequence.
        @inlinable public init(_ publishers: some Swift.Sequence<Upstream>) {
            self.publishers = Array(publishers)
        }

        /// Connects a subscriber to all publishers.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            if publishers.isEmpty { return Empty<Output, Failure>().receive(subscriber: subscriber) }
            ZipConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let sides = publishers.map { conduit.side($0) }
                return { sides.map { $0.next() } }
            }
        }
    }
}

extension Publishers.ZipMany: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.ZipMany: Equatable where Upstream: Equatable {}
