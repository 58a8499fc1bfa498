import HeadgateCore
import Synchronization

/// Counts the subscribers of a connection, connects for the first one, and disconnects when the last one cancels.
///
/// There is never more than one connection: a subscriber that arrives while the previous connection is being cancelled
/// gets a new one after that, made by the cancelling thread if the subscriber is ready by then.
///
/// It retains a connection, and what makes one only while another one is being cancelled: upstream may retain the count.
@usableFromInline package final class ConnectionCount {
    /// How a connection is made.
    @usableFromInline package struct Connect {
        /// Connects; called by one thread at a time, and only while there is no connection.
        let make: () -> any Cancellable

        /// Cancels a connection that is still being made, if that is possible.
        let interrupt: () -> Void
    }

    @usableFromInline package enum State {
        case disconnected
        /// The first subscriber is being attached.
        case attaching(subscribers: Int)
        /// The connection is being made.
        case connecting(subscribers: Int, interrupt: () -> Void)
        case connected(subscribers: Int, any Cancellable)
        /// The connection is being cancelled, or interrupted while it is made; subscribers may arrive meanwhile.
        case disconnecting(subscribers: Int, Successor)
    }

    /// The subscriber for which the next connection has to be made, once the previous one has been cancelled.
    @usableFromInline package enum Successor {
        case none
        case attaching
        case attached(Connect)
    }

    @usableFromInline package let state = Guarded(State.disconnected)

    /// Creates a count of zero.
    @inlinable package init() {}

    /// Adds a subscriber to the count.
    ///
    /// - Returns: Whether the caller has to call ``connect(_:)`` once the subscriber has been attached.
    @usableFromInline package func arrive() -> Bool {
        state.withLock {
            switch $0 {
            case .disconnected:
                $0 = .attaching(subscribers: 1)
                return true
            case .attaching(let subscribers):
                $0 = .attaching(subscribers: subscribers + 1)
                return false
            case .connecting(let subscribers, let interrupt):
                $0 = .connecting(subscribers: subscribers + 1, interrupt: interrupt)
                return false
            case .connected(let subscribers, let connection):
                $0 = .connected(subscribers: subscribers + 1, connection)
                return false
            case .disconnecting(_, .none):
                $0 = .disconnecting(subscribers: 1, .attaching)
                return true
            case .disconnecting(let subscribers, let successor):
                $0 = .disconnecting(subscribers: subscribers + 1, successor)
                return false
            }
        }
    }

    /// Connects, unless all subscribers have cancelled or the previous connection is still being cancelled.
    ///
    /// - Parameters:
    ///   - make: Connects.
    ///   - interrupt: Cancels a connection that is still being made, because all subscribers have cancelled.
    @usableFromInline package func connect(
        _ make: @escaping () -> any Cancellable, interrupt: @escaping () -> Void
    ) {
        connect(Connect(make: make, interrupt: interrupt))
    }

    /// Connects a publisher.
    // Inlined, so that the closures are created where the types are known.
    @inlinable package func connect(_ publisher: some ConnectablePublisher) {
        connect({ publisher.connect() }) { (publisher as? any InterruptibleConnecting)?.interruptConnecting() }
    }

    @inline(__always) private func connect(_ first: Connect) {
        var next: Connect? = first
        while let connect = next, mayConnect(connect) {
            let connection = connect.make()
            if keep(connection) { return }
            connection.cancel()
            next = takeSuccessor()
        }
    }

    /// Whether the caller has to connect now.
    private func mayConnect(_ connect: Connect) -> Bool {
        state.withLock {
            switch $0 {
            case .attaching(subscribers: 0):
                $0 = .disconnected
                return false
            case .attaching(let subscribers):
                $0 = .connecting(subscribers: subscribers, interrupt: connect.interrupt)
                return true
            case .disconnecting(let subscribers, .attaching):
                $0 = .disconnecting(subscribers: subscribers, .attached(connect))
                return false
            default:
                return true
            }
        }
    }

    /// Stores the connection, unless all subscribers have cancelled while it was made.
    private func keep(_ connection: any Cancellable) -> Bool {
        state.withLock {
            guard case .connecting(let subscribers, _) = $0 else { return false }
            $0 = .connected(subscribers: subscribers, connection)
            return true
        }
    }

    /// Records that the connection has been cancelled.
    ///
    /// - Returns: If a subscriber is ready for which the caller has to connect again, how.
    private func takeSuccessor() -> Connect? {
        state.withLock {
            guard case .disconnecting(let subscribers, let successor) = $0 else { return nil }
            switch successor {
            case .none:
                $0 = .disconnected
                return nil
            case .attaching:
                $0 = .attaching(subscribers: subscribers)
                return nil
            case .attached(let connect):
                $0 = .attaching(subscribers: subscribers)
                return connect
            }
        }
    }

    /// Removes a subscriber from the count, and disconnects if it was the last.
    @usableFromInline package func leave() {
        switch remove() {
        case .nothing: break
        // The caller that is connecting goes on when that has returned.
        case .interrupt(let interrupt): interrupt()
        case .cancel(let connection):
            connection.cancel()
            if let successor = takeSuccessor() { connect(successor) }
        }
    }

    private enum Departure {
        case nothing
        case interrupt(() -> Void)
        case cancel(any Cancellable)
    }

    private func remove() -> Departure {
        state.withLock {
            switch $0 {
            case .attaching(let subscribers):
                $0 = .attaching(subscribers: subscribers - 1)
            case .connecting(1, let interrupt):
                $0 = .disconnecting(subscribers: 0, .none)
                return .interrupt(interrupt)
            case .connecting(let subscribers, let interrupt):
                $0 = .connecting(subscribers: subscribers - 1, interrupt: interrupt)
            case .connected(1, let connection):
                $0 = .disconnecting(subscribers: 0, .none)
                return .cancel(connection)
            case .connected(let subscribers, let connection):
                $0 = .connected(subscribers: subscribers - 1, connection)
            case .disconnecting(let subscribers, let successor):
                $0 = .disconnecting(subscribers: subscribers - 1, successor)
            case .disconnected:
                break
            }
            return .nothing
        }
    }

    /// Creates a subscriber that forwards to another one, and whose cancellation is counted.
    ///
    /// - Parameter owner: Retained until the subscriber has cancelled or received the completion.
    @inlinable package func counting<S: Subscriber>(_ subscriber: S, keeping owner: AnyObject) -> CountedSubscriber<S> {
        CountedSubscriber(subscriber, keeping: owner) { self.leave() }
    }
}

