import HeadgateCore

/// Publishes one value, and finishes.
///
/// ```
/// Just(7)   7|
/// ```
///
/// ```swift
/// Just(7).sink { print($0) }
/// // 7
/// ```
///
/// - **Demand**: the value waits for the first demand.
/// - **Completion**: right behind the value.
public struct Just<Output>: Publisher {
    /// It never fails.
    public typealias Failure = Never

    /// The value, which every subscriber gets.
    public let output: Output

    /// Makes a publisher of one value.
    @inlinable
    public init(_ output: Output) { self.output = output }

    /// Connects a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        subscriber.connect(toOnly: output, name: "Just")
    }
}

extension Just: Equatable where Output: Equatable {}

extension Just: Sendable where Output: Sendable {}
