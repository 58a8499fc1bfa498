import HeadgateCore
import HeadgateEngine

/// Receives the replies to several commands, which may go to different nodes of a cluster, and tells of all at once.
final class Gathering: ReplyReceiver {
    private struct State {
        var outcomes: [Outcome<RESPReply>?]
        var missing: Int
    }

    private let state: Guarded<State>
    private let receive: @Sendable ([Outcome<RESPReply>]) -> Void

    init(_ count: Int, _ receive: @escaping @Sendable ([Outcome<RESPReply>]) -> Void) {
        state = Guarded(State(outcomes: Array(repeating: nil, count: count), missing: count))
        self.receive = receive
    }

    /// Sends the commands.
    func send(_ commands: [[Bytes]], _ kind: Request.Kind, over cluster: Cluster) {
        for (number, command) in commands.enumerated() {
            cluster.send(Request(bytes: .command(command), kind: kind, receiver: self, number: number))
        }
    }

    func take(_ reply: Outcome<RESPReply>, to number: Int) {
        let all: [Outcome<RESPReply>]? = state.withLock { state in
            if state.outcomes[number] == nil { state.missing -= 1 }
            state.outcomes[number] = reply
            return state.missing == 0 ? state.outcomes.compactMap { $0 } : nil
        }
        if let all { receive(all) }
    }
}
