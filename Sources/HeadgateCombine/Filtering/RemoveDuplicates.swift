import HeadgateEngine

extension Publisher {
    /// Drops each value that equals its predecessor according to a closure.
    ///
    /// ```
    /// self              a---A---b---B---a---|
    /// removeDuplicates  ignoring case
    ///                   a-------b-------a---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["a", "A", "b"].publisher
    ///     .removeDuplicates { $0.lowercased() == $1.lowercased() }
    ///     .sink { print($0) }
    /// // a
    /// // b
    /// ```
    ///
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one dropped.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameter predicate: Returns whether two consecutive values are equal. Called on the thread that delivers them.
    @preconcurrency @inlinable public func removeDuplicates(
        by predicate: @escaping @Sendable (Output, Output) -> Bool
    ) -> Publishers.RemoveDuplicates<Self> {
        Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
    }

    /// Drops each value that equals its predecessor according to a throwing closure, and fails if it throws.
    ///
    /// ```
    /// self                 1---1---2---0---|
    /// tryRemoveDuplicates  no zero
    ///                      1-------2---x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 1, 2, 0].publisher
    ///     .tryRemoveDuplicates { last, next in
    ///         if next == 0 { throw Zero() }
    ///         return last == next
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1
    /// // 2
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one dropped.
    /// - **Completion**: forwarded unchanged. An error that the closure throws cancels upstream and fails the stream.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameter predicate: Returns whether two consecutive values are equal. Called on the thread that delivers them.
    @preconcurrency @inlinable public func tryRemoveDuplicates(
        by predicate: @escaping @Sendable (Output, Output) throws -> Bool
    ) -> Publishers.TryRemoveDuplicates<Self> {
        Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
    }
}

extension Publisher where Output: Equatable & SendableMetatype {
    /// Drops each value that equals its predecessor.
    ///
    /// ```
    /// self              1---1---2---2---1---|
    /// removeDuplicates
    ///                   1-------2-------1---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 1, 2, 2, 1].publisher
    ///     .removeDuplicates()
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// // 1
    /// ```
    ///
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one dropped.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one comparison per value. Fused with adjacent operators.
    @preconcurrency @inlinable public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> {
        removeDuplicates(by: ==)
    }
}

extension Publishers {
    /// A publisher of the upstream values that don't equal their predecessor.
    public struct RemoveDuplicates<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that returns whether two values are equal.
        public let predicate: @Sendable (Output, Output) -> Bool

        /// Creates the publisher that `removeDuplicates(by:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, predicate: @escaping @Sendable (Output, Output) -> Bool
        ) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _RemoveDuplicatesStep<Upstream.Output, Upstream.Failure> {
            _RemoveDuplicatesStep(predicate: predicate)
        }
    }

    /// A publisher of the upstream values that don't equal their predecessor according to a throwing closure.
    public struct TryRemoveDuplicates<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that returns whether two values are equal.
        public let predicate: @Sendable (Output, Output) throws -> Bool

        /// Creates the publisher that `tryRemoveDuplicates(by:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, predicate: @escaping @Sendable (Output, Output) throws -> Bool
        ) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _TryRemoveDuplicatesStep<Upstream.Output, Upstream.Failure> {
            _TryRemoveDuplicatesStep(predicate: predicate)
        }
    }
}

extension Publishers.RemoveDuplicates: Sendable where Upstream: Sendable {}

extension Publishers.TryRemoveDuplicates: Sendable where Upstream: Sendable {}

/// What `removeDuplicates` does to a value.
@frozen public struct _RemoveDuplicatesStep<Input, InputFailure: Error>: _Step {
    @usableFromInline let predicate: (Input, Input) -> Bool

    @usableFromInline var last: Input?

    @inlinable init(predicate: @escaping (Input, Input) -> Bool) { self.predicate = predicate }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "RemoveDuplicates" }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Input) -> Void) -> _StepResult {
        let isDuplicate = if let last { predicate(last, input) } else { false }
        last = input
        if isDuplicate { return .skip }
        forward(input)
        return .next
    }
}

/// What `tryRemoveDuplicates` does to a value.
@frozen public struct _TryRemoveDuplicatesStep<Input, InputFailure: Error>: _ThrowingStep {
    @usableFromInline let predicate: (Input, Input) throws -> Bool

    @usableFromInline var last: Input?

    /// The failure with which the step has ended the stream.
    public var _failure: (any Error)?

    @inlinable init(predicate: @escaping (Input, Input) throws -> Bool) { self.predicate = predicate }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "TryRemoveDuplicates" }

    /// Processes one value.
    @_transparent public mutating func _attempt(_ input: Input, _ forward: (Input) -> Void) throws -> _StepResult {
        let isDuplicate = if let last { try predicate(last, input) } else { false }
        last = input
        if isDuplicate { return .skip }
        forward(input)
        return .next
    }
}
