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
    /// The relay is retained until then. A publisher that is itself a relay or a subject is the receiver instead, as in
    /// `source.subscribe(relay)`: values flow from the receiver into the argument.
    ///
    /// **Demand**: unlimited. **Completion**: not forwarded. **Threads**: upstream's. **Complexity**: that of the relay.
    @inlinable public func subscribe(_ publisher: some Publisher<Output, Never>) -> AnyCancellable {
        nonisolated(unsafe) let relay = self
        return publisher.sink { relay.accept($0) }
    }
}

// Without these, what a relay subscribes to would be preferred over what it is subscribed to, and values would flow from
// the argument into the receiver.
extension Relay {
    /// Publishes the values of this relay through another one, until this relay finishes or the cancellable is
    /// cancelled or released.
    ///
    /// The other relay is retained until then.
    ///
    /// **Demand**: unlimited. **Completion**: not forwarded. **Threads**: those of this relay. **Complexity**: that of the
    /// other relay.
    @inlinable public func subscribe(_ relay: some Relay<Output>) -> AnyCancellable {
        nonisolated(unsafe) let relay = relay
        return sink { relay.accept($0) }
    }

    /// Publishes the values of this relay through a subject, until this relay finishes or the cancellable is cancelled
    /// or released.
    ///
    /// **Demand**: up to the subject. **Completion**: sent to the subject. **Threads**: those of this relay.
    /// **Complexity**: that of the subject.
    @inlinable public func subscribe(_ subject: some Subject<Output, Never>) -> AnyCancellable {
        attach(subject)
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
    /// **Demand**: unlimited. **Completion**: not forwarded. **Threads**: the relay publishes on the thread on which
    /// this publisher delivers. **Complexity**: that of the relay.
    @inlinable public func subscribe(_ relay: some Relay<Output>) -> AnyCancellable {
        relay.subscribe(self)
    }
}
