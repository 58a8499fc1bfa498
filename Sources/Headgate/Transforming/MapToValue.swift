extension Publisher {
    /// Replaces each value with the same value.
    ///
    /// ```
    /// self        1---2---3---|
    /// mapToValue  0
    ///             0---0---0---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher
    ///     .mapToValue("tick")
    ///     .sink { print($0) }
    /// // tick
    /// // tick
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `map(_:)`.
    ///
    /// - Parameter value: The value to publish.
    @preconcurrency @inlinable public func mapToValue<Value: Sendable>(_ value: Value) -> Publishers.Map<Self, Value> {
        map { _ in value }
    }

    /// Replaces each value with `Void`.
    ///
    /// ```
    /// self       1---2---3---|
    /// mapToVoid
    ///            o---o---o---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher
    ///     .mapToVoid()
    ///     .sink { print($0) }
    /// // ()
    /// // ()
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `map(_:)`.
    @inlinable public func mapToVoid() -> Publishers.Map<Self, Void> { map { _ in () } }
}
