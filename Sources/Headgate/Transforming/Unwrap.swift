extension Publisher {
    /// Publishes the non-`nil` values.
    ///
    /// ```
    /// self      1---nil---3---|
    /// unwrap
    ///           1---------3---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, nil, 3].publisher
    ///     .unwrap()
    ///     .sink { print($0) }
    /// // 1
    /// // 3
    /// ```
    ///
    /// - **Demand**: forwarded; one more value is requested for each `nil`.
    /// - **Completion**: forwarded.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: constant time per value. Fused with adjacent operators.
    @inlinable public func unwrap<T>() -> Publishers.CompactMap<Self, T> where Output == T? {
        compactMap { $0 }
    }
}
