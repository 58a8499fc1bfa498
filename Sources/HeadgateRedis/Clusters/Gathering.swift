import HeadgateCore
import HeadgateEngine

/// Receives the replies to several commands, which may go to different nodes of a cluster, and tells of all at once.
final class Gathering: ReplyReceiver {
    private let outcomes: Guarded<[Outcome<RESPReply>?]>
    private let receive: @Sendable ([Outcome<RESPReply>]) -> Void

    init(_ count: Int, _ receive: @escaping @Sendable ([Outcome<RESPReply>]) -> Void) {
        outcomes = Guarded(Array(repeating: nil, count: count))
        self.receive = receive
    }

    func take(_ reply: Outcome<RESPReply>, to number: Int) {
        let all: [Outcome<RESPReply>]? = outcomes.withLock { outcomes in
            outcomes[number] = reply
            return outcomes.contains { $0 == nil } ? nil : outcomes.compactMap { $0 }
        }
        if let all { receive(all) }
    }
}
