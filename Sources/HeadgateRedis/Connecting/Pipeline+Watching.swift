import HeadgateEngine

extension Pipeline {
    /// Sees to it that a connection whose server no longer answers counts as lost.
    func watch() {
        let watched: (time: Duration, connection: ServerConnection, epoch: Int)? = state.withLock { state in
            guard !state.isWatched, let blocks = state.pending.first?.blocks, let connection = state.connection else {
                return nil
            }
            state.isWatched = true
            return (blocks + options.answeringTime, connection, state.epoch)
        }
        guard let watched else { return }
        let movement = watched.connection.movement
        later(watched.time, watched.epoch) { $0.look(watched.time, movement, watched.epoch) }
    }

    private func look(_ time: Duration, _ former: ServerConnection.Movement, _ epoch: Int) {
        let connection: ServerConnection? = state.withLock { state in
            guard state.epoch == epoch else { return nil }
            state.isWatched = false
            return state.pending.first?.blocks == nil ? nil : state.connection
        }
        let moves = connection?.movement.isBeyond(former) ?? true
        if !moves { lose(error(.timedOut(time)), epoch) } else { watch() }
    }

    /// Closes the connection some time after its last use.
    func idle() {
        let idling: (replies: Int, epoch: Int)? = state.withLock { state in
            guard case .open = state.phase, isUnused(state), !state.isIdling else { return nil }
            state.isIdling = true
            return (state.replies, state.epoch)
        }
        guard let idling else { return }
        later(options.idleTime, idling.epoch) { $0.closeIfUnused(idling.replies, idling.epoch) }
    }

    private func closeIfUnused(_ replies: Int, _ epoch: Int) {
        var wasUsed = false
        let old: State? = state.withLock { state in
            guard state.epoch == epoch, case .open = state.phase else { return nil }
            state.isIdling = false
            wasUsed = state.replies != replies
            guard isUnused(state), !wasUsed else { return nil }
            return exchange(&state, with: state.next)
        }
        old?.connection?.close()
        if wasUsed { idle() }
    }

    private func isUnused(_ state: State) -> Bool {
        state.users <= 0 && state.pending.isEmpty && state.waiting.isEmpty
    }

    /// Keeps the connection open, once it is, until it is released as often.
    func retain() { state.withLock { $0.users += 1 } }

    func release() {
        state.withLock { $0.users -= 1 }
        idle()
    }
}
