import HeadgateEngine

/// The storage of a `@Published` property: its value, its subscribers, and the object's publisher to notify first.
@usableFromInline final class PublishedStorage<Value> {
    @usableFromInline let hub: Hub<Value, Never>

    @usableFromInline let current: Guarded<CurrentValue<Value>>

    /// Notified before the property changes.
    @usableFromInline let willChange = LazyReference<ObservableObjectPublisher>()

    @inlinable init(_ value: Value) {
        hub = Hub(.published, latest: value)
        // The hub shares the value, and delivers it to subscribers as they request it, as any subject does.
        nonisolated(unsafe) let first = CurrentValue(value)
        current = Guarded(first)
        hub.openUpstreams()
    }

    deinit { hub.close() }

    @inlinable var value: Value { current.withLock { $0.value } }

    /// Notifies the object's subscribers, then those of the property, and then changes the value.
    ///
    /// During a delivery, it changes the value immediately and leaves the delivery to the current owner, so that the
    /// caller can read the value back.
    ///
    /// - Parameter version: If given, only if the property has not been changed since that version.
    /// - Returns: Whether it did.
    @discardableResult @inlinable func send(_ new: Value, ifStill version: Int? = nil) -> Bool {
        willChange.existing?.send()
        return hub.send(new, settingIn: current, afterDelivery: true, ifStill: version)
    }

    /// The current value, delivered or not, and how often it has been set.
    @inlinable var versioned: (value: Value, version: Int) { current.withLock { $0.versioned } }
}

/// A property of an object that notifies the object's subscribers before it changes.
protocol ObservableProperty {
    /// Adopts the publisher to notify.
    ///
    /// - Parameter publisher: The publisher to notify unless there is one already.
    /// - Returns: The publisher that is notified.
    func adopt(_ publisher: @autoclosure () -> ObservableObjectPublisher) -> ObservableObjectPublisher
}

extension Published: ObservableProperty {
    func adopt(_ publisher: @autoclosure () -> ObservableObjectPublisher) -> ObservableObjectPublisher {
        storage.willChange.value { publisher() }
    }
}

/// Writes the values it receives into a `@Published` property, for as long as the property exists.
@usableFromInline final class PublishedConnection<Value>: Subscriber {
    @usableFromInline typealias Input = Value

    @usableFromInline typealias Failure = Never

    @usableFromInline weak let storage: PublishedStorage<Value>?

    @usableFromInline let gate = Gate(name: "Subject")

    @inlinable init(_ storage: PublishedStorage<Value>) { self.storage = storage }

    @inlinable func receive(subscription: any Subscription) {
        guard gate.upstream.fill(with: subscription) else { return }
        // The property cancels its upstreams when it is deallocated.
        if let storage { storage.hub.add(gate) } else { gate.cancel() }
    }

    @inlinable func receive(_ input: Value) -> Subscribers.Demand {
        if !gate.upstream.isClosed { storage?.send(input) }
        return .none
    }

    @inlinable func receive(completion: Subscribers.Completion<Never>) {
        _ = gate.upstream.close()
    }
}
