import HeadgateCore

extension Publisher {
    /// Publishes what a closure makes of each value.
    ///
    /// ```
    /// self      1---2---3---|
    /// map       *10
    ///           10--20--30--|
    /// ```
    ///
    /// ```swift
    /// (1...3).publisher
    ///     .map { $0 * 10 }
    ///     .sink { print($0) }
    /// // 10
    /// // 20
    /// // 30
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameter transform: Makes a new value of each. Called on the thread that delivers.
    @inlinable
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher of what a closure makes of each value of another publisher.
    public struct Map<Upstream: Publisher, Output>: _StepPublisher {
        /// The errors of upstream.
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

        /// The step that calls the closure.
        @inlinable
        public var _stage: _MapStep<Upstream.Output, Output, Failure> { _MapStep(transform: transform) }
    }
}

/// What `map` does to a value.
@frozen
public struct _MapStep<Input, Output, Failure: Error>: _PassingStep {
    @usableFromInline
    let transform: (Input) -> Output

    @inlinable
    init(transform: @escaping (Input) -> Output) { self.transform = transform }

    /// Calls the closure.
    @inlinable
    public mutating func _receive(_ input: Input) -> _StepResult<Output, Failure> { .next(transform(input)) }
}
