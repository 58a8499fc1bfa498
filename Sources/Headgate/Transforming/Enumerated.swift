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
    @inlinable public func enumerated(initial: Int = 0) -> Publishers.Stepped<Self, Steps.Enumerated<Output, Failure>> {
        Publishers.Stepped(self, Steps.Enumerated(index: initial))
    }
}

extension Steps {
    /// What `enumerated(initial:)` does to a value.
    @frozen public struct Enumerated<Input, InputFailure: Error>: _Step, Sendable {
        /// The type of error that the stream may fail with after this step.
        public typealias OutputFailure = InputFailure

        @usableFromInline var index: Int

        @inlinable init(index: Int) { self.index = index }

        /// Processes one value.
        @inlinable public mutating func _receive(
            _ input: Input, _ forward: ((index: Int, element: Input)) -> Void
        ) -> _StepResult {
            let current = index
            index &+= 1
            forward((index: current, element: input))
            return .next
        }
    }
}
