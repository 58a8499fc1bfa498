import HeadgateEngine

extension Publisher {
    /// Forwards all values, and transforms the error of a failure.
    ///
    /// ```
    /// self      1---2---x
    /// mapError
    ///           1---2---x      another error
    /// ```
    ///
    /// ```swift
    /// struct Unreachable: Error {}
    /// struct Outage: Error { let reason: any Error }
    /// let cancellable = Fail<Int, Unreachable>(error: Unreachable())
    ///     .mapError { Outage(reason: $0) }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Outage(reason: main.Unreachable()))
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded; a failure is transformed.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: no cost per value, one call of the closure for a failure. Fused with adjacent operators.
    ///
    /// - Parameter transform: Transforms upstream's error. Called on the thread that delivers it.
    @preconcurrency @inlinable public func mapError<E: Error>(_ transform: @escaping @Sendable (Failure) -> E)
        -> Publishers.MapError<Self, E>
    {
        Publishers.MapError(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher that transforms the error of upstream.
    public struct MapError<Upstream: Publisher, Failure: Error>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms the error.
        public let transform: @Sendable (Upstream.Failure) -> Failure

        /// Creates the publisher that `mapError(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, transform: @escaping @Sendable (Upstream.Failure) -> Failure
        ) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Creates the publisher that `mapError(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, _ map: @escaping @Sendable (Upstream.Failure) -> Failure
        ) {
            self.init(upstream: upstream, transform: map)
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _FailureStep<Upstream.Output, Upstream.Failure, Failure> {
            _FailureStep(transform: transform)
        }
    }
}

extension Publishers.MapError: Sendable where Upstream: Sendable {}

/// What `mapError`, `setFailureType` and `assertNoFailure` do: they forward the value and transform the failure.
@frozen public struct _FailureStep<Input, InputFailure: Error, OutputFailure: Error>: _Step {
    @usableFromInline let transform: (InputFailure) -> OutputFailure

    @inlinable init(transform: @escaping (InputFailure) -> OutputFailure) { self.transform = transform }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Input) -> Void) -> _StepResult {
        forward(input)
        return .next
    }

    /// The failure that an error becomes.
    @inlinable public func _failure(for failure: InputFailure) -> OutputFailure { transform(failure) }
}
