import HeadgateCombine
import HeadgateCore

/// A subject without a completion: it accepts values only.
///
/// ```swift
/// let relay = PassthroughRelay<Int>()
/// let watch = relay.sink { print($0) }
/// relay.accept(1)
/// // 1
/// ```
///
/// It can subscribe to publishers; their completion is not forwarded.
public protocol Relay<Output>: Publisher where Failure == Never {
    /// Publishes a value.
    func accept(_ value: Output)
}

extension Relay {
    /// Publishes the values of a publisher, until that completes or the cancellable is cancelled or released.
    ///
    /// The relay is retained until then.
    public func subscribe(_ publisher: some Publisher<Output, Never>) -> AnyCancellable where Self: StrictlySendable {
        publisher.sink { self.accept($0) }
    }
}

extension Relay where Output == Void {
    /// Publishes an event without a value.
    public func accept() { accept(()) }
}

extension Publisher where Failure == Never {
    /// Publishes the values of this publisher through a relay, until it completes or the cancellable is cancelled or
    /// released.
    ///
    /// ```swift
    /// let relay = CurrentValueRelay(0)
    /// let tie = [1, 2].publisher.subscribe(relay)
    /// print(relay.value)
    /// // 2
    /// ```
    ///
    /// **Demand**: unlimited. **Completion**: not forwarded. **Complexity**: that of the relay.
    public func subscribe(_ relay: some Relay<Output> & StrictlySendable) -> AnyCancellable {
        relay.subscribe(self)
    }
}