/// A subscription whose cancellation is counted, once, unless the stream has completed.
@usableFromInline package final class CountedSubscription: ConduitSubscription, SignalHandling {
    @usableFromInline package let upstream = SubscriptionSlot()

    @usableFromInline package let leave: () -> Void

    @usableFromInline package init(leave: @escaping () -> Void) {
        self.leave = leave
        super.init(handle: CountedSubscription.handling)
    }

    @usableFromInline package func handleRequest(_ demand: Subscribers.Demand) { upstream.request(demand) }

    @usableFromInline package func handleCancel() {
        if upstream.cancel() { leave() }
    }

    @usableFromInline package override var description: String { upstream.subscription.map { "\($0)" } ?? "Empty" }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.traits }
}

/// A subscriber that forwards to another one, through a subscription whose cancellation is counted.
@usableFromInline package struct CountedSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline let downstream: Downstream

    @usableFromInline let subscription: CountedSubscription

    @usableFromInline let owner: AnyObject

    /// Creates a subscriber.
    ///
    /// - Parameters:
    ///   - owner: Retained until the subscriber has cancelled or received the completion.
    ///   - leave: Called when the subscriber has cancelled, after upstream.
    @inlinable package init(_ downstream: Downstream, keeping owner: AnyObject, leave: @escaping () -> Void) {
        self.downstream = downstream
        self.owner = owner
        subscription = CountedSubscription(leave: leave)
    }

    @inlinable package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable package func receive(subscription upstream: any Subscription) {
        if subscription.upstream.fill(with: upstream) { downstream.receive(subscription: subscription) }
    }

    @inlinable package func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

    @inlinable package func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if !subscription.upstream.close() { return Undeliverable.note(completion) }
        downstream.receive(completion: completion)
    }
}
