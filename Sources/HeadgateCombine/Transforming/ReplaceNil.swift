import HeadgateEngine

extension Publisher {
    /// Replaces each `nil` with a given value.
    ///
    /// ```
    /// self        1---nil---3---|
    /// replaceNil  0
    ///             1---0-----3---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, nil, 3].publisher
    ///     .replaceNil(with: 0)
    ///     .sink { print($0) }
    /// // 1
    /// // 0
    /// // 3
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: constant time per value. Fused with adjacent operators.
    ///
    /// - Parameter output: The value that replaces `nil`.
    @preconcurrency @inlinable public func replaceNil<T: Sendable>(with output: T) -> Publishers.Map<Self, T>
    where Output == T? {
        Publishers.Map(upstream: self) { $0 ?? output }
    }
}
