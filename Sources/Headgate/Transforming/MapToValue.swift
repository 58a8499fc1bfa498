import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Publishes the same value for each value.
    ///
    /// ```swift
    /// [1, 2].publisher
    ///     .mapToValue("tick")
    ///     .sink { print($0) }
    /// // tick
    /// // tick
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `map(_:)`.
    ///
    /// - Parameter value: What is published.
    @inlinable public func mapToValue<Value: StrictlySendable>(_ value: Value) -> Publishers.Map<Self, Value> {
        map { _ in value }
    }

    /// Publishes for each value that there was one.
    ///
    /// ```swift
    /// [1, 2].publisher
    ///     .mapToVoid()
    ///     .sink { print($0) }
    /// // ()
    /// // ()
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `map(_:)`.
    @inlinable public func mapToVoid() -> Publishers.Map<Self, Void> { map { _ in () } }
}
