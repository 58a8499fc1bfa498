import HeadgateCore
import HeadgateEngine

/// What a `@Published` property keeps: its value, its subscribers, and whom to tell before it changes.
@usableFromInline final class PublishedStorage<Value> {
    @usableFromInline let hub: Hub<Value, Never>

    @usableFromInline let current: Guarded<CurrentValue<Value>>

    /// Hears first that the property is about to change.
    @usableFromInline let willChange = Guarded<ObservableObjectPublisher?>(nil)

    @inlinable init(_ value: Value) {
        hub = Hub(name: "PublishedSubject", latest: value)
        // The value is shared with the hub, which hands it to subscribers as they ask, as any subject does.
        nonisolated(unsafe) let first = CurrentValue(value)
        current = Guarded(first)
        hub.upstreams.open()
    }

    deinit { hub.close() }

    @inlinable var value: Value { current.withLock { $0.value } }

    /// Tells the object's subscribers, then those of the property, and then changes the value.
    ///
    /// Where a delivery is under way, it is changed at once and the delivery left to whoever is delivering, so that
    /// whoever sets the property can read it back.
    @inlinable func send(_ new: Value) { _ = send(new, ifStill: nil) }

    /// Does the same, unless the property has been changed since `expected`.
    @inlinable func send(_ new: Value, ifStill expected: Int?) -> Bool {
        willChange.withLock { $0 }?.send()
        return hub.send(new, settingIn: current, .afterDelivery, ifStill: expected)
    }

    /// The value that was set last, delivered or not, and how often one has been set.
    @inlinable var versioned: (value: Value, version: Int) { current.withLock { $0.versioned } }
}

/// A property of an object that tells the object's subscribers before it changes.
protocol ObservableProperty {
    /// Settles on the publisher to tell.
    ///
    /// - Parameter publisher: The one to tell if none has been settled on.
    /// - Returns: The one that is told.
    func adopt(_ publisher: @autoclosure () -> ObservableObjectPublisher) -> ObservableObjectPublisher
}

extension Published: ObservableProperty {
    func adopt(_ publisher: @autoclosure () -> ObservableObjectPublisher) -> ObservableObjectPublisher {
        if let settled = storage.willChange.withLock({ $0 }) { return settled }
        let new = publisher()
        return storage.willChange.withLock {
            if let settled = $0 { return settled }
            $0 = new
            return new
        }
    }
}

/// Writes what it receives into a `@Published` property, for as long as there is one.
@usableFromInline final class PublishedConnection<Value>: Subscriber {
    @usableFromInline typealias Input = Value

    @usableFromInline typealias Failure = Never

    @usableFromInline weak let storage: PublishedStorage<Value>?

    @usableFromInline let gate = Gate(name: "Subject")

    @inlinable init(_ storage: PublishedStorage<Value>) { self.storage = storage }

    @inlinable func receive(subscription: any Subscription) {
        guard gate.upstream.fill(with: subscription) else { return }
        // The property cancels its upstreams when it goes.
        if let storage { storage.hub.upstreams.add(gate) } else { gate.cancel() }
    }

    @inlinable func receive(_ input: Value) -> Subscribers.Demand {
        if !gate.upstream.isClosed { storage?.send(input) }
        return .none
    }

    @inlinable func receive(completion: Subscribers.Completion<Never>) {
        _ = gate.upstream.close()
    }
}
