import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes each value together with the previous one.
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
    /// - **Demand**: forwarded; one more value is requested for the first one.
    /// - **Completion**: forwarded. A single value makes no pair.
    /// - **Complexity**: constant time per value.
    /// - **Threads**: values are delivered on the thread on which upstream delivers.
    @inlinable public func pairwise() -> AnyPublisher<(Output, Output), Failure> {
        Publishers.Pairwise(upstream: self).eraseToAnyPublisher()
    }
}

extension Publishers {
    /// A publisher of each of upstream's values together with the previous one.
    public struct Pairwise<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = (Upstream.Output, Upstream.Output)

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates the publisher that `pairwise()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _PairwiseStep<Upstream.Output, Failure> { _PairwiseStep() }
    }
}

extension Publishers.Pairwise: Sendable where Upstream: Sendable {}

extension Publishers.Pairwise: Equatable where Upstream: Equatable {}

/// What `pairwise` does to a value.
@frozen public struct _PairwiseStep<Input, InputFailure: Error>: _Step {
    @usableFromInline var last: Input?

    @inlinable init() {}

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: ((Input, Input)) -> Void) -> _StepResult {
        guard let last = exchange(&last, with: input) else { return .skip }
        forward((last, input))
        return .next
    }
}
