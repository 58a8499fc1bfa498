import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes a value of your choice in the place of each `nil`.
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
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: constant time a value. Fused with the operators around it.
    ///
    /// - Parameter output: What to publish instead of `nil`.
    @inlinable public func replaceNil<T: StrictlySendable>(with output: T) -> Publishers.Map<Self, T>
    where Output == T? {
        Publishers.Map(upstream: self) { $0 ?? output }
    }
}
