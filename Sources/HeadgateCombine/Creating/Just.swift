import HeadgateCore
import HeadgateEngine

/// Publishes one value, and finishes.
///
/// ```
/// Just(7)   7|
/// ```
///
/// ```swift
/// let cancellable = Just(7).sink { print($0) }
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
    @inlinable public init(_ output: Output) { self.output = output }

    /// Connects a subscriber.
    @inlinable public func receive(subscriber: some Subscriber<Output, Never>) {
        subscriber.connect(toOnly: output, name: "Just")
    }
}

extension Just: Equatable where Output: Equatable {}

extension Just: Sendable where Output: Sendable {}

extension Publisher {
    /// The value of a `Just`, also of one with a failure type; `nil` for every other publisher.
    ///
    /// The compiler knows the type, so this costs nothing.
    @inlinable var soleValue: Output? {
        if let just = self as? Just<Output> { return just.output }
        if let just = self as? Publishers.SetFailureType<Just<Output>, Failure> { return just.upstream.output }
        return nil
    }
}
