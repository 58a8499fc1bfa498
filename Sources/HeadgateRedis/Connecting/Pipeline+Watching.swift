import HeadgateCore
import HeadgateEngine

extension Pipeline {
    /// Sees to it that a connection whose server no longer answers counts as lost.
    func watch() {
        let watched: (time: Duration, replies: Int, epoch: Int)? = state.withLock { state in
            guard !state.isWatched, let oldest = state.pending.first else { return nil }
            state.isWatched = true
            return (oldest.blocks + options.answeringTime, state.replies, state.epoch)
        }
        guard let watched else { return }
        let alarm = Self.alarm.after(watched.time) { [weak self] in
            self?.look(watched.time, watched.replies, watched.epoch)
        }
        keep(alarm, watched.epoch)
    }

    private func look(_ time: Duration, _ replies: Int, _ epoch: Int) {
        let isDead = state.withLock { state in
            guard state.epoch == epoch else { return false }
            state.isWatched = false
            return !state.pending.isEmpty && state.replies == replies
        }
        if isDead { lose(error(.timedOut(time)), epoch) } else { watch() }
    }

    /// Closes the connection some time after its last use.
    func idle() {
        let idling: (replies: Int, epoch: Int)? = state.withLock { state in
            guard case .open = state.phase, isUnused(state), !state.isIdling else { return nil }
            state.isIdling = true
            return (state.replies, state.epoch)
        }
        guard let idling else { return }
        let alarm = Self.alarm.after(options.idleTime) { [weak self] in
            self?.closeIfUnused(idling.replies, idling.epoch)
        }
        keep(alarm, idling.epoch)
    }

    private func closeIfUnused(_ replies: Int, _ epoch: Int) {
        var wasUsed = false
        let old: State? = state.withLock { state in
            guard state.epoch == epoch, case .open = state.phase else { return nil }
            state.isIdling = false
            wasUsed = state.replies != replies
            guard isUnused(state), !wasUsed else { return nil }
            let old = state
            state = old.next
            return old
        }
        old?.line?.close()
        if wasUsed { idle() }
    }

    private func isUnused(_ state: State) -> Bool {
        !staysOpen && state.pending.isEmpty && state.waiting.isEmpty
    }
}
