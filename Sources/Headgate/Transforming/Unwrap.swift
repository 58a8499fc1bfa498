import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Publishes the values that there are, leaving out each `nil`.
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
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every `nil`.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: constant time a value. Fused with the operators around it.
    @inlinable public func unwrap<T>() -> Publishers.CompactMap<Self, T> where Output == T? {
        compactMap { $0 }
    }
}
