import HeadgateCore

extension Publisher {
    /// Publishes what is left when all values have been put together with a closure.
    @inlinable
    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
    ) -> Publishers.Reduce<Self, T> {
        Publishers.Reduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
    }
}

extension Publishers {
    /// A publisher of what is left when all values of another one have been put together with a closure.
    public struct Reduce<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are put together.
        public let upstream: Upstream

        /// What the first value is put together with.
        public let initial: Output

        /// What puts the result so far and a value together.
        public let nextPartialResult: (Output, Upstream.Output) -> Output

        /// Makes the publisher that `reduce(_:_:)` returns.
        @inlinable
        public init(
            upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) -> Output
        ) {
            self.upstream = upstream
            self.initial = initial
            self.nextPartialResult = nextPartialResult
        }

        /// Connects a subscriber.
        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.receive(
                subscriber: FoldConduit(
                    ReduceFold<Upstream.Output, Output, Failure>(result: initial, next: nextPartialResult), subscriber))
        }
    }
}

@usableFromInline
struct ReduceFold<Input, Output, Failure: Error>: Fold {
    @usableFromInline
    var partialResult: Output

    @usableFromInline
    let next: (Output, Input) -> Output

    @inlinable
    init(result: Output, next: @escaping (Output, Input) -> Output) {
        partialResult = result
        self.next = next
    }

    @inlinable
    var name: StaticString { "Reduce" }

    @inlinable
    var hasResult: Bool { true }

    @inlinable
    mutating func receive(_ input: Input) -> FoldResult<Failure> {
        partialResult = next(partialResult, input)
        return .more
    }

    @inlinable
    func result() -> Output { partialResult }
}
