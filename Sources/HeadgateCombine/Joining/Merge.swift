import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the values of this publisher and of another one, as they come.
    ///
    /// ```
    /// self      1-----2--------3--|
    /// other     ---8-----9--|
    /// merge     1--8--2--9-----3--|
    /// ```
    ///
    /// ```swift
    /// let odd = PassthroughSubject<Int, Never>()
    /// let even = PassthroughSubject<Int, Never>()
    /// let cancellable = odd.merge(with: even).sink { print($0) }
    /// odd.send(1)
    /// even.send(2)
    /// odd.send(3)
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: while demand is unlimited, so is that for each publisher. Otherwise each is asked for one value at a
    ///   time, one of each may wait for demand, and they take turns.
    /// - **Completion**: finishes when all have finished. Fails at once when one fails, cancels the others, and drops
    ///   what waits.
    /// - **Complexity**: constant time a value.
    @inlinable public func merge<P: Publisher>(with other: P) -> Publishers.Merge<Self, P>
    where Failure == P.Failure, Output == P.Output {
        Publishers.Merge(self, other)
    }
}

extension Publishers {
    /// A publisher of the values of two publishers, as they come.
    public struct Merge<A: Publisher, B: Publisher>: Publisher
    where
        A.Failure == B.Failure, A.Output == B.Output
    {
        /// The values of all publishers.
        public typealias Output = A.Output

        /// The errors of all publishers.
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A

        /// The second publisher.
        public let b: B

        /// Makes the publisher that `merge(with:)` returns.
        @inlinable public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Connects a subscriber to all publishers.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            typealias Conduit = MergeConduit<Output, Failure>
            Conduit.connect([Conduit.attach(a), Conduit.attach(b)], to: subscriber)
        }
    }
}

extension Publishers.Merge: StrictlySendable where A: StrictlySendable, B: StrictlySendable {}

extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}

extension Publishers.Merge {
    /// Publishes the values of another publisher as well.
    @inlinable public func merge<P: Publisher>(
        with other: P
    ) -> Publishers.Merge3<A, B, P>
    where B.Failure == P.Failure, B.Output == P.Output {
        Publishers.Merge3(a, b, other)
    }

    /// Publishes the values of two more publishers as well.
    @inlinable public func merge<Z: Publisher, Y: Publisher>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge4<A, B, Z, Y>
    where
        B.Failure == Z.Failure, B.Output == Z.Output,
        Z.Failure == Y.Failure, Z.Output == Y.Output
    {
        Publishers.Merge4(a, b, z, y)
    }

    /// Publishes the values of three more publishers as well.
    @inlinable public func merge<Z: Publisher, Y: Publisher, X: Publisher>(
        with z: Z, _ y: Y, _ x: X
    ) -> Publishers.Merge5<A, B, Z, Y, X>
    where
        B.Failure == Z.Failure, B.Output == Z.Output,
        Z.Failure == Y.Failure, Z.Output == Y.Output,
        Y.Failure == X.Failure, Y.Output == X.Output
    {
        Publishers.Merge5(a, b, z, y, x)
    }

    /// Publishes the values of four more publishers as well.
    @inlinable public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher>(
        with z: Z, _ y: Y, _ x: X, _ w: W
    ) -> Publishers.Merge6<A, B, Z, Y, X, W>
    where
        B.Failure == Z.Failure, B.Output == Z.Output,
        Z.Failure == Y.Failure, Z.Output == Y.Output,
        Y.Failure == X.Failure, Y.Output == X.Output,
        X.Failure == W.Failure, X.Output == W.Output
    {
        Publishers.Merge6(a, b, z, y, x, w)
    }

    /// Publishes the values of five more publishers as well.
    @inlinable public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher, V: Publisher>(
        with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V
    ) -> Publishers.Merge7<A, B, Z, Y, X, W, V>
    where
        B.Failure == Z.Failure, B.Output == Z.Output,
        Z.Failure == Y.Failure, Z.Output == Y.Output,
        Y.Failure == X.Failure, Y.Output == X.Output,
        X.Failure == W.Failure, X.Output == W.Output,
        W.Failure == V.Failure, W.Output == V.Output
    {
        Publishers.Merge7(a, b, z, y, x, w, v)
    }

    /// Publishes the values of six more publishers as well.
    @inlinable public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher, V: Publisher, U: Publisher>(
        with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V, _ u: U
    ) -> Publishers.Merge8<A, B, Z, Y, X, W, V, U>
    where
        B.Failure == Z.Failure, B.Output == Z.Output,
        Z.Failure == Y.Failure, Z.Output == Y.Output,
        Y.Failure == X.Failure, Y.Output == X.Output,
        X.Failure == W.Failure, X.Output == W.Output,
        W.Failure == V.Failure, W.Output == V.Output,
        V.Failure == U.Failure, V.Output == U.Output
    {
        Publishers.Merge8(a, b, z, y, x, w, v, u)
    }
}
