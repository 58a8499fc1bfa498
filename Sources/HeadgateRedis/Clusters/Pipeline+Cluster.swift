/// What a pipeline is to a cluster.
enum ClusterRole: Sendable {
    case none
    /// It leads to one node: what that does not execute goes back to the cluster, which owns this.
    case node(ClusterReference)
    /// It leads to whichever node serves a slot.
    case following(HashSlot, in: Cluster)
}

/// Leads to a cluster as long as that exists.
final class ClusterReference: Sendable {
    weak let cluster: Cluster?

    init(_ cluster: Cluster) { self.cluster = cluster }
}

extension Request {
    var isAsking: Bool { receiver === Pipeline.asking.receiver }
}

extension Pipeline {
    /// How many nodes in a row may name another one before it is waited for that they agree.
    static let mostRedirections = 4

    /// Says to a node that the next command may be about a key that has been moved to it before its slot.
    static let asking = Request(bytes: .command(["ASKING"]), kind: .step, receiver: ReplyClosure { _ in })

    /// Whether a reply goes to whom it is for, even if the server refuses for a time.
    func isFinal(_ request: Request) -> Bool {
        switch role {
        case .none: false
        // The cluster decides about it.
        case .node: true
        case .following: request.isAsking
        }
    }

    /// Finds the node that serves the slot.
    func findNode(_ found: @escaping Cluster.Found) {
        guard case .following(let slot, let cluster) = role else { return }
        let redirection = state.withLock { state in
            state.isAsking = state.redirection?.isForOnce == true
            state.node = state.redirection?.node
            return state.redirection
        }
        if let redirection { found(.success(redirection.node)) } else { cluster.find(slot, found) }
    }

    /// Remembers where the slot is, by the answer for which a connection is given up.
    ///
    /// - Returns: Whether to connect there at once.
    func redirect(_ error: RedisError, _ state: inout State) -> Bool {
        guard case .following = role else { return false }
        state.redirection = error.redirection(from: state.node)
        guard state.redirection != nil else { return false }
        state.redirections += 1
        if state.redirections <= Self.mostRedirections { return true }
        (state.redirection, state.redirections) = (nil, 0)
        return false
    }

    /// Tells the cluster why a connection is given up, and what is to be sent again elsewhere.
    func tellCluster(_ error: RedisError, _ returned: [Request]) {
        switch role {
        case .none: break
        case .node(let owner): owner.cluster?.takeBack(returned, error, from: self)
        case .following(_, let cluster):
            if let redirection = state.withLock({ $0.redirection }) {
                cluster.learn(redirection)
            } else {
                cluster.suspect()
            }
        }
    }
}
