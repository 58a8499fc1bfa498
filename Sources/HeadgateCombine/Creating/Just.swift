import HeadgateEngine

/// Publishes one value and finishes.
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
/// - **Completion**: right after the value.
/// - **Threads**: delivers on the thread of the first request.
public struct Just<Output>: Publisher {
    /// The type of error that the stream may fail with.
    public typealias Failure = Never

    /// The value that every subscriber receives.
    public let output: Output

    /// Creates a publisher of one value.
    @inlinable public init(_ output: Output) { self.output = output }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Never>) {
        subscriber.serve(only: output, name: "Just")
    }

    /// The value.
    @inlinable public var _soleValue: Output? { output }
}

extension Just: Equatable where Output: Equatable {}

extension Just: Sendable where Output: Sendable {}
