/// A relay with a current value, which it sends to each new subscriber.
///
/// ```
/// relay     0---1---2---3---
/// late              2---3---
/// ```
///
/// ```swift
/// let level = CurrentValueRelay(0)
/// let watch = level.sink { print($0) }
/// // 0
/// level.accept(1)
/// // 1
/// print(level.value)
/// // 1
/// ```
///
/// - **Demand**: each subscriber has its own. A subscriber without demand misses values, and receives the most recent
///   one when it requests one.
/// - **Completion**: finishes when the relay is deallocated.
/// - **Threads**: those of `CurrentValueSubject`.
/// - **Complexity**: that of a `CurrentValueSubject`, which it wraps. It may be used from any number of threads.
public final class CurrentValueRelay<Output>: Relay {
    /// The type of error that the stream may fail with.
    public typealias Failure = Never

    @usableFromInline let subject: CurrentValueSubject<Output, Never>

    /// Creates a relay with an initial value.
    @inlinable public init(_ value: Output) { subject = CurrentValueSubject(value) }

    @inlinable deinit { subject.send(completion: .finished) }

    /// The most recently accepted value.
    @inlinable public var value: Output { subject.value }

    /// Changes the value and publishes it.
    @inlinable public func accept(_ value: Output) { subject.send(value) }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Never>) {
        subject.receive(subscriber: subscriber)
    }
}

extension CurrentValueRelay: Sendable where Output: Sendable {}
