import HeadgateEngine

extension Publisher {
    /// Accumulates the values in place, and publishes each running result.
    ///
    /// A dictionary or an array that is the result of `scan(_:_:)` is copied for each value; this updates it, and copies
    /// it only if somebody downstream has kept the one before.
    ///
    /// ```
    /// self      1---2-----3------|
    /// scan      into: [], append
    ///           [1]-[12]--[123]--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["ant", "ape", "bee"].publisher
    ///     .scan(into: [:]) { counts, word in counts[word.prefix(1), default: 0] += 1 }
    ///     .sink { print($0["a"] ?? 0, $0["b"] ?? 0) }
    /// // 1 0
    /// // 2 0
    /// // 2 1
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameters:
    ///   - initialResult: The result before the first value. It isn't published itself. Each subscriber begins with a
    ///     copy.
    ///   - update: Adds a value to the result. Called on the thread that delivers.
    @inlinable public func scan<T>(
        into initialResult: T, _ update: @escaping @Sendable (inout T, Output) -> Void
    ) -> Publishers.Stepped<Self, Steps.ScanInto<Output, Failure, T>> {
        Publishers.Stepped(self, Steps.ScanInto(result: initialResult, update: update))
    }
}

extension Steps {
    /// What `scan(into:_:)` does to a value.
    @frozen public struct ScanInto<Input, InputFailure: Error, Output>: _Step {
        @usableFromInline var result: Output

        @usableFromInline let update: @Sendable (inout Output, Input) -> Void

        @inlinable init(result: Output, update: @escaping @Sendable (inout Output, Input) -> Void) {
            self.result = result
            self.update = update
        }

        /// Processes one value.
        @inlinable public mutating func _receive(_ input: Input, _ forward: (Output) -> Void) -> _StepResult {
            update(&result, input)
            forward(result)
            return .next
        }
    }
}

extension Steps.ScanInto: Sendable where Output: Sendable {}
