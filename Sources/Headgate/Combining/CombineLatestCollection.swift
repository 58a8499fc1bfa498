import HeadgateEngine

extension Collection where Element: Publisher {
    /// Publishes an array of the most recent value of each publisher, whenever one of them publishes.
    ///
    /// ```
    /// first          1-------2-----|
    /// second         --a-----------b----|
    /// combineLatest  --[1,a]-[2,a]-[2,b]|
    /// ```
    ///
    /// ```swift
    /// let sensors = (1...2).map { CurrentValueSubject<Int, Never>($0) }
    /// let cancellable = sensors.combineLatest().sink { print($0) }
    /// sensors[1].send(7)
    /// // [1, 2]
    /// // [1, 7]
    /// ```
    ///
    /// - **Demand**: forwarded to all publishers. For values received before every publisher has published,
    ///   replacements are requested. An array that arrives without demand waits until it is requested, or
    ///   until a more recent one replaces it.
    /// - **Completion**: finishes when all publishers have finished, or at once if there are none. Fails at once when
    ///   one of them fails, and cancels the others.
    /// - **Complexity**: linear in the number of publishers per array.
    /// - **Threads**: those of `combineLatest(_:)`: an array is delivered on the thread of the publisher whose value
    ///   completes it, or of the request that it has waited for.
    @inlinable public func combineLatest() -> AnyPublisher<[Element.Output], Element.Failure> {
        Publishers.CombineLatestMany(self).eraseToAnyPublisher()
    }
}

extension Publisher {
    /// Publishes an array of the most recent value of each publisher, this one's first, whenever one of them publishes.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `combineLatest()` on a collection of
    /// publishers.
    ///
    /// - Parameter others: The other publishers, which have the same output.
    @inlinable public func combineLatest<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
    where Others.Element: Publisher<Output, Failure> {
        ([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }).combineLatest()
    }

    /// Publishes an array of the most recent value of each publisher, this one's first, whenever one of them publishes.
    ///
    /// ```swift
    /// let (indoors, outdoors) = (CurrentValueSubject<Int, Never>(20), CurrentValueSubject<Int, Never>(5))
    /// let cancellable = indoors.combineLatest(with: outdoors).sink { print($0) }
    /// outdoors.send(4)
    /// // [20, 5]
    /// // [20, 4]
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `combineLatest()` on a collection of
    /// publishers.
    ///
    /// - Parameter others: The other publishers, which have the same output.
    @inlinable public func combineLatest<Other: Publisher<Output, Failure>>(
        with others: Other...
    ) -> AnyPublisher<[Output], Failure> {
        combineLatest(with: others)
    }
}

extension Publishers {
    /// A publisher of arrays of the most recent values of any number of publishers of one type.
    ///
    /// If there are no publishers, it finishes at once.
    public struct CombineLatestMany<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = [Upstream.Output]

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The publishers.
        public let publishers: [Upstream]

        /// Creates a publisher that combines the publishers in a sequence.
        @inlinable public init(_ publishers: some Swift.Sequence<Upstream>) {
            self.publishers = Array(publishers)
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            if publishers.isEmpty { return Empty<Output, Failure>().receive(subscriber: subscriber) }
            LatestConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let sides = publishers.map { conduit.side($0) }
                return { sides.map { $0.value } }
            }
        }
    }
}

extension Publishers.CombineLatestMany: Sendable where Upstream: Sendable {}

extension Publishers.CombineLatestMany: Equatable where Upstream: Equatable {}
