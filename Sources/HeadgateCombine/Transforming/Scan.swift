import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes, for each value, what is made of it and the result so far.
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
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameters:
    ///   - initialResult: What the first value is put together with. It is not published itself.
    ///   - nextPartialResult: Puts the result so far and a value together. Called on the thread that delivers.
    @inlinable public func scan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping StreamClosure<T, Output, T>
    ) -> Publishers.Scan<Self, T> {
        Publishers.Scan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
    }

    /// Publishes, for each value, what is made of it and the result so far; where the closure throws, the stream fails
    /// with that error.
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
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is. An error that the closure throws cancels upstream and ends the stream.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameters:
    ///   - initialResult: What the first value is put together with. It is not published itself.
    ///   - nextPartialResult: Puts the result so far and a value together. Called on the thread that delivers.
    @inlinable public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping ThrowingStreamClosure<T, Output, T>
    ) -> Publishers.TryScan<Self, T> {
        Publishers.TryScan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
    }
}

extension Publishers {
    /// A publisher of what is made of each value of another publisher and the result so far.
    public struct Scan<Upstream: Publisher, Output>: _StepPublisher {
        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are put together.
        public let upstream: Upstream

        /// What the first value is put together with.
        public let initialResult: Output

        /// What puts the result so far and a value together.
        public let nextPartialResult: StreamClosure<Output, Upstream.Output, Output>

        /// Makes the publisher that `scan(_:_:)` returns.
        @inlinable public init(
            upstream: Upstream, initialResult: Output,
            nextPartialResult: @escaping StreamClosure<Output, Upstream.Output, Output>
        ) {
            self.upstream = upstream
            self.initialResult = initialResult
            self.nextPartialResult = nextPartialResult
        }

        /// The step that keeps the result so far.
        @inlinable public var _stage: _ScanStep<Upstream, Output> {
            _ScanStep(result: initialResult, next: nextPartialResult)
        }
    }

    /// A publisher of what a throwing closure makes of each value of another publisher and the result so far.
    public struct TryScan<Upstream: Publisher, Output>: _StepPublisher {
        /// Any error: those of upstream and those that the closure throws.
        public typealias Failure = any Error

        /// The publisher whose values are put together.
        public let upstream: Upstream

        /// What the first value is put together with.
        public let initialResult: Output

        /// What puts the result so far and a value together.
        public let nextPartialResult: ThrowingStreamClosure<Output, Upstream.Output, Output>

        /// Makes the publisher that `tryScan(_:_:)` returns.
        @inlinable public init(
            upstream: Upstream, initialResult: Output,
            nextPartialResult: @escaping ThrowingStreamClosure<Output, Upstream.Output, Output>
        ) {
            self.upstream = upstream
            self.initialResult = initialResult
            self.nextPartialResult = nextPartialResult
        }

        /// The step that keeps the result so far.
        @inlinable public var _stage: _TryScanStep<Upstream, Output> {
            _TryScanStep(result: initialResult, next: nextPartialResult)
        }
    }
}

extension Publishers.Scan: StrictlySendable where Upstream: StrictlySendable, Output: StrictlySendable {}

extension Publishers.TryScan: StrictlySendable where Upstream: StrictlySendable, Output: StrictlySendable {}

/// What `scan` does to a value.
@frozen public struct _ScanStep<Upstream: Publisher, Output>: _PassingStep, _UpstreamStep {
    @usableFromInline var result: Output

    @usableFromInline let next: (Output, Upstream.Output) -> Output

    @inlinable init(result: Output, next: @escaping (Output, Upstream.Output) -> Output) {
        self.result = result
        self.next = next
    }

    /// Keeps the new result, and passes it on.
    @inlinable public mutating func _receive(_ input: Upstream.Output) -> _StepResult<Output, Upstream.Failure> {
        result = next(result, input)
        return .next(result)
    }
}

/// What `tryScan` does to a value.
@frozen public struct _TryScanStep<Upstream: Publisher, Output>: _ThrowingStep, _UpstreamStep {
    @usableFromInline var result: Output

    @usableFromInline let next: (Output, Upstream.Output) throws -> Output

    @inlinable init(result: Output, next: @escaping (Output, Upstream.Output) throws -> Output) {
        self.result = result
        self.next = next
    }

    /// `TryScan`.
    @inlinable public static var _name: String { "TryScan" }

    /// Keeps the new result, and passes it on.
    @inlinable public mutating func _attempt(_ input: Upstream.Output) throws -> _StepResult<Output, any Error> {
        result = try next(result, input)
        return .next(result)
    }
}
