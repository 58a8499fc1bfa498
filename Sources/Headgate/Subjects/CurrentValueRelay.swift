import HeadgateCombine
import HeadgateCore

/// A relay that has a value at every moment: a new subscriber begins with it.
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
/// - **Demand**: each subscriber has its own. A subscriber that has not asked misses values and gets the last one of them
///   when it asks.
/// - **Completion**: finishes when the relay goes.
/// - **Complexity**: that of a `CurrentValueSubject`, which it is inside. It may be used from any number of threads.
public final class CurrentValueRelay<Output>: Relay {
    /// None: a relay can't fail.
    public typealias Failure = Never

    @usableFromInline let subject: CurrentValueSubject<Output, Never>

    /// Makes a relay that begins with a value.
    @inlinable public init(_ value: Output) { subject = CurrentValueSubject(value) }

    @inlinable deinit { subject.send(completion: .finished) }

    /// The value that was accepted last.
    @inlinable public var value: Output { subject.value }

    /// Changes the value and publishes it.
    @inlinable public func accept(_ value: Output) { subject.send(value) }

    /// Connects a subscriber, which gets the present value as soon as it asks.
    @inlinable public func receive(subscriber: some Subscriber<Output, Never>) {
        subject.receive(subscriber: subscriber)
    }
}

extension CurrentValueRelay: Sendable where Output: Sendable {}
