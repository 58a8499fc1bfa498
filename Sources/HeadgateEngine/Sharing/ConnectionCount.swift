import HeadgateCore
import Synchronization

/// Counts the subscribers of a connection, and ends it when the last one leaves.
@usableFromInline package final class ConnectionCount {
    @usableFromInline package enum State {
        case disconnected
        /// The first subscriber is being connected, and the connection made behind it.
        case connecting(subscribers: Int)
        case connected(subscribers: Int, any Cancellable)
    }

    @usableFromInline package let state = Guarded(State.disconnected)

    @inlinable package init() {}

    /// Counts one more.
    ///
    /// - Returns: Whether the connection has to be made.
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
            }
        }
    }

    /// Whether anybody is left for whom to make the connection; if not, the next one who arrives has to.
    @usableFromInline package func isNeeded() -> Bool {
        state.withLock {
            if case .connecting(subscribers: 0) = $0 {
                $0 = .disconnected
                return false
            }
            return true
        }
    }

    /// Takes the connection in; ends it, if everybody has left while it was made.
    @usableFromInline package func keep(_ connection: any Cancellable) {
        let isNeeded = state.withLock {
            guard case .connecting(let subscribers) = $0, subscribers > 0 else {
                $0 = .disconnected
                return false
            }
            $0 = .connected(subscribers: subscribers, connection)
            return true
        }
        if !isNeeded { connection.cancel() }
    }

    /// Counts one less, and ends the connection if that was the last.
    @usableFromInline package func leave() {
        let ended: (any Cancellable)? = state.withLock {
            switch $0 {
            case .connecting(let subscribers):
                $0 = .connecting(subscribers: subscribers - 1)
                return nil
            case .connected(1, let connection):
                $0 = .disconnected
                return connection
            case .connected(let subscribers, let connection):
                $0 = .connected(subscribers: subscribers - 1, connection)
                return nil
            case .disconnected:
                return nil
            }
        }
        ended?.cancel()
    }

    /// A subscriber that hears what another hears, but whose leaving is counted.
    ///
    /// Values go past: there is a closure more at the beginning and at the end of a stream, and none in between.
    ///
    /// - Parameter owner: What has to live for as long as the subscriber has neither left nor heard the end.
    @inlinable package func counting<S: Subscriber>(_ subscriber: S, keeping owner: AnyObject) -> AnySubscriber<
        S.Input, S.Failure
    > {
        let erased = AnySubscriber(subscriber)
        let counted = CountedSubscription(count: self)
        return AnySubscriber(
            receiveSubscription: {
                if counted.upstream.fill(with: $0) { erased.receive(subscription: counted) }
            },
            receiveValue: erased.onValue,
            receiveCompletion: { [owner] in
                if counted.upstream.close() { erased.onCompletion($0) }
                withExtendedLifetime(owner) {}
            })
    }
}

/// A subscription whose cancellation is counted, once, unless the stream has ended.
@usableFromInline package final class CountedSubscription: ConduitSubscription {
    @usableFromInline package let upstream = SubscriptionSlot()

    @usableFromInline package let count: ConnectionCount

    @usableFromInline package init(count: ConnectionCount) {
        self.count = count
        super.init { conduit, signal in
            let counted = unsafeDowncast(conduit, to: CountedSubscription.self)
            switch signal {
            case .request(let demand): counted.upstream.request(demand)
            case .cancel:
                if counted.upstream.cancel() { counted.count.leave() }
            }
        }
    }

    @usableFromInline package override var description: String { upstream.subscription.map { "\($0)" } ?? "Empty" }

    @usableFromInline package override var answersDemandAtOnce: Bool {
        upstream.subscription?.answersDemandAtOnce ?? false
    }
}
