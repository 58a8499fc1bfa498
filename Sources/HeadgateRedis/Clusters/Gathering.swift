import HeadgateCore
import HeadgateEngine

/// Receives the replies to several commands, which may go to different nodes of a cluster, and tells of all at once.
final class Gathering: ReplyReceiver {
    private let state: Guarded<(outcomes: [Outcome<RESPReply>?], missing: Int)>
    private let receive: @Sendable ([Outcome<RESPReply>]) -> Void

    init(_ count: Int, _ receive: @escaping @Sendable ([Outcome<RESPReply>]) -> Void) {
        state = Guarded((Array(repeating: nil, count: count), count))
        self.receive = receive
    }

    func take(_ reply: Outcome<RESPReply>, to number: Int) {
        // Counted: to look at all of them for each reply would take quadratic time.
        let all: [Outcome<RESPReply>]? = state.withLock { state in
            if state.outcomes[number] == nil { state.missing -= 1 }
            state.outcomes[number] = reply
            return state.missing == 0 ? state.outcomes.compactMap { $0 } : nil
        }
        if let all { receive(all) }
    }
}
