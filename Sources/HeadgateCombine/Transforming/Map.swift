import HeadgateCore
import HeadgateEngine

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
    @inlinable public func map<T>(_ transform: @escaping StreamClosure<Output, T>) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self, transform: transform)
    }

    /// Publishes what a closure makes of each value; where it throws, the stream fails with that error.
    ///
    /// ```
    /// self      1---2---a---3---|
    /// tryMap    number
    ///           1---2---x
    /// ```
    ///
    /// ```swift
    /// struct NotANumber: Error {}
    /// ["1", "2", "a"].publisher
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
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is. An error that the closure throws cancels upstream and ends the stream.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameter transform: Makes a new value of each. Called on the thread that delivers.
    @inlinable public func tryMap<T>(_ transform: @escaping ThrowingStreamClosure<Output, T>)
        -> Publishers.TryMap<Self, T>
    {
        Publishers.TryMap(upstream: self, transform: transform)
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
        public let transform: StreamClosure<Upstream.Output, Output>

        /// Makes the publisher that `map(_:)` returns.
        @inlinable public init(upstream: Upstream, transform: @escaping StreamClosure<Upstream.Output, Output>) {
            self.upstream = upstream
            self.transform = transform
        }

        /// The step that calls the closure.
        @inlinable public var _stage: _MapStep<Upstream, Output> { _MapStep(transform: transform) }
    }
}

extension Publishers.Map: StrictlySendable where Upstream: StrictlySendable {}

/// What `map` does to a value.
@frozen public struct _MapStep<Upstream: Publisher, Output>: _PassingStep, _UpstreamStep {
    @usableFromInline let transform: (Upstream.Output) -> Output

    @inlinable init(transform: @escaping (Upstream.Output) -> Output) { self.transform = transform }

    /// Calls the closure.
    @inlinable public mutating func _receive(_ input: Upstream.Output) -> _StepResult<Output, Upstream.Failure> {
        .next(transform(input))
    }
}

extension Publishers {
    /// A publisher of what a throwing closure makes of each value of another publisher.
    public struct TryMap<Upstream: Publisher, Output>: _StepPublisher {
        /// Any error: those of upstream and those that the closure throws.
        public typealias Failure = any Error

        /// The publisher whose values are transformed.
        public let upstream: Upstream

        /// What makes a new value of each.
        public let transform: ThrowingStreamClosure<Upstream.Output, Output>

        /// Makes the publisher that `tryMap(_:)` returns.
        @inlinable public init(upstream: Upstream, transform: @escaping ThrowingStreamClosure<Upstream.Output, Output>)
        {
            self.upstream = upstream
            self.transform = transform
        }

        /// The step that calls the closure.
        @inlinable public var _stage: _TryMapStep<Upstream, Output> {
            _TryMapStep(transform: transform)
        }
    }
}

extension Publishers.TryMap: StrictlySendable where Upstream: StrictlySendable {}

/// What `tryMap` does to a value.
@frozen public struct _TryMapStep<Upstream: Publisher, Output>: _ThrowingStep, _UpstreamStep {
    @usableFromInline let transform: (Upstream.Output) throws -> Output

    @inlinable init(transform: @escaping (Upstream.Output) throws -> Output) { self.transform = transform }

    /// `TryMap`.
    @inlinable public static var _name: String { "TryMap" }

    /// Calls the closure.
    @inlinable public mutating func _attempt(_ input: Upstream.Output) throws -> _StepResult<Output, any Error> {
        .next(try transform(input))
    }
}

extension Publishers.Map {
    /// Publishes what a second closure makes of what the first one makes of each value.
    ///
    /// Chosen where the type says so, and not otherwise: closures inside closures cost more than steps behind steps.
    @inlinable @_disfavoredOverload
    public func map<T>(_ transform: @escaping StreamClosure<Output, T>) -> Publishers.Map<Upstream, T> {
        Publishers.Map<Upstream, T>(upstream: upstream) { [first = self.transform] in transform(first($0)) }
    }

    /// Publishes what a second, throwing closure makes of what the first one makes of each value.
    @inlinable @_disfavoredOverload public func tryMap<T>(_ transform: @escaping ThrowingStreamClosure<Output, T>)
        -> Publishers.TryMap<Upstream, T>
    {
        Publishers.TryMap<Upstream, T>(upstream: upstream) { [first = self.transform] in try transform(first($0)) }
    }
}

extension Publishers.TryMap {
    /// Publishes what a second closure makes of what the first one makes of each value.
    @inlinable @_disfavoredOverload public func map<T>(_ transform: @escaping StreamClosure<Output, T>)
        -> Publishers.TryMap<Upstream, T>
    {
        Publishers.TryMap<Upstream, T>(upstream: upstream) { [first = self.transform] in transform(try first($0)) }
    }

    /// Publishes what a second, throwing closure makes of what the first one makes of each value.
    @inlinable @_disfavoredOverload public func tryMap<T>(_ transform: @escaping ThrowingStreamClosure<Output, T>)
        -> Publishers.TryMap<Upstream, T>
    {
        Publishers.TryMap<Upstream, T>(upstream: upstream) { [first = self.transform] in try transform(try first($0)) }
    }
}
