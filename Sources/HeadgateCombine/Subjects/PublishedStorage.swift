import HeadgateCore
import HeadgateEngine

/// What a `@Published` property keeps: its value, its subscribers, and whom to tell before it changes.
@usableFromInline final class PublishedStorage<Value> {
    @usableFromInline struct State {
        @usableFromInline var value: Value

        /// Counts the changes.
        @usableFromInline var version = 0

        @usableFromInline var willChange: ObservableObjectPublisher?

        @inlinable init(value: Value) { self.value = value }
    }

    @usableFromInline let hub: Hub<Value, Never>

    @usableFromInline let state: Guarded<State>

    @inlinable init(_ value: Value) {
        hub = Hub(name: "PublishedSubject", latest: value)
        // The value is shared with the hub, which hands it to subscribers as they ask, as any subject does.
        nonisolated(unsafe) let first = State(value: value)
        state = Guarded(first)
        hub.upstreams.open()
    }

    deinit { hub.close() }

    @inlinable var value: Value { state.withLock { $0.value } }

    /// Tells the object's subscribers, then those of the property, and then changes the value.
    ///
    /// Where a delivery is under way, it is changed at once and the delivery left to whoever is delivering, so that
    /// whoever sets the property can read it back.
    @inlinable func send(_ new: Value) {
        state.withLock { $0.willChange }?.send()
        var old = new
        let (isOwner, version) = state.withLock {
            $0.version += 1
            let isOwner = hub.drain.admit(.value(new))
            if !isOwner { swap(&$0.value, &old) }
            return (isOwner, $0.version)
        }
        if !isOwner { return }
        hub.deliver(new)
        state.withLock {
            if $0.version == version { swap(&$0.value, &old) }
        }
        hub.finish()
    }
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
        if let settled = storage.state.withLock({ $0.willChange }) { return settled }
        let new = publisher()
        return storage.state.withLock {
            if let settled = $0.willChange { return settled }
            $0.willChange = new
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
