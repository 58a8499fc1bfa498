import HeadgateCore

/// Counts the subscribers of a connection, connects for the first one, and disconnects when the last one cancels.
///
/// There is never more than one connection: a subscriber that arrives while the previous connection is being cancelled
/// gets a new one after that, made by the cancelling thread if the subscriber is ready by then.
///
/// It retains a connection, and an attempt until that has been made: upstream may retain the count.
@usableFromInline package final class ConnectionCount {
    /// How a connection is made.
    @usableFromInline package struct Attempt {
        /// Connects; called once, and only while there is no connection.
        @usableFromInline let connect: () -> any Cancellable

        /// Cancels the connection while it is being made, if that is possible.
        @usableFromInline let interrupt: () -> Void

        @inlinable package init(connect: @escaping () -> any Cancellable, interrupt: @escaping () -> Void) {
            self.connect = connect
            self.interrupt = interrupt
        }
    }

    @usableFromInline enum Connection {
        case none
        case attempted(Attempt)
        case made(any Cancellable)
        /// It is being cancelled, or has been interrupted and connecting has not returned.
        case ending
    }

    @usableFromInline struct State {
        var subscribers = 0

        var connection = Connection.none

        /// Whether a subscriber is being attached for which the next connection will be made.
        var isAttaching = false

        /// The attempt that has to wait for the end of the previous connection.
        var next: Attempt?
    }

    @usableFromInline let state = Guarded(State())

    /// Creates a count of zero.
    @inlinable package init() {}

    /// Adds a subscriber to the count.
    ///
    /// - Returns: Whether the caller has to call ``connect(_:)`` once the subscriber has been attached.
    @usableFromInline package func arrive() -> Bool {
        state.withLock {
            $0.subscribers += 1
            if $0.isAttaching || $0.next != nil { return false }
            switch $0.connection {
            case .attempted, .made: return false
            case .none, .ending: $0.isAttaching = true
            }
            return true
        }
    }

    /// Connects, unless all subscribers have cancelled or the previous connection is still being cancelled.
    @usableFromInline package func connect(_ attempt: Attempt) {
        var next: Attempt? = attempt
        while let attempt = next, begin(attempt) {
            let connection = attempt.connect()
            if keep(connection) { return }
            connection.cancel()
            next = takeNext()
        }
    }

    /// Connects a publisher.
    // Inlined, so that the closures are created where the types are known.
    @inlinable package func connect(_ publisher: some ConnectablePublisher) {
        let attempt = (publisher as? any InterruptibleConnecting)?.attempt()
        connect(attempt ?? Attempt(connect: { publisher.connect() }, interrupt: {}))
    }

    /// Whether the caller has to connect now.
    private func begin(_ attempt: Attempt) -> Bool {
        state.withLock {
            $0.isAttaching = false
            if $0.subscribers == 0 { return false }
            if case .ending = $0.connection {
                $0.next = attempt
                return false
            }
            $0.connection = .attempted(attempt)
            return true
        }
    }

    /// Stores the connection, unless all subscribers have cancelled while it was made.
    private func keep(_ connection: any Cancellable) -> Bool {
        state.withLock {
            guard case .attempted = $0.connection else { return false }
            $0.connection = .made(connection)
            return true
        }
    }

    /// Records that the connection has been cancelled.
    ///
    /// - Returns: The attempt that has waited for that, which the caller has to make.
    private func takeNext() -> Attempt? {
        state.withLock {
            $0.connection = .none
            $0.isAttaching = $0.isAttaching || $0.next != nil
            return $0.next.take()
        }
    }

    /// Removes a subscriber from the count, and disconnects if it was the last.
    @usableFromInline package func leave() {
        let unwanted: Connection = state.withLock {
            $0.subscribers -= 1
            if $0.subscribers > 0 { return .none }
            switch $0.connection {
            case .none, .ending: return .none
            case .attempted, .made: return exchange(&$0.connection, with: .ending)
            }
        }
        switch unwanted {
        case .none, .ending: break
        // The caller that is connecting goes on when that has returned.
        case .attempted(let attempt): attempt.interrupt()
        case .made(let connection):
            connection.cancel()
            if let next = takeNext() { connect(next) }
        }
    }
}

/// A connectable publisher whose connection can be cancelled while it is being made.
@usableFromInline package protocol InterruptibleConnecting {
    /// How the next connection is made.
    func attempt() -> ConnectionCount.Attempt
}
