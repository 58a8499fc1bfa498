import HeadgateCombine
import HeadgateCore

/// A relay that passes each value to the subscribers of that moment which have asked for one.
///
/// ```
/// relay     1---2---3---4---
/// late            --3---4---
/// ```
///
/// ```swift
/// let news = PassthroughRelay<String>()
/// news.accept("nobody hears this")
/// let reader = news.sink { print($0) }
/// news.accept("hello")
/// // hello
/// ```
///
/// - **Demand**: each subscriber has its own. A value goes past those that have not asked for one: it is not kept.
/// - **Completion**: finishes when the relay goes.
/// - **Complexity**: that of a `PassthroughSubject`, which it is inside. It may be used from any number of threads.
public final class PassthroughRelay<Output>: Relay {
    /// None: a relay can't fail.
    public typealias Failure = Never

    @usableFromInline let subject = PassthroughSubject<Output, Never>()

    /// Makes a relay without subscribers.
    @inlinable public init() {}

    @inlinable deinit { subject.send(completion: .finished) }

    /// Publishes a value.
    @inlinable public func accept(_ value: Output) { subject.send(value) }

    /// Connects a subscriber, which gets what is accepted from now on.
    @inlinable public func receive(subscriber: some Subscriber<Output, Never>) {
        subject.receive(subscriber: subscriber)
    }
}

extension PassthroughRelay: Sendable where Output: Sendable {}
