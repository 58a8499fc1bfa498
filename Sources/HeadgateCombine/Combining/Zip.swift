import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes pairs: the first value of each side together, then the second of each, and so on.
    ///
    /// ```
    /// self      1-----2--3--|
    /// other     --a-b-----c---|
    /// zip       --(1,a)-(2,b)-(3,c)-|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2, 3].publisher.zip("ab".publisher)
    ///     .sink { print($0, $1) }
    /// // 1 a
    /// // 2 b
    /// ```
    ///
    /// - **Demand**: passed on to both sides. A side that waits for demand anyway, such as a sequence, is asked for one
    ///   value at a time, so an endless one is read only as far as the other side goes. Values that come before their
    ///   counterpart wait for it.
    /// - **Completion**: finishes as soon as there can't be another pair, and cancels the side that goes on. Fails at
    ///   once when either side fails; what waits is dropped then.
    /// - **Complexity**: constant time a value. Memory for the values that wait.
    ///
    /// - Parameter other: The publisher of the second halves.
    @inlinable public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P> where P.Failure == Failure {
        Publishers.Zip(self, other)
    }

    /// Publishes what a closure makes of the first value of each side, then of the second of each, and so on.
    ///
    /// ```swift
    /// let cancellable = [1, 2, 3].publisher.zip([10, 20, 30].publisher) { $0 + $1 }
    ///     .sink { print($0) }
    /// // 11
    /// // 22
    /// // 33
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `zip(_:)`.
    ///
    /// - Parameters:
    ///   - other: The publisher of the second arguments.
    ///   - transform: Makes a value of each pair.
    @inlinable public func zip<P: Publisher, T>(
        _ other: P, _ transform: @escaping StreamClosure<Output, P.Output, T>
    ) -> Publishers.Map<Publishers.Zip<Self, P>, T> where P.Failure == Failure {
        zip(other).map { transform($0.0, $0.1) }
    }
}

extension Publishers {
    /// A publisher of pairs of the values of two publishers.
    public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        /// One value of each side.
        public typealias Output = (A.Output, B.Output)

        /// The errors of both sides.
        public typealias Failure = A.Failure

        /// The publisher of the first halves.
        public let a: A

        /// The publisher of the second halves.
        public let b: B

        /// Makes the publisher that `zip(_:)` returns.
        @inlinable public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Connects a subscriber to both sides.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            ZipConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let (a, b) = (conduit.side(a), conduit.side(b))
                return { (a.next(), b.next()) }
            }
        }
    }
}

extension Publishers.Zip: StrictlySendable where A: StrictlySendable, B: StrictlySendable {}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
