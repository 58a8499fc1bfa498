extension Publisher where Output == Bool {
    /// Publishes the negation of each value.
    ///
    /// ```
    /// self      true----false---|
    /// toggle
    ///           false---true----|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [true, false].publisher
    ///     .map { $0 }
    ///     .toggle()
    ///     .sink { print($0) }
    /// // false
    /// // true
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `map(_:)`.
    @inlinable public func toggle() -> Publishers.Map<Self, Bool> { map { !$0 } }
}
