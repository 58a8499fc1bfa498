import HeadgateEngine

extension Publisher {
    /// Mirrors whichever of two publishers is the first to send a value or to complete.
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
    /// - **Demand**: forwarded to both sides until one of them is first, then to that one. Values that the other side
    ///   has sent in the meantime are dropped.
    /// - **Completion**: that of the first side, which may also win by completing. The other side is cancelled.
    /// - **Complexity**: constant time per value.
    /// - **Threads**: the first side's: it is found, and the others are cancelled, on the thread on which it delivers.
    ///
    /// - Parameter other: The other publisher.
    @inlinable public func amb<Other: Publisher<Output, Failure>>(_ other: Other) -> Publishers.Amb<Self, Other> {
        Publishers.Amb(first: self, second: other)
    }

    /// Mirrors whichever of several publishers is the first to send a value or to complete.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `amb(_:)` with one other publisher.
    ///
    /// - Parameter others: The other publishers.
    @inlinable public func amb<Other: Publisher<Output, Failure>>(
        with others: Other...
    ) -> AnyPublisher<Output, Failure> {
        amb(with: others)
    }

    /// Mirrors whichever publisher, this one or one of a collection, is the first to send a value or to complete.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `amb(_:)` with one other publisher.
    ///
    /// - Parameter others: The other publishers.
    @inlinable public func amb<Others: Collection>(with others: Others) -> AnyPublisher<Output, Failure>
    where Others.Element: Publisher<Output, Failure> {
        ([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }).amb()
    }
}

extension Collection where Element: Publisher {
    /// Mirrors whichever of these publishers is the first to send a value or to complete.
    ///
    /// ```swift
    /// let mirrors = (1...3).map { _ in PassthroughSubject<String, Never>() }
    /// let cancellable = mirrors.amb().sink { print($0) }
    /// mirrors[1].send("second")
    /// mirrors[0].send("first")
    /// // second
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `amb(_:)` on a publisher. If the
    /// collection is empty, the publisher finishes at once.
    @inlinable public func amb() -> AnyPublisher<Element.Output, Element.Failure> {
        Publishers.AmbMany(self).eraseToAnyPublisher()
    }
}

extension Publishers {
    /// A publisher that mirrors the first of two publishers to send a value or to complete.
    public struct Amb<First: Publisher, Second: Publisher<First.Output, First.Failure>>: Publisher {
        /// The type of the published values.
        public typealias Output = First.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = First.Failure

        /// The publisher that is subscribed to first.
        public let first: First

        /// The other publisher.
        public let second: Second

        /// Creates the publisher that `amb(_:)` returns.
        @inlinable public init(first: First, second: Second) {
            self.first = first
            self.second = second
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            AmbConduit.connect([first.receive, second.receive], to: subscriber)
        }
    }

    /// A publisher that mirrors the first of any number of publishers of one type to send a value or to complete.
    ///
    /// If there are no publishers, it finishes at once.
    public struct AmbMany<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The publishers.
        public let publishers: [Upstream]

        /// Creates a publisher that mirrors the first of the publishers in a sequence.
        @inlinable public init(_ publishers: some Swift.Sequence<Upstream>) {
            self.publishers = Array(publishers)
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            AmbConduit.connect(publishers.map { $0.receive }, to: subscriber)
        }
    }
}

extension Publishers.Amb: Sendable where First: Sendable, Second: Sendable {}

extension Publishers.AmbMany: Sendable where Upstream: Sendable {}

extension Publishers.Amb: Equatable where First: Equatable, Second: Equatable {}

extension Publishers.AmbMany: Equatable where Upstream: Equatable {}
