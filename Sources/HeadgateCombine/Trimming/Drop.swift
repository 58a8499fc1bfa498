import HeadgateEngine

extension Publisher {
    /// Drops the first values, and forwards the others.
    ///
    /// ```
    /// self       1---2---3---4---|
    /// dropFirst  2
    ///            --------3---4---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...4).publisher
    ///     .dropFirst(2)
    ///     .sink { print($0) }
    /// // 3
    /// // 4
    /// ```
    ///
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one dropped.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: constant time per value. Fused with adjacent operators.
    ///
    /// - Parameter count: The number of values to drop. A negative number traps.
    @inlinable public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
        Publishers.Drop(upstream: self, count: count)
    }
}

extension Publishers {
    /// A publisher of all but the first values of upstream.
    public struct Drop<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The number of values to drop.
        public let count: Int

        /// Creates the publisher that `dropFirst(_:)` returns.
        @inlinable public init(upstream: Upstream, count: Int) {
            require(
                count >= 0, rule: "A number of values can't be negative.", found: "dropFirst(\(count))",
                remedy: "Use zero to drop nothing.")
            self.upstream = upstream
            self.count = count
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _DropStep<Upstream.Output, Upstream.Failure> {
            _DropStep(count: count)
        }
    }
}

extension Publishers.Drop: Sendable where Upstream: Sendable {}

extension Publishers.Drop: Equatable where Upstream: Equatable {}

/// What `dropFirst` does to a value.
@frozen public struct _DropStep<Input, InputFailure: Error>: _Step {
    @usableFromInline var toSkip: Int

    @inlinable init(count: Int) { toSkip = count }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "Drop" }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Input) -> Void) -> _StepResult {
        if toSkip > 0 {
            toSkip -= 1
            return .skip
        }
        forward(input)
        return .next
    }
}
