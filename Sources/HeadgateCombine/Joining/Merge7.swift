import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Interleaves the values of this publisher with those of six others, as they arrive.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `merge(with:)`.
    @inlinable public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
        with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Publishers.Merge7<Self, B, C, D, E, F, G>
    where
        Failure == B.Failure, Output == B.Output,
        B.Failure == C.Failure, B.Output == C.Output,
        C.Failure == D.Failure, C.Output == D.Output,
        D.Failure == E.Failure, D.Output == E.Output,
        E.Failure == F.Failure, E.Output == F.Output,
        F.Failure == G.Failure, F.Output == G.Output
    {
        Publishers.Merge7(self, b, c, d, e, f, g)
    }
}

extension Publishers {
    /// A publisher that interleaves the values of seven publishers.
    public struct Merge7<
        A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher
    >: Publisher
    where
        A.Failure == B.Failure, A.Output == B.Output,
        B.Failure == C.Failure, B.Output == C.Output,
        C.Failure == D.Failure, C.Output == D.Output,
        D.Failure == E.Failure, D.Output == E.Output,
        E.Failure == F.Failure, E.Output == F.Output,
        F.Failure == G.Failure, F.Output == G.Output
    {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A

        /// The second publisher.
        public let b: B

        /// The third publisher.
        public let c: C

        /// The fourth publisher.
        public let d: D

        /// The fifth publisher.
        public let e: E

        /// The sixth publisher.
        public let f: F

        /// The seventh publisher.
        public let g: G

        /// Creates the publisher that `merge(with:_:_:_:_:_:)` returns.
        @inlinable public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
            self.e = e
            self.f = f
            self.g = g
        }

        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            typealias Conduit = MergeConduit<Output, Failure>
            Conduit.connect(
                [
                    Conduit.attach(a), Conduit.attach(b), Conduit.attach(c), Conduit.attach(d), Conduit.attach(e),
                    Conduit.attach(f), Conduit.attach(g),
                ], to: subscriber)
        }
    }
}

extension Publishers.Merge7: StrictlySendable
where
    A: StrictlySendable, B: StrictlySendable, C: StrictlySendable, D: StrictlySendable, E: StrictlySendable,
    F: StrictlySendable, G: StrictlySendable
{}

extension Publishers.Merge7: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable {}

extension Publishers.Merge7 {
    /// Interleaves the values of this publisher with those of another.
    @inlinable public func merge<P: Publisher<G.Output, G.Failure>>(
        with other: P
    ) -> Publishers.Merge8<A, B, C, D, E, F, G, P> {
        Publishers.Merge8(a, b, c, d, e, f, g, other)
    }
}
