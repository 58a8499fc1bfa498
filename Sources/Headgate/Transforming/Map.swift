import HeadgateCore

extension Publisher {
    /// Publishes what a closure makes of each value.
    ///
    /// ```
    /// self      1---2---3---|
    /// map       *2
    ///           2---4---6---|
    /// ```
    @inlinable
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher of what a closure makes of each value of another publisher.
    public struct Map<Upstream: Publisher, Output>: _StepPublisher {
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are transformed.
        public let upstream: Upstream

        /// What makes a new value of each.
        public let transform: (Upstream.Output) -> Output

        /// Makes the publisher that `map(_:)` returns.
        @inlinable
        public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        public var _stage: _MapStep<Upstream.Output, Output, Failure> { _MapStep(transform: transform) }
    }
}

@frozen
public struct _MapStep<Input, Output, Failure: Error>: _PassingStep {
    @usableFromInline
    let transform: (Input) -> Output

    @inlinable
    init(transform: @escaping (Input) -> Output) { self.transform = transform }

    @inlinable
    public mutating func _receive(_ input: Input) -> _StepResult<Output, Failure> { .next(transform(input)) }
}
