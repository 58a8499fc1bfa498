import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Accumulates the values in place, and publishes each running result.
    ///
    /// A dictionary or an array that is the result of `scan(_:_:)` is copied for each value; this updates it, and copies
    /// it only if somebody downstream has kept the one before.
    ///
    /// ```
    /// self      1---2-----3------|
    /// scan      into: [], append
    ///           [1]-[12]--[123]--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["ant", "ape", "bee"].publisher
    ///     .scan(into: [:]) { counts, word in counts[word.prefix(1), default: 0] += 1 }
    ///     .sink { print($0["a"] ?? 0, $0["b"] ?? 0) }
    /// // 1 0
    /// // 2 0
    /// // 2 1
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameters:
    ///   - initialResult: The result before the first value. It isn't published itself. Each subscriber begins with a
    ///     copy.
    ///   - update: Adds a value to the result. Called on the thread that delivers.
    @inlinable public func scan<T>(
        into initialResult: T, _ update: @escaping @Sendable (inout T, Output) -> Void
    ) -> Publishers.ScanInto<Self, T> {
        Publishers.ScanInto(upstream: self, initialResult: initialResult, update: update)
    }
}

extension Publishers {
    /// A publisher of the running results of accumulating upstream's values in place.
    public struct ScanInto<Upstream: Publisher, Output>: _StepPublisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The initial result.
        public let initialResult: Output

        /// Adds a value to the result.
        public let update: @Sendable (inout Output, Upstream.Output) -> Void

        /// Creates the publisher that `scan(into:_:)` returns.
        @inlinable public init(
            upstream: Upstream, initialResult: Output,
            update: @escaping @Sendable (inout Output, Upstream.Output) -> Void
        ) {
            self.upstream = upstream
            self.initialResult = initialResult
            self.update = update
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _ScanIntoStep<Upstream.Output, Upstream.Failure, Output> {
            _ScanIntoStep(result: initialResult, update: update)
        }
    }
}

extension Publishers.ScanInto: Sendable where Upstream: Sendable, Output: Sendable {}

/// What `scan(into:)` does to a value.
@frozen public struct _ScanIntoStep<Input, InputFailure: Error, Output>: _Step {
    @usableFromInline var result: Output

    @usableFromInline let update: (inout Output, Input) -> Void

    @inlinable init(result: Output, update: @escaping (inout Output, Input) -> Void) {
        self.result = result
        self.update = update
    }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Output) -> Void) -> _StepResult {
        update(&result, input)
        forward(result)
        return .next
    }
}
