import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes each value with its index.
    ///
    /// ```
    /// self        a-------b-------|
    /// enumerated
    ///             0a------1b------|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["a", "b"].publisher
    ///     .enumerated(initial: 1)
    ///     .sink { print($0.index, $0.element) }
    /// // 1 a
    /// // 2 b
    /// ```
    ///
    /// - **Demand** and **Completion**: forwarded.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: constant time per value. Fused with adjacent operators.
    ///
    /// - Parameter initial: The index of the first value. `Int.max` is followed by `Int.min`.
    @inlinable public func enumerated(initial: Int = 0) -> Publishers.Enumerated<Self> {
        Publishers.Enumerated(upstream: self, initial: initial)
    }
}

extension Publishers {
    /// A publisher of upstream's values with their indices.
    public struct Enumerated<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = (index: Int, element: Upstream.Output)

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The index of the first value.
        public let initial: Int

        /// Creates the publisher that `enumerated(initial:)` returns.
        @inlinable public init(upstream: Upstream, initial: Int = 0) {
            self.upstream = upstream
            self.initial = initial
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _EnumeratedStep<Upstream.Output, Failure> {
            _EnumeratedStep(next: initial)
        }
    }
}

extension Publishers.Enumerated: Sendable where Upstream: Sendable {}

extension Publishers.Enumerated: Equatable where Upstream: Equatable {}

/// What `enumerated(initial:)` does to a value.
@frozen public struct _EnumeratedStep<Input, InputFailure: Error>: _Step {
    /// The type of error that the stream may fail with after this step.
    public typealias OutputFailure = InputFailure

    @usableFromInline var next: Int

    @inlinable init(next: Int) { self.next = next }

    /// Processes one value.
    @inlinable public mutating func _receive(
        _ input: Input, _ forward: ((index: Int, element: Input)) -> Void
    ) -> _StepResult {
        let index = next
        next &+= 1
        forward((index: index, element: input))
        return .next
    }
}
