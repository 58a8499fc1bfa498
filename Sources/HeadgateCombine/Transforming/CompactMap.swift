import HeadgateEngine

extension Publisher {
    /// Transforms each value and publishes the non-`nil` results.
    ///
    /// ```
    /// self        1---a---3---|
    /// compactMap  number
    ///             1-------3---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["1", "a", "3"].publisher
    ///     .compactMap { Int($0) }
    ///     .sink { print($0) }
    /// // 1
    /// // 3
    /// ```
    ///
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one dropped.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameter transform: Transforms a value, or returns `nil` to drop it. Called on the thread that delivers.
    @preconcurrency @inlinable public func compactMap<T>(_ transform: @escaping @Sendable (Output) -> T?)
        -> Publishers.CompactMap<Self, T>
    {
        Publishers.CompactMap(upstream: self, transform: transform)
    }

    /// Transforms each value with a throwing closure and publishes the non-`nil` results; fails if the closure throws.
    ///
    /// ```
    /// self           1---a---3---?---4---|
    /// tryCompactMap  number
    ///                1-------3---x
    /// ```
    ///
    /// ```swift
    /// struct Unreadable: Error {}
    /// let cancellable = ["1", "a", "?"].publisher
    ///     .tryCompactMap { text in
    ///         if text == "?" { throw Unreadable() }
    ///         return Int(text)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1
    /// // failure(main.Unreadable())
    /// ```
    ///
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one dropped.
    /// - **Completion**: forwarded unchanged. An error that the closure throws cancels upstream and fails the stream.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameter transform: Transforms a value, or returns `nil` to drop it. Called on the thread that delivers.
    @preconcurrency @inlinable public func tryCompactMap<T>(
        _ transform: @escaping @Sendable (Output) throws -> T?
    ) -> Publishers.TryCompactMap<Self, T> {
        Publishers.TryCompactMap(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher of upstream's values, transformed, without those for which the closure returns `nil`.
    public struct CompactMap<Upstream: Publisher, Output>: _StepPublisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value, or returns `nil` to drop it.
        public let transform: @Sendable (Upstream.Output) -> Output?

        /// Creates the publisher that `compactMap(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output?
        ) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _CompactMapStep<Upstream.Output, Upstream.Failure, Output> {
            _CompactMapStep(transform: transform)
        }
    }

    /// A publisher of upstream's values, transformed, without those for which the throwing closure returns `nil`.
    public struct TryCompactMap<Upstream: Publisher, Output>: _StepPublisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value, or returns `nil` to drop it.
        public let transform: @Sendable (Upstream.Output) throws -> Output?

        /// Creates the publisher that `tryCompactMap(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output?
        ) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _TryCompactMapStep<Upstream.Output, Upstream.Failure, Output> {
            _TryCompactMapStep(transform: transform)
        }
    }
}

extension Publishers.CompactMap: Sendable where Upstream: Sendable {}

extension Publishers.TryCompactMap: Sendable where Upstream: Sendable {}

/// What `compactMap` does to a value.
@frozen public struct _CompactMapStep<Input, InputFailure: Error, Output>: _Step {
    @usableFromInline let transform: (Input) -> Output?

    @inlinable init(transform: @escaping (Input) -> Output?) { self.transform = transform }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Output) -> Void) -> _StepResult {
        guard let output = transform(input) else { return .skip }
        forward(output)
        return .next
    }
}

/// What `tryCompactMap` does to a value.
@frozen public struct _TryCompactMapStep<Input, InputFailure: Error, Output>: _ThrowingStep {
    @usableFromInline let transform: (Input) throws -> Output?

    /// The failure with which the step has ended the stream.
    public var _failure: (any Error)?

    @inlinable init(transform: @escaping (Input) throws -> Output?) { self.transform = transform }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "TryCompactMap" }

    /// Processes one value.
    @_transparent public mutating func _attempt(_ input: Input, _ forward: (Output) -> Void) throws -> _StepResult {
        guard let output = try transform(input) else { return .skip }
        forward(output)
        return .next
    }
}

extension Publishers.CompactMap {
    /// Transforms each value with both closures, one after the other, and publishes the non-`nil` results.
    @preconcurrency @inlinable @_disfavoredOverload public func compactMap<T>(
        _ transform: @escaping @Sendable (Output) -> T?
    ) -> Publishers.CompactMap<Upstream, T> {
        Publishers.CompactMap<Upstream, T>(upstream: upstream) { [first = self.transform] in
            first($0).flatMap(transform)
        }
    }

    /// Transforms each value with both closures, one after the other, and publishes the non-`nil` results.
    @preconcurrency @inlinable @_disfavoredOverload public func map<T>(_ transform: @escaping @Sendable (Output) -> T)
        -> Publishers.CompactMap<Upstream, T>
    {
        Publishers.CompactMap<Upstream, T>(upstream: upstream) { [first = self.transform] in
            first($0).map(transform)
        }
    }
}

extension Publishers.TryCompactMap {
    /// Transforms each value with both closures, one after the other, and publishes the non-`nil` results.
    @preconcurrency @inlinable @_disfavoredOverload public func compactMap<T>(
        _ transform: @escaping @Sendable (Output) throws -> T?
    ) -> Publishers.TryCompactMap<Upstream, T> {
        Publishers.TryCompactMap<Upstream, T>(upstream: upstream) { [first = self.transform] in
            try first($0).flatMap(transform)
        }
    }
}
