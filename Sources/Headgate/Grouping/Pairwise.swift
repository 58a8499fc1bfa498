import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes each value together with the one before it.
    ///
    /// ```
    /// self      1---2-----3-----|
    /// pairwise
    ///           ----(1,2)-(2,3)-|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 4, 9].publisher
    ///     .pairwise()
    ///     .map { $1 - $0 }
    ///     .sink { print($0) }
    /// // 3
    /// // 5
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is requested for the first value.
    /// - **Completion**: passed on as it is; a single value makes no pair.
    /// - **Complexity**: constant time per value.
    @inlinable public func pairwise() -> AnyPublisher<(Output, Output), Failure> where Self: StrictlySendable {
        Publishers.Pairwise(upstream: self).eraseToAnyPublisher()
    }
}

extension Publishers {
    /// A publisher of each value of another publisher together with the one before it.
    public struct Pairwise<Upstream: Publisher>: _StepPublisher {
        /// A value and the next one.
        public typealias Output = (Upstream.Output, Upstream.Output)

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are paired.
        public let upstream: Upstream

        /// Makes the publisher that `pairwise()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// The step that keeps the last value.
        @inlinable public var _stage: _PairwiseStep<Upstream.Output, Failure> { _PairwiseStep() }
    }
}

extension Publishers.Pairwise: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Pairwise: Equatable where Upstream: Equatable {}

/// What `pairwise` does to a value.
@frozen public struct _PairwiseStep<Input, Failure: Error>: _PassingStep {
    @usableFromInline var last: Input?

    @inlinable init() {}

    /// Puts it together with the one before.
    @inlinable public mutating func _receive(_ input: Input) -> _StepResult<(Input, Input), Failure> {
        guard let last = exchange(&last, with: input) else { return .skip }
        return .next((last, input))
    }
}
