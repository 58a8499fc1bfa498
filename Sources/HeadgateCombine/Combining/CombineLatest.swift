import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the latest values of both publishers together, whenever either publishes one.
    ///
    /// ```
    /// self            1-----2-----3--|
    /// other           ---a-----b----------|
    /// combineLatest   ---(1,a)-(2,a)-(2,b)-(3,b)-|
    /// ```
    ///
    /// ```swift
    /// let sizes = PassthroughSubject<Int, Never>()
    /// let names = PassthroughSubject<String, Never>()
    /// let cancellable = sizes.combineLatest(names).sink { print($0, $1) }
    /// sizes.send(1)
    /// names.send("a")
    /// sizes.send(2)
    /// // 1 a
    /// // 2 a
    /// ```
    ///
    /// - **Demand**: passed on to both sides. A combination that comes while none is asked for waits, until it is asked
    ///   for or a later one takes its place.
    /// - **Completion**: finishes when both sides have finished. Fails at once when either side fails, and cancels the
    ///   other.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameter other: The publisher of the second halves.
    @inlinable public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
    where P.Failure == Failure {
        Publishers.CombineLatest(self, other)
    }

    /// Publishes what a closure makes of the latest values of both publishers, whenever either publishes one.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `combineLatest(_:)`.
    ///
    /// - Parameters:
    ///   - other: The publisher of the second arguments.
    ///   - transform: Makes a value of each combination.
    @inlinable public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping StreamClosure<Output, P.Output, T>
    ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
        combineLatest(other).map { transform($0.0, $0.1) }
    }
}

extension Publishers {
    /// A publisher of the latest values of two publishers together.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        /// The latest value of each side.
        public typealias Output = (A.Output, B.Output)

        /// The errors of both sides.
        public typealias Failure = A.Failure

        /// The publisher of the first halves.
        public let a: A

        /// The publisher of the second halves.
        public let b: B

        /// Makes the publisher that `combineLatest(_:)` returns.
        @inlinable public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Connects a subscriber to both sides.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            LatestConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let (a, b) = (conduit.side(a), conduit.side(b))
                return { (a.value, b.value) }
            }
        }
    }
}

extension Publishers.CombineLatest: StrictlySendable where A: StrictlySendable, B: StrictlySendable {}

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
