import HeadgateEngine

extension Collection where Element: Publisher {
    /// Publishes arrays: the first value of each publisher, then the second of each, and so on.
    ///
    /// ```
    /// first   1-----2--------|
    /// second  --a-----b----|
    /// zip     --[1,a]-[2,b]|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [[1, 2].publisher, [10, 20].publisher].zip()
    ///     .sink { print($0) }
    /// // [1, 10]
    /// // [2, 20]
    /// ```
    ///
    /// - **Demand**: forwarded to all publishers. Values are requested one at a time from a publisher that waits for
    ///   demand anyway, such as a sequence. Values wait for their counterparts.
    /// - **Completion**: finishes as soon as no further array is possible, or at once if there are no publishers, and
    ///   cancels the publishers that have not completed. Fails at once when one of them fails.
    /// - **Complexity**: linear in the number of publishers per array. Memory for the waiting values.
    /// - **Threads**: those of `zip(_:)`: an array is delivered on the thread of the publisher whose value completes
    ///   it, or of the request that it has waited for.
    @inlinable public func zip() -> AnyPublisher<[Element.Output], Element.Failure> {
        Publishers.ZipMany(self).eraseToAnyPublisher()
    }
}

extension Publisher {
    /// Publishes arrays: the first value of each publisher, this one's first, then the second of each, and so on.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `zip()` on a collection of publishers.
    ///
    /// - Parameter others: The other publishers, which have the same output.
    @inlinable public func zip<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
    where Others.Element: Publisher<Output, Failure> {
        ([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }).zip()
    }

    /// Publishes arrays: the first value of each publisher, this one's first, then the second of each, and so on.
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher.zip(with: [10, 20].publisher, [100, 200].publisher)
    ///     .sink { print($0) }
    /// // [1, 10, 100]
    /// // [2, 20, 200]
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `zip()` on a collection of publishers.
    ///
    /// - Parameter others: The other publishers, which have the same output.
    @inlinable public func zip<Other: Publisher<Output, Failure>>(
        with others: Other...
    ) -> AnyPublisher<[Output], Failure> {
        zip(with: others)
    }
}

extension Publishers {
    /// A publisher of arrays of one value of each of any number of publishers of one type.
    ///
    /// If there are no publishers, it finishes at once.
    public struct ZipMany<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = [Upstream.Output]

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The publishers.
        public let publishers: [Upstream]

        /// Creates a publisher that zips the publishers in a sequence.
        @inlinable public init(_ publishers: some Swift.Sequence<Upstream>) {
            self.publishers = Array(publishers)
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            if publishers.isEmpty { return Empty<Output, Failure>().receive(subscriber: subscriber) }
            ZipConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let sides = publishers.map { conduit.side($0) }
                return { sides.map { $0.next() } }
            }
        }
    }
}

extension Publishers.ZipMany: Sendable where Upstream: Sendable {}

extension Publishers.ZipMany: Equatable where Upstream: Equatable {}
