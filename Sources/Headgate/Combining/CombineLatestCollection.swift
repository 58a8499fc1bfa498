import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Collection where Element: Publisher {
    /// Publishes rows of the most recent value of each publisher, whenever one of them publishes a value.
    ///
    /// ```swift
    /// let sensors = (1...2).map { CurrentValueSubject<Int, Never>($0) }
    /// let cancellable = sensors.combineLatest().sink { print($0) }
    /// sensors[1].send(7)
    /// // [1, 2]
    /// // [1, 7]
    /// ```
    ///
    /// - **Demand**: passed on to all publishers. What comes before each of them has published something is made up for. A row
    ///   that comes while none is requested waits until a later one takes its place.
    /// - **Completion**: finishes when all publishers have finished, at once if there are none. Fails at once when any of them
    ///   fails, and cancels the others.
    /// - **Complexity**: a time in proportion to the number of publishers per row.
    @inlinable public func combineLatest() -> AnyPublisher<[Element.Output], Element.Failure>
    where Element: StrictlySendable {
        Publishers.CombineLatestMany(self).eraseToAnyPublisher()
    }
}

extension Publisher {
    /// Publishes rows of the most recent value of each publisher, whenever one of them publishes a value, this one's first.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `combineLatest()` on a collection of publishers.
    ///
    /// - Parameter others: The other publishers, which have the same output.
    @inlinable public func combineLatest<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
    where
        Others.Element: Publisher, Others.Element.Output == Output, Others.Element.Failure == Failure,
        Self: StrictlySendable, Others.Element: StrictlySendable
    {
        ([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }).combineLatest()
    }

    /// Publishes rows of the most recent value of each publisher, whenever one of them publishes a value, this one's first.
    ///
    /// ```swift
    /// let (indoors, outdoors) = (CurrentValueSubject<Int, Never>(20), CurrentValueSubject<Int, Never>(5))
    /// let cancellable = indoors.combineLatest(with: outdoors).sink { print($0) }
    /// outdoors.send(4)
    /// // [20, 5]
    /// // [20, 4]
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `combineLatest()` on a collection of publishers.
    ///
    /// - Parameter others: The other publishers, which have the same output.
    @inlinable public func combineLatest<Other: Publisher & StrictlySendable>(with others: Other...) -> AnyPublisher<
        [Output], Failure
    >
    where Other.Output == Output, Other.Failure == Failure, Self: StrictlySendable {
        combineLatest(with: others)
    }
}

extension Publishers {
    /// A publisher of rows of the most recent values of any number of publishers of one type.
    ///
    /// Where there are none, it finishes at once.
    public struct CombineLatestMany<Upstream: Publisher>: Publisher {
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
            LatestConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let sides = publishers.map { conduit.side($0) }
                return { sides.map { $0.value } }
            }
        }
    }
}

extension Publishers.CombineLatestMany: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.CombineLatestMany: Equatable where Upstream: Equatable {}
