extension Publisher {
    /// Publishes an initial result, and then the result of combining the previous result with each value.
    ///
    /// ```
    /// self      --1---2---3--|
    /// scan      0, +
    ///           0-1---3---6--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2, 3].publisher
    ///     .map { $0 }
    ///     .scan(emitting: 0, +)
    ///     .collect()
    ///     .sink { print($0) }
    /// // [0, 1, 3, 6]
    /// ```
    ///
    /// Upstream is subscribed to after the initial result has been requested.
    ///
    /// - **Demand**: forwarded, less one for the initial result.
    /// - **Completion**: forwarded.
    /// - **Threads**: the initial result is delivered on the thread of the first request, on which upstream is then
    ///   subscribed to; after that upstream's: the closure is called, and a value delivered, on the thread on which
    ///   upstream delivers.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameters:
    ///   - initialResult: The first value to publish.
    ///   - nextPartialResult: Combines the previous result and a value.
    @preconcurrency @inlinable public func scan<Result>(
        emitting initialResult: Result, _ nextPartialResult: @escaping @Sendable (Result, Output) -> Result
    ) -> Publishers.Concatenate<Publishers.Sequence<[Result], Failure>, Publishers.Scan<Self, Result>> {
        Publishers.Concatenate(
            prefix: Publishers.Sequence(sequence: [initialResult]), suffix: scan(initialResult, nextPartialResult))
    }
}
