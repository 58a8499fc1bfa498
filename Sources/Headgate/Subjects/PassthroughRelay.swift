/// A relay that forwards each value to the current subscribers with demand.
///
/// ```
/// relay     1---2---3---4---
/// late            --3---4---
/// ```
///
/// ```swift
/// let news = PassthroughRelay<String>()
/// news.accept("nobody receives this")
/// let reader = news.sink { print($0) }
/// news.accept("hello")
/// // hello
/// ```
///
/// - **Demand**: each subscriber has its own. Values are dropped for subscribers without demand; nothing is buffered.
/// - **Completion**: finishes when the relay is deallocated.
/// - **Threads**: those of `PassthroughSubject`.
/// - **Complexity**: that of a `PassthroughSubject`, which it wraps. It may be used from any number of threads.
public final class PassthroughRelay<Output>: Relay {
    /// The type of error that the stream may fail with.
    public typealias Failure = Never

    @usableFromInline let subject = PassthroughSubject<Output, Never>()

    /// Creates a relay without subscribers.
    @inlinable public init() {}

    @inlinable deinit { subject.send(completion: .finished) }

    /// Publishes a value.
    @inlinable public func accept(_ value: Output) { subject.send(value) }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Never>) {
        subject.receive(subscriber: subscriber)
    }
}

extension PassthroughRelay: Sendable where Output: Sendable {}
