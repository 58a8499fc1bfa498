import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes each value with its number.
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
    /// - **Demand** and **Completion**: passed on as they are.
    /// - **Complexity**: constant time a value. Fused with the operators around it.
    ///
    /// - Parameter initial: The number of the first value. After `Int.max` comes `Int.min`.
    @inlinable public func enumerated(initial: Int = 0) -> Publishers.Enumerated<Self> {
        Publishers.Enumerated(upstream: self, initial: initial)
    }
}

extension Publishers {
    /// A publisher of the values of another one with their numbers.
    public struct Enumerated<Upstream: Publisher>: _StepPublisher {
        /// A value with its number.
        public typealias Output = (index: Int, element: Upstream.Output)

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are counted.
        public let upstream: Upstream

        /// The number of the first value.
        public let initial: Int

        /// Makes the publisher that `enumerated(initial:)` returns.
        @inlinable public init(upstream: Upstream, initial: Int = 0) {
            self.upstream = upstream
            self.initial = initial
        }

        /// The step that counts.
        @inlinable public var _stage: _EnumeratedStep<Upstream.Output, Failure> { _EnumeratedStep(next: initial) }
    }
}

extension Publishers.Enumerated: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Enumerated: Equatable where Upstream: Equatable {}

/// What `enumerated(initial:)` does to a value.
@frozen public struct _EnumeratedStep<Input, InputFailure: Error>: _PassingStep {
    /// Failures go on as they are.
    public typealias OutputFailure = InputFailure

    @usableFromInline var next: Int

    @inlinable init(next: Int) { self.next = next }

    /// Puts the number before the value.
    @inlinable public mutating func _receive(
        _ input: Input
    ) -> _StepResult<(index: Int, element: Input), InputFailure> {
        defer { next &+= 1 }
        return .next((index: next, element: input))
    }
}
