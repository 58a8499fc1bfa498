import HeadgateEngine

extension Publisher {
    /// Accumulates the values with a closure, and publishes each running result.
    ///
    /// ```
    /// self      1---2---3---|
    /// scan      0, +
    ///           1---3---6---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .scan(0, +)
    ///     .sink { print($0) }
    /// // 1
    /// // 3
    /// // 6
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameters:
    ///   - initialResult: The result before the first value. It isn't published itself.
    ///   - nextPartialResult: Combines the result so far with a value. Called on the thread that delivers.
    @preconcurrency @inlinable public func scan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
    ) -> Publishers.Scan<Self, T> {
        Publishers.Scan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
    }

    /// Accumulates the values with a throwing closure, and publishes each running result; fails if the closure throws.
    ///
    /// ```
    /// self      1---2---0---3---|
    /// tryScan   100, /
    ///           100-50--x
    /// ```
    ///
    /// ```swift
    /// struct DivisionByZero: Error {}
    /// let cancellable = [1, 2, 0].publisher
    ///     .tryScan(100) { result, divisor in
    ///         if divisor == 0 { throw DivisionByZero() }
    ///         return result / divisor
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 100
    /// // 50
    /// // failure(main.DivisionByZero())
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged. An error that the closure throws cancels upstream and fails the stream.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameters:
    ///   - initialResult: The result before the first value. It isn't published itself.
    ///   - nextPartialResult: Combines the result so far with a value. Called on the thread that delivers.
    @preconcurrency @inlinable public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) throws -> T
    ) -> Publishers.TryScan<Self, T> {
        Publishers.TryScan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
    }
}

extension Publishers {
    /// A publisher of the running results of accumulating upstream's values with a closure.
    public struct Scan<Upstream: Publisher, Output>: _StepPublisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The initial result.
        public let initialResult: Output

        /// The closure that combines the result so far with a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output

        /// Creates the publisher that `scan(_:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, initialResult: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) -> Output
        ) {
            self.upstream = upstream
            self.initialResult = initialResult
            self.nextPartialResult = nextPartialResult
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _ScanStep<Upstream.Output, Upstream.Failure, Output> {
            _ScanStep(result: initialResult, next: nextPartialResult)
        }
    }

    /// A publisher of the running results of accumulating upstream's values with a throwing closure.
    public struct TryScan<Upstream: Publisher, Output>: _StepPublisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The initial result.
        public let initialResult: Output

        /// The closure that combines the result so far with a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) throws -> Output

        /// Creates the publisher that `tryScan(_:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, initialResult: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) throws -> Output
        ) {
            self.upstream = upstream
            self.initialResult = initialResult
            self.nextPartialResult = nextPartialResult
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _TryScanStep<Upstream.Output, Upstream.Failure, Output> {
            _TryScanStep(result: initialResult, next: nextPartialResult)
        }
    }
}

extension Publishers.Scan: Sendable where Upstream: Sendable, Output: Sendable {}

extension Publishers.TryScan: Sendable where Upstream: Sendable, Output: Sendable {}

/// What `scan` does to a value.
@frozen public struct _ScanStep<Input, InputFailure: Error, Output>: _Step {
    @usableFromInline var result: Output

    @usableFromInline let next: (Output, Input) -> Output

    @inlinable init(result: Output, next: @escaping (Output, Input) -> Output) {
        self.result = result
        self.next = next
    }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Output) -> Void) -> _StepResult {
        result = next(result, input)
        forward(result)
        return .next
    }
}

/// What `tryScan` does to a value.
@frozen public struct _TryScanStep<Input, InputFailure: Error, Output>: _ThrowingStep {
    @usableFromInline var result: Output

    @usableFromInline let next: (Output, Input) throws -> Output

    /// The failure with which the step has ended the stream.
    public var _failure: (any Error)?

    @inlinable init(result: Output, next: @escaping (Output, Input) throws -> Output) {
        self.result = result
        self.next = next
    }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "TryScan" }

    /// Processes one value.
    @_transparent public mutating func _attempt(_ input: Input, _ forward: (Output) -> Void) throws -> _StepResult {
        result = try next(result, input)
        forward(result)
        return .next
    }
}
