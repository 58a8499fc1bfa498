import HeadgateEngine

extension Publisher {
    /// Drops values while they satisfy a predicate, and forwards the first that doesn't and all after it.
    ///
    /// ```
    /// self      1---2---5---1---|
    /// drop      while below 3
    ///           --------5---1---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2, 5, 1].publisher
    ///     .drop { $0 < 3 }
    ///     .sink { print($0) }
    /// // 5
    /// // 1
    /// ```
    ///
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one dropped.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value, up to the first that is forwarded. Fused with adjacent
    ///   operators.
    ///
    /// - Parameter predicate: Called for each value until it returns false, on the thread that delivers.
    @preconcurrency @inlinable public func drop(while predicate: @escaping @Sendable (Output) -> Bool)
        -> Publishers.DropWhile<Self>
    {
        Publishers.DropWhile(upstream: self, predicate: predicate)
    }

    /// Drops values while they satisfy a throwing predicate; fails if the predicate throws.
    ///
    /// ```
    /// self      1---2---0---5---|
    /// tryDrop   while below 3, but no zero
    ///           --------x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 2, 0].publisher
    ///     .tryDrop { number in
    ///         if number == 0 { throw Zero() }
    ///         return number < 3
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one dropped.
    /// - **Completion**: forwarded unchanged. An error that the closure throws cancels upstream and fails the stream.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value, up to the first that is forwarded. Fused with adjacent
    ///   operators.
    ///
    /// - Parameter predicate: Called for each value until it returns false, on the thread that delivers.
    @preconcurrency @inlinable public func tryDrop(while predicate: @escaping @Sendable (Output) throws -> Bool)
        -> Publishers.TryDropWhile<Self>
    {
        Publishers.TryDropWhile(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of upstream's values from the first that fails a predicate.
    public struct DropWhile<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value until it returns false.
        public let predicate: @Sendable (Output) -> Bool

        /// Creates the publisher that `drop(while:)` returns.
        @preconcurrency @inlinable public init(upstream: Upstream, predicate: @escaping @Sendable (Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _DropWhileStep<Upstream.Output, Upstream.Failure> {
            _DropWhileStep(predicate: predicate)
        }
    }

    /// A publisher of upstream's values from the first that fails a throwing predicate.
    public struct TryDropWhile<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value until it returns false.
        public let predicate: @Sendable (Output) throws -> Bool

        /// Creates the publisher that `tryDrop(while:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, predicate: @escaping @Sendable (Output) throws -> Bool
        ) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _TryDropWhileStep<Upstream.Output, Upstream.Failure> {
            _TryDropWhileStep(predicate: predicate)
        }
    }
}

extension Publishers.DropWhile: Sendable where Upstream: Sendable {}

extension Publishers.TryDropWhile: Sendable where Upstream: Sendable {}

/// What `drop(while:)` does to a value.
@frozen public struct _DropWhileStep<Input, InputFailure: Error>: _Step {
    @usableFromInline let predicate: (Input) -> Bool

    @usableFromInline var isDropping = true

    @inlinable init(predicate: @escaping (Input) -> Bool) { self.predicate = predicate }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "DropWhile" }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Input) -> Void) -> _StepResult {
        if isDropping, predicate(input) { return .skip }
        isDropping = false
        forward(input)
        return .next
    }
}

/// What `tryDrop(while:)` does to a value.
@frozen public struct _TryDropWhileStep<Input, InputFailure: Error>: _ThrowingStep {
    @usableFromInline let predicate: (Input) throws -> Bool

    @usableFromInline var isDropping = true

    /// The failure with which the step has ended the stream.
    public var _failure: (any Error)?

    @inlinable init(predicate: @escaping (Input) throws -> Bool) { self.predicate = predicate }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "TryDropWhile" }

    /// Processes one value.
    @_transparent public mutating func _attempt(_ input: Input, _ forward: (Input) -> Void) throws -> _StepResult {
        if isDropping, try predicate(input) { return .skip }
        isDropping = false
        forward(input)
        return .next
    }
}
