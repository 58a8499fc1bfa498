import HeadgateCore
import HeadgateEngine

/// Publishes no value: finishes at once, or says nothing for ever.
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
/// - **Demand**: of no consequence.
/// - **Completion**: at once, without demand, unless told otherwise.
public struct Empty<Output, Failure: Error>: Publisher, Equatable, Sendable {
    /// Whether the stream finishes at once; if not, it never ends.
    public let completeImmediately: Bool

    /// Makes a publisher without values.
    @inlinable public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

    /// Makes a publisher without values, of types that can't be inferred otherwise.
    @inlinable public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
        self.init(completeImmediately: completeImmediately)
    }

    /// Connects a subscriber.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        if completeImmediately {
            subscriber.connect(toEnd: .finished)
        } else {
            subscriber.receive(subscription: Subscriptions.empty)
        }
    }
}
