import HeadgateCore
import Synchronization

/// Counts the subscribers of a connection, makes the connection for the first one, and ends it when the last one leaves.
///
/// There is never more than one connection: a subscriber that arrives while the last one is being cancelled gets a new
/// one when that has been done, made by the thread that cancels if the subscriber is ready by then.
@usableFromInline package final class ConnectionCount {
    @usableFromInline package enum State {
        case disconnected
        /// The first subscriber is being attached, and the connection made after it.
        case connecting(subscribers: Int)
        case connected(subscribers: Int, any Cancellable)
        /// The connection is being cancelled, and subscribers may arrive meanwhile.
        case disconnecting(subscribers: Int, Successor)
    }

    /// The subscriber for whom the next connection has to be made, once the last one has been cancelled.
    @usableFromInline package enum Successor {
        case none
        case attaching
        case attached
    }

    @usableFromInline package let state = Guarded(State.disconnected)

    @usableFromInline package let makeConnection: () -> any Cancellable

    /// Counts nobody.
    ///
    /// - Parameter makeConnection: Connects; called by one thread at a time, and only while there is no connection.
    @inlinable package init(makeConnection: @escaping () -> any Cancellable) {
        self.makeConnection = makeConnection
    }

    /// Counts one more.
    ///
    /// - Returns: Whether the caller has to call ``connect()`` when the subscriber has been attached.
    @usableFromInline package func arrive() -> Bool {
        state.withLock {
            switch $0 {
            case .disconnected:
                $0 = .connecting(subscribers: 1)
                return true
            case .connecting(let subscribers):
                $0 = .connecting(subscribers: subscribers + 1)
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

    /// Makes the connection, unless everybody has left or the last connection is still being cancelled.
    @usableFromInline package func connect() {
        while mayConnect() {
            let connection = makeConnection()
            if keep(connection) { return }
            connection.cancel()
            if !isAwaitedAfterCancelling() { return }
        }
    }

    /// Whether the connection is to be made now, by the caller.
    private func mayConnect() -> Bool {
        state.withLock {
            switch $0 {
            case .connecting(subscribers: 0):
                $0 = .disconnected
                return false
            case .disconnecting(let subscribers, .attaching):
                $0 = .disconnecting(subscribers: subscribers, .attached)
                return false
            default:
                return true
            }
        }
    }

    /// Takes the connection in, unless everybody has left while it was made.
    private func keep(_ connection: any Cancellable) -> Bool {
        state.withLock {
            guard case .connecting(let subscribers) = $0, subscribers > 0 else {
                $0 = .disconnecting(subscribers: 0, .none)
                return false
            }
            $0 = .connected(subscribers: subscribers, connection)
            return true
        }
    }

    /// Notes that the connection has been cancelled.
    ///
    /// - Returns: Whether somebody is ready for whom the caller has to make the next one.
    private func isAwaitedAfterCancelling() -> Bool {
        state.withLock {
            guard case .disconnecting(let subscribers, let successor) = $0 else { return false }
            switch successor {
            case .none:
                $0 = .disconnected
                return false
            case .attaching:
                $0 = .connecting(subscribers: subscribers)
                return false
            case .attached:
                $0 = .connecting(subscribers: subscribers)
                return true
            }
        }
    }

    /// Counts one less, and ends the connection if that was the last.
    @usableFromInline package func leave() {
        let ended: (any Cancellable)? = state.withLock {
            switch $0 {
            case .connecting(let subscribers):
                $0 = .connecting(subscribers: subscribers - 1)
                return nil
            case .connected(1, let connection):
                $0 = .disconnecting(subscribers: 0, .none)
                return connection
            case .connected(let subscribers, let connection):
                $0 = .connected(subscribers: subscribers - 1, connection)
                return nil
            case .disconnecting(let subscribers, let successor):
                $0 = .disconnecting(subscribers: subscribers - 1, successor)
                return nil
            case .disconnected:
                return nil
            }
        }
        guard let ended else { return }
        ended.cancel()
        if isAwaitedAfterCancelling() { connect() }
    }

    /// A subscriber that hears what another hears, but whose leaving is counted.
    ///
    /// - Parameter owner: What has to live for as long as the subscriber has neither left nor heard the end.
    @inlinable package func counting<S: Subscriber>(_ subscriber: S, keeping owner: AnyObject) -> AnySubscriber<
        S.Input, S.Failure
    > {
        CountedSubscription.counting(subscriber, keeping: owner) { self.leave() }
    }
}

/// A subscription whose cancellation is counted, once, unless the stream has ended.
@usableFromInline package final class CountedSubscription: ConduitSubscription {
    @usableFromInline package let upstream = SubscriptionSlot()

    @usableFromInline package let leave: () -> Void

    @usableFromInline package init(leave: @escaping () -> Void) {
        self.leave = leave
        super.init { conduit, signal in
            let counted = unsafeDowncast(conduit, to: CountedSubscription.self)
            switch signal {
            case .request(let demand): counted.upstream.request(demand)
            case .cancel:
                if counted.upstream.cancel() { counted.leave() }
            }
        }
    }

    /// A subscriber that hears what another hears, but whose leaving is told.
    ///
    /// Values go past: there is a closure more at the beginning and at the end of a stream, and none in between.
    ///
    /// - Parameters:
    ///   - owner: What has to live for as long as the subscriber has neither left nor heard the end.
    ///   - leave: Hears that the subscriber has cancelled, once upstream has been told.
    @inlinable package static func counting<S: Subscriber>(
        _ subscriber: S, keeping owner: AnyObject, leave: @escaping () -> Void
    ) -> AnySubscriber<S.Input, S.Failure> {
        let erased = AnySubscriber(subscriber)
        let counted = CountedSubscription(leave: leave)
        return AnySubscriber(
            receiveSubscription: serially {
                if counted.upstream.fill(with: $0) { erased.receive(subscription: counted) }
            },
            receiveValue: serially(erased.onValue),
            receiveCompletion: serially { [owner] in
                if counted.upstream.close() { erased.onCompletion($0) }
                withExtendedLifetime(owner) {}
            })
    }

    @usableFromInline package override var description: String { upstream.subscription.map { "\($0)" } ?? "Empty" }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.traits }
}
