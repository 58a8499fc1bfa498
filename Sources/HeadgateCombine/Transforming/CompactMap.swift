import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes what a closure makes of each value, leaving out where it makes nothing.
    ///
    /// ```
    /// self        1---a---3---|
    /// compactMap  number
    ///             1-------3---|
    /// ```
    ///
    /// ```swift
    /// ["1", "a", "3"].publisher
    ///     .compactMap { Int($0) }
    ///     .sink { print($0) }
    /// // 1
    /// // 3
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value that is left out.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameter transform: Makes a new value of each, or `nil`. Called on the thread that delivers.
    @inlinable public func compactMap<T>(_ transform: @escaping StreamClosure<Output, T?>)
        -> Publishers.CompactMap<Self, T>
    {
        Publishers.CompactMap(upstream: self, transform: transform)
    }

    /// Publishes what a closure makes of each value, leaving out where it makes nothing; where it throws, the stream
    /// fails with that error.
    ///
    /// ```
    /// self           1---a---3---?---4---|
    /// tryCompactMap  number
    ///                1-------3---x
    /// ```
    ///
    /// ```swift
    /// struct Unreadable: Error {}
    /// ["1", "a", "?"].publisher
    ///     .tryCompactMap { text in
    ///         if text == "?" { throw Unreadable() }
    ///         return Int(text)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1
    /// // failure(main.Unreadable())
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value that is left out.
    /// - **Completion**: passed on as it is. An error that the closure throws cancels upstream and ends the stream.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameter transform: Makes a new value of each, or `nil`. Called on the thread that delivers.
    @inlinable public func tryCompactMap<T>(
        _ transform: @escaping ThrowingStreamClosure<Output, T?>
    ) -> Publishers.TryCompactMap<Self, T> {
        Publishers.TryCompactMap(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher of what a closure makes of each value of another publisher, where it makes something.
    public struct CompactMap<Upstream: Publisher, Output>: _StepPublisher {
        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are transformed.
        public let upstream: Upstream

        /// What makes a new value of each, or `nil`.
        public let transform: StreamClosure<Upstream.Output, Output?>

        /// Makes the publisher that `compactMap(_:)` returns.
        @inlinable public init(upstream: Upstream, transform: @escaping StreamClosure<Upstream.Output, Output?>) {
            self.upstream = upstream
            self.transform = transform
        }

        /// The step that calls the closure.
        @inlinable public var _stage: _CompactMapStep<Upstream, Output> {
            _CompactMapStep(transform: transform)
        }
    }

    /// A publisher of what a throwing closure makes of each value of another publisher, where it makes something.
    public struct TryCompactMap<Upstream: Publisher, Output>: _StepPublisher {
        /// Any error: those of upstream and those that the closure throws.
        public typealias Failure = any Error

        /// The publisher whose values are transformed.
        public let upstream: Upstream

        /// What makes a new value of each, or `nil`.
        public let transform: ThrowingStreamClosure<Upstream.Output, Output?>

        /// Makes the publisher that `tryCompactMap(_:)` returns.
        @inlinable public init(upstream: Upstream, transform: @escaping ThrowingStreamClosure<Upstream.Output, Output?>)
        {
            self.upstream = upstream
            self.transform = transform
        }

        /// The step that calls the closure.
        @inlinable public var _stage: _TryCompactMapStep<Upstream, Output> {
            _TryCompactMapStep(transform: transform)
        }
    }
}

extension Publishers.CompactMap: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.TryCompactMap: StrictlySendable where Upstream: StrictlySendable {}

/// What `compactMap` does to a value.
@frozen public struct _CompactMapStep<Upstream: Publisher, Output>: _PassingStep, _UpstreamStep {
    @usableFromInline let transform: (Upstream.Output) -> Output?

    @inlinable init(transform: @escaping (Upstream.Output) -> Output?) { self.transform = transform }

    /// Passes on what the closure makes, if anything.
    @inlinable public mutating func _receive(_ input: Upstream.Output) -> _StepResult<Output, Upstream.Failure> {
        if let output = transform(input) { .next(output) } else { .skip }
    }
}

/// What `tryCompactMap` does to a value.
@frozen public struct _TryCompactMapStep<Upstream: Publisher, Output>: _ThrowingStep, _UpstreamStep {
    @usableFromInline let transform: (Upstream.Output) throws -> Output?

    @inlinable init(transform: @escaping (Upstream.Output) throws -> Output?) { self.transform = transform }

    /// `TryCompactMap`.
    @inlinable public static var _name: String { "TryCompactMap" }

    /// Passes on what the closure makes, if anything.
    @inlinable public mutating func _attempt(_ input: Upstream.Output) throws -> _StepResult<Output, any Error> {
        if let output = try transform(input) { .next(output) } else { .skip }
    }
}

extension Publishers.CompactMap {
    /// Publishes what a second closure makes of what the first one makes, where both make something.
    @inlinable @_disfavoredOverload public func compactMap<T>(_ transform: @escaping StreamClosure<Output, T?>)
        -> Publishers.CompactMap<Upstream, T>
    {
        Publishers.CompactMap<Upstream, T>(upstream: upstream) { [first = self.transform] in
            first($0).flatMap(transform)
        }
    }

    /// Publishes what a second closure makes of what the first one makes, where that makes something.
    @inlinable @_disfavoredOverload public func map<T>(_ transform: @escaping StreamClosure<Output, T>)
        -> Publishers.CompactMap<Upstream, T>
    {
        Publishers.CompactMap<Upstream, T>(upstream: upstream) { [first = self.transform] in
            first($0).map(transform)
        }
    }
}

extension Publishers.TryCompactMap {
    /// Publishes what a second closure makes of what the first one makes, where both make something.
    @inlinable @_disfavoredOverload public func compactMap<T>(_ transform: @escaping ThrowingStreamClosure<Output, T?>)
        -> Publishers.TryCompactMap<Upstream, T>
    {
        Publishers.TryCompactMap<Upstream, T>(upstream: upstream) { [first = self.transform] in
            try first($0).flatMap(transform)
        }
    }
}
