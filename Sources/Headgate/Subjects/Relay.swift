import HeadgateCombine
import HeadgateCore

/// A subject that can't end: it takes values, and nothing else.
///
/// ```swift
/// let relay = PassthroughRelay<Int>()
/// let watch = relay.sink { print($0) }
/// relay.accept(1)
/// // 1
/// ```
///
/// Publishers may be subscribed to it, and their end is not passed on.
public protocol Relay<Output>: Publisher where Failure == Never {
    /// Publishes a value.
    func accept(_ value: Output)
}

extension Relay {
    /// Publishes the values of a publisher, until it ends or the cancellable is cancelled or let go of.
    ///
    /// The relay is kept for as long.
    public func subscribe<P: Publisher>(_ publisher: P) -> AnyCancellable
    where P.Output == Output, P.Failure == Never, Self: StrictlySendable {
        publisher.sink { self.accept($0) }
    }
}

extension Relay where Output == Void {
    /// Publishes an event that carries no value.
    public func accept() { accept(()) }
}

extension Publisher where Failure == Never {
    /// Publishes the values of this publisher through a relay, until this ends or the cancellable is cancelled or let go of.
    ///
    /// ```swift
    /// let relay = CurrentValueRelay(0)
    /// let tie = [1, 2].publisher.subscribe(relay)
    /// print(relay.value)
    /// // 2
    /// ```
    ///
    /// **Demand**: everything. **Completion**: not passed on. **Complexity**: that of the relay.
    public func subscribe<R: Relay & StrictlySendable>(_ relay: R) -> AnyCancellable where R.Output == Output {
        relay.subscribe(self)
    }
}
