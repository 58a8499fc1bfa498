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
        Publishers.Stepped(self, PairwiseStep()).eraseToAnyPublisher()
    }
}

/// What `pairwise` does to a value.
@usableFromInline struct PairwiseStep<Input, InputFailure: Error>: _Step {
    @usableFromInline var last: Input?

    @inlinable init() {}

    @inlinable mutating func _receive(_ input: Input, _ forward: ((Input, Input)) -> Void) -> _StepResult {
        guard let last = exchange(&last, with: input) else { return .skip }
        forward((last, input))
        return .next
    }
}
