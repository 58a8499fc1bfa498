import HeadgateEngine

extension Publisher {
    /// Publishes the values that satisfy a predicate.
    ///
    /// ```
    /// self      1---2---3---4---|
    /// filter    even
    ///           ----2-------4---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...4).publisher
    ///     .filter { $0.isMultiple(of: 2) }
    ///     .sink { print($0) }
    /// // 2
    /// // 4
    /// ```
    ///
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one dropped.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameter isIncluded: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool)
        -> Publishers.Filter<Self>
    {
        Publishers.Filter(upstream: self, isIncluded: isIncluded)
    }

    /// Publishes the values that satisfy a throwing predicate, and fails if it throws.
    ///
    /// ```
    /// self       1---2---3---0---4---|
    /// tryFilter  even
    ///            ----2-------x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 2, 0].publisher
    ///     .tryFilter { number in
    ///         if number == 0 { throw Zero() }
    ///         return number.isMultiple(of: 2)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 2
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one dropped.
    /// - **Completion**: forwarded unchanged. An error that the closure throws cancels upstream and fails the stream.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameter isIncluded: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws -> Bool)
        -> Publishers.TryFilter<Self>
    {
        Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
    }
}

extension Publishers {
    /// A publisher of the upstream values that satisfy a predicate.
    public struct Filter<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let isIncluded: @Sendable (Upstream.Output) -> Bool

        /// Creates the publisher that `filter(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, isIncluded: @escaping @Sendable (Upstream.Output) -> Bool
        ) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _FilterStep<Upstream.Output, Upstream.Failure> {
            _FilterStep(isIncluded: isIncluded)
        }
    }

    /// A publisher of the upstream values that satisfy a throwing predicate.
    public struct TryFilter<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let isIncluded: @Sendable (Upstream.Output) throws -> Bool

        /// Creates the publisher that `tryFilter(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, isIncluded: @escaping @Sendable (Upstream.Output) throws -> Bool
        ) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _TryFilterStep<Upstream.Output, Upstream.Failure> {
            _TryFilterStep(isIncluded: isIncluded)
        }
    }
}

extension Publishers.Filter: Sendable where Upstream: Sendable {}

/// What `filter` does to a value.
@frozen public struct _FilterStep<Input, InputFailure: Error>: _Step {
    @usableFromInline let isIncluded: (Input) -> Bool

    @inlinable init(isIncluded: @escaping (Input) -> Bool) { self.isIncluded = isIncluded }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Input) -> Void) -> _StepResult {
        if !isIncluded(input) { return .skip }
        forward(input)
        return .next
    }
}

extension Publishers.TryFilter: Sendable where Upstream: Sendable {}

/// What `tryFilter` does to a value.
@frozen public struct _TryFilterStep<Input, InputFailure: Error>: _ThrowingStep {
    @usableFromInline let isIncluded: (Input) throws -> Bool

    /// The failure with which the step has ended the stream.
    public var _failure: (any Error)?

    @inlinable init(isIncluded: @escaping (Input) throws -> Bool) { self.isIncluded = isIncluded }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "TryFilter" }

    /// Processes one value.
    @_transparent public mutating func _attempt(_ input: Input, _ forward: (Input) -> Void) throws -> _StepResult {
        if try !isIncluded(input) { return .skip }
        forward(input)
        return .next
    }
}

extension Publishers.Filter {
    /// Publishes the values that satisfy both predicates; the second is called only if the first returns true.
    @preconcurrency @inlinable @_disfavoredOverload public func filter(
        _ isIncluded: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.Filter<Upstream> {
        Publishers.Filter(upstream: upstream) { [first = self.isIncluded] in first($0) && isIncluded($0) }
    }

    /// Publishes the values that satisfy both predicates; the second is called only if the first returns true.
    @preconcurrency @inlinable @_disfavoredOverload public func tryFilter(
        _ isIncluded: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFilter<Upstream> {
        Publishers.TryFilter(upstream: upstream) { [first = self.isIncluded] in try first($0) && isIncluded($0) }
    }
}

extension Publishers.TryFilter {
    /// Publishes the values that satisfy both predicates; the second is called only if the first returns true.
    @preconcurrency @inlinable @_disfavoredOverload public func filter(
        _ isIncluded: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.TryFilter<Upstream> {
        Publishers.TryFilter(upstream: upstream) { [first = self.isIncluded] in try first($0) && isIncluded($0) }
    }

    /// Publishes the values that satisfy both predicates; the second is called only if the first returns true.
    @preconcurrency @inlinable @_disfavoredOverload public func tryFilter(
        _ isIncluded: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFilter<Upstream> {
        Publishers.TryFilter(upstream: upstream) { [first = self.isIncluded] in try first($0) && isIncluded($0) }
    }
}
