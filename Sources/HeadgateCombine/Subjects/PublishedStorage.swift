import HeadgateCore
import HeadgateEngine

/// What a `@Published` property keeps: its value, its subscribers, and whom to tell before it changes.
@usableFromInline final class PublishedStorage<Value> {
    @usableFromInline struct State {
        @usableFromInline var value: Value

        /// Counts the changes.
        @usableFromInline var version = 0

        /// The value that is being delivered, which the property will have after that.
        @usableFromInline var incoming: Value?

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
    @inlinable func send(_ new: Value) { _ = send(new, ifStill: nil) }

    /// Does the same, unless the property has been changed since `expected`.
    @inlinable func send(_ new: Value, ifStill expected: Int?) -> Bool {
        state.withLock { $0.willChange }?.send()
        // What is replaced is dropped behind the lock.
        var old = new
        var incoming: Value?
        let (isAdmitted, isOwner, version) = state.withLock {
            if let expected, expected != $0.version { return (false, false, 0) }
            $0.version += 1
            let isOwner = hub.drain.admit(.value(new))
            if isOwner { incoming = new } else { swap(&$0.value, &old) }
            swap(&$0.incoming, &incoming)
            return (true, isOwner, $0.version)
        }
        if !isOwner { return isAdmitted }
        hub.deliver(new)
        incoming = nil
        state.withLock {
            if $0.version == version {
                swap(&$0.value, &old)
                swap(&$0.incoming, &incoming)
            }
        }
        hub.finish()
        return true
    }

    /// The value that was set last, delivered or not, and how often one has been set.
    @inlinable var versioned: (value: Value, version: Int) { state.withLock { ($0.incoming ?? $0.value, $0.version) } }
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
