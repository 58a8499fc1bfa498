import HeadgateEngine

extension Publisher {
    /// Forwards values while they satisfy a predicate, then finishes.
    ///
    /// ```
    /// self      1---2---5---1---|
    /// prefix    while below 3
    ///           1---2---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2, 5, 1].publisher
    ///     .prefix { $0 < 3 }
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: finishes in place of the first value that fails the predicate, and cancels upstream; completes
    ///   with upstream before that.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameter predicate: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func prefix(while predicate: @escaping @Sendable (Output) -> Bool)
        -> Publishers.PrefixWhile<Self>
    {
        Publishers.PrefixWhile(upstream: self, predicate: predicate)
    }

    /// Forwards values while they satisfy a throwing predicate, then finishes; fails if the predicate throws.
    ///
    /// ```
    /// self       1---2---0---5---|
    /// tryPrefix  while below 3, but no zero
    ///            1---2---x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 0, 5].publisher
    ///     .tryPrefix { number in
    ///         if number == 0 { throw Zero() }
    ///         return number < 3
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: finishes in place of the first value that fails the predicate, or fails in place of the one
    ///   for which it throws, and cancels upstream; completes with upstream before that.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameter predicate: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func tryPrefix(while predicate: @escaping @Sendable (Output) throws -> Bool)
        -> Publishers.TryPrefixWhile<Self>
    {
        Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of upstream's values before the first that fails a predicate.
    public struct PrefixWhile<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let predicate: @Sendable (Output) -> Bool

        /// Creates the publisher that `prefix(while:)` returns.
        @preconcurrency @inlinable public init(upstream: Upstream, predicate: @escaping @Sendable (Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _PrefixWhileStep<Upstream.Output, Upstream.Failure> {
            _PrefixWhileStep(predicate: predicate)
        }
    }

    /// A publisher of upstream's values before the first that fails a throwing predicate.
    public struct TryPrefixWhile<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let predicate: @Sendable (Output) throws -> Bool

        /// Creates the publisher that `tryPrefix(while:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, predicate: @escaping @Sendable (Output) throws -> Bool
        ) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _TryPrefixWhileStep<Upstream.Output, Upstream.Failure> {
            _TryPrefixWhileStep(predicate: predicate)
        }
    }
}

extension Publishers.PrefixWhile: Sendable where Upstream: Sendable {}

extension Publishers.TryPrefixWhile: Sendable where Upstream: Sendable {}

/// What `prefix(while:)` does to a value.
@frozen public struct _PrefixWhileStep<Input, InputFailure: Error>: _Step {
    @usableFromInline let predicate: (Input) -> Bool

    @inlinable init(predicate: @escaping (Input) -> Bool) { self.predicate = predicate }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "PrefixWhile" }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Input) -> Void) -> _StepResult {
        if !predicate(input) { return .end }
        forward(input)
        return .next
    }
}

/// What `tryPrefix(while:)` does to a value.
@frozen public struct _TryPrefixWhileStep<Input, InputFailure: Error>: _ThrowingStep {
    @usableFromInline let predicate: (Input) throws -> Bool

    /// The failure with which the step has ended the stream.
    public var _failure: (any Error)?

    @inlinable init(predicate: @escaping (Input) throws -> Bool) { self.predicate = predicate }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "TryPrefixWhile" }

    /// Processes one value.
    @_transparent public mutating func _attempt(_ input: Input, _ forward: (Input) -> Void) throws -> _StepResult {
        if try !predicate(input) { return .end }
        forward(input)
        return .next
    }
}
