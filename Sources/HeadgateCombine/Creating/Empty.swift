import HeadgateEngine

/// Publishes no values: finishes at once, or never.
///
/// ```
/// Empty()                              |
/// Empty(completeImmediately: false)    -----
/// ```
///
/// ```swift
/// let cancellable = Empty<Int, Never>().sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
/// // finished
/// ```
///
/// - **Demand**: ignored.
/// - **Completion**: at once and without demand, or never if `completeImmediately` is `false`.
/// - **Threads**: finishes on the subscribing thread.
public struct Empty<Output, Failure: Error>: Publisher, Equatable, Sendable {
    /// Whether the stream finishes at once; if not, it never completes.
    public let completeImmediately: Bool

    /// Creates a publisher without values.
    @inlinable public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

    /// Creates a publisher without values, with explicit types where they can't be inferred.
    @inlinable public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
        self.init(completeImmediately: completeImmediately)
    }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        if completeImmediately {
            subscriber.complete(with: .finished)
        } else {
            subscriber.waitForNothing()
        }
    }
}
