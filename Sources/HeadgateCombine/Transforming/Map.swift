import HeadgateEngine

extension Publisher {
    /// Transforms each value with a closure.
    ///
    /// ```
    /// self      1---2---3---|
    /// map       *10
    ///           10--20--30--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .map { $0 * 10 }
    ///     .sink { print($0) }
    /// // 10
    /// // 20
    /// // 30
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameter transform: Transforms a value. Called on the thread that delivers.
    @preconcurrency @inlinable public func map<T>(_ transform: @escaping @Sendable (Output) -> T)
        -> Publishers.Map<Self, T>
    {
        Publishers.Map(upstream: self, transform: transform)
    }

    /// Transforms each value with a throwing closure; fails if the closure throws.
    ///
    /// ```
    /// self      1---2---a---3---|
    /// tryMap    number
    ///           1---2---x
    /// ```
    ///
    /// ```swift
    /// struct NotANumber: Error {}
    /// let cancellable = ["1", "2", "a"].publisher
    ///     .tryMap { text in
    ///         guard let number = Int(text) else { throw NotANumber() }
    ///         return number
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1
    /// // 2
    /// // failure(main.NotANumber())
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged. An error that the closure throws cancels upstream and fails the stream.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameter transform: Transforms a value. Called on the thread that delivers.
    @preconcurrency @inlinable public func tryMap<T>(_ transform: @escaping @Sendable (Output) throws -> T)
        -> Publishers.TryMap<Self, T>
    {
        Publishers.TryMap(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher of upstream's values, transformed by a closure.
    public struct Map<Upstream: Publisher, Output>: _StepPublisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value.
        public let transform: @Sendable (Upstream.Output) -> Output

        /// Creates the publisher that `map(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output
        ) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _MapStep<Upstream.Output, Upstream.Failure, Output> {
            _MapStep(transform: transform)
        }
    }

    /// A publisher of upstream's values, transformed by a throwing closure.
    public struct TryMap<Upstream: Publisher, Output>: _StepPublisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value.
        public let transform: @Sendable (Upstream.Output) throws -> Output

        /// Creates the publisher that `tryMap(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output
        ) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _TryMapStep<Upstream.Output, Upstream.Failure, Output> {
            _TryMapStep(transform: transform)
        }
    }
}

extension Publishers.Map: Sendable where Upstream: Sendable {}

/// What `map` does to a value.
@frozen public struct _MapStep<Input, InputFailure: Error, Output>: _Step {
    @usableFromInline let transform: (Input) -> Output

    @inlinable package init(transform: @escaping (Input) -> Output) { self.transform = transform }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Output) -> Void) -> _StepResult {
        forward(transform(input))
        return .next
    }
}

extension Publishers.TryMap: Sendable where Upstream: Sendable {}

/// What `tryMap` does to a value.
@frozen public struct _TryMapStep<Input, InputFailure: Error, Output>: _ThrowingStep {
    @usableFromInline let transform: (Input) throws -> Output

    /// The failure with which the step has ended the stream.
    public var _failure: (any Error)?

    @inlinable init(transform: @escaping (Input) throws -> Output) { self.transform = transform }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "TryMap" }

    /// Processes one value.
    @_transparent public mutating func _attempt(_ input: Input, _ forward: (Output) -> Void) throws -> _StepResult {
        forward(try transform(input))
        return .next
    }
}

extension Publishers.Map {
    /// Transforms each value with both closures, one after the other.
    ///
    /// Chosen only where the type requires it: nested closures cost more than consecutive steps.
    @inlinable @_disfavoredOverload
    @preconcurrency public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.Map<Upstream, T> {
        Publishers.Map<Upstream, T>(upstream: upstream) { [first = self.transform] in transform(first($0)) }
    }

    /// Transforms each value with both closures, one after the other; the second may throw.
    @preconcurrency @inlinable @_disfavoredOverload public func tryMap<T>(
        _ transform: @escaping @Sendable (Output) throws -> T
    ) -> Publishers.TryMap<Upstream, T> {
        Publishers.TryMap<Upstream, T>(upstream: upstream) { [first = self.transform] in try transform(first($0)) }
    }
}

extension Publishers.TryMap {
    /// Transforms each value with both closures, one after the other.
    @preconcurrency @inlinable @_disfavoredOverload public func map<T>(_ transform: @escaping @Sendable (Output) -> T)
        -> Publishers.TryMap<Upstream, T>
    {
        Publishers.TryMap<Upstream, T>(upstream: upstream) { [first = self.transform] in transform(try first($0)) }
    }

    /// Transforms each value with both closures, one after the other; the second may throw.
    @preconcurrency @inlinable @_disfavoredOverload public func tryMap<T>(
        _ transform: @escaping @Sendable (Output) throws -> T
    ) -> Publishers.TryMap<Upstream, T> {
        Publishers.TryMap<Upstream, T>(upstream: upstream) { [first = self.transform] in try transform(try first($0)) }
    }
}
