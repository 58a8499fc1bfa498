import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes what whichever of two publishers publishes that is the first to send a value or to end.
    ///
    /// ```
    /// self   ----1--2--|
    /// other  --a---b------c--|
    /// amb    --a---b------c--|
    /// ```
    ///
    /// ```swift
    /// let near = PassthroughSubject<String, Never>()
    /// let far = PassthroughSubject<String, Never>()
    /// let cancellable = near.amb(far).sink { print($0) }
    /// near.send("near")
    /// far.send("far")
    /// near.send("still near")
    /// // near
    /// // still near
    /// ```
    ///
    /// - **Demand**: passed on to both sides until one of them is first, and then to that one. What the other one has sent
    ///   meanwhile is dropped.
    /// - **Completion**: that of the side that is first, which may be so by ending. The other one is cancelled.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter other: The other publisher.
    @inlinable public func amb<Other: Publisher>(_ other: Other) -> Publishers.Amb<Self, Other>
    where Other.Output == Output, Other.Failure == Failure {
        Publishers.Amb(first: self, second: other)
    }

    /// Publishes what whichever of several publishers publishes that is the first to send a value or to end.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `amb(_:)` with one other publisher.
    ///
    /// - Parameter others: The other publishers.
    @inlinable public func amb<Other: Publisher & StrictlySendable>(with others: Other...) -> AnyPublisher<
        Output, Failure
    >
    where Other.Output == Output, Other.Failure == Failure, Self: StrictlySendable {
        amb(with: others)
    }

    /// Publishes what whichever of the publishers publishes, this one and those of a collection, that is the first to send a
    /// value or to end.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `amb(_:)` with one other publisher.
    ///
    /// - Parameter others: The other publishers.
    @inlinable public func amb<Others: Collection>(with others: Others) -> AnyPublisher<Output, Failure>
    where
        Others.Element: Publisher, Others.Element.Output == Output, Others.Element.Failure == Failure,
        Self: StrictlySendable, Others.Element: StrictlySendable
    {
        ([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }).amb()
    }
}

extension Collection where Element: Publisher {
    /// Publishes what whichever of these publishers publishes that is the first to send a value or to end.
    ///
    /// ```swift
    /// let mirrors = (1...3).map { _ in PassthroughSubject<String, Never>() }
    /// let cancellable = mirrors.amb().sink { print($0) }
    /// mirrors[1].send("second")
    /// mirrors[0].send("first")
    /// // second
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `amb(_:)` on a publisher. Where there are no publishers,
    /// it finishes at once.
    @inlinable public func amb() -> AnyPublisher<Element.Output, Element.Failure> where Element: StrictlySendable {
        Publishers.AmbMany(self).eraseToAnyPublisher()
    }
}

extension Publishers {
    /// A publisher of what whichever of two publishers publishes that is first.
    public struct Amb<First: Publisher, Second: Publisher>: Publisher
    where First.Output == Second.Output, First.Failure == Second.Failure {
        /// The values of both sides.
        public typealias Output = First.Output

        /// The errors of both sides.
        public typealias Failure = First.Failure

        /// The publisher that is subscribed to first.
        public let first: First

        /// The other publisher.
        public let second: Second

        /// Makes the publisher that `amb(_:)` returns.
        @inlinable public init(first: First, second: Second) {
            self.first = first
            self.second = second
        }

        /// Connects a subscriber to both sides.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            AmbConduit.connect([AmbConduit.attach(first), AmbConduit.attach(second)], to: subscriber)
        }
    }

    /// A publisher of what whichever of any number of publishers of one type publishes that is first.
    ///
    /// Where there are none, it finishes at once.
    public struct AmbMany<Upstream: Publisher>: Publisher {
        /// The values of all publishers.
        public typealias Output = Upstream.Output

        /// The errors of all publishers.
        public typealias Failure = Upstream.Failure

        /// The publishers.
        public let publishers: [Upstream]

        /// Makes a publisher of what the first of those in a sequence publishes.
        @inlinable public init(_ publishers: some Swift.Sequence<Upstream>) {
            self.publishers = Array(publishers)
        }

        /// Connects a subscriber to all publishers.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            AmbConduit.connect(publishers.map { AmbConduit.attach($0) }, to: subscriber)
        }
    }
}

extension Publishers.Amb: StrictlySendable where First: StrictlySendable, Second: StrictlySendable {}

extension Publishers.AmbMany: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Amb: Equatable where First: Equatable, Second: Equatable {}

extension Publishers.AmbMany: Equatable where Upstream: Equatable {}
