import HeadgateEngine

/// What waits to be sent to a slot.
struct Lane {
    /// What a node has given back.
    struct Returned {
        var request: Request
        /// Where that node says that the key is.
        let redirection: Redirection?
    }

    /// In the order in which it was sent.
    var returned: [Returned] = []
    /// What has been sent to the slot since then.
    var held: [Request] = []
    /// Whether a node still has to answer what was sent to it before.
    var isPassing = false
    /// The node that has given back the last of it.
    weak var refuser: Pipeline?
    var alarm: AnyCancellable?

    var isEmpty: Bool { returned.isEmpty && held.isEmpty }

    /// How often the first of it has been given back.
    var attempts: Int { Int((returned.first?.request ?? held.first)?.attempts ?? 0) }

    /// Whether nodes have named others for all that they have given back, and not too often.
    var isRedirected: Bool {
        returned.allSatisfy { $0.redirection != nil && $0.request.attempts <= Pipeline.mostRedirections }
    }
}

/// Tells a lane, whose slot is the number, that a node has answered everything that was sent to it before.
extension ClusterReference: ReplyReceiver {
    func take(_ reply: Outcome, to number: Int) { cluster?.settle(HashSlot(number: UInt16(number))) }
}

extension Cluster {
    /// Waits until a node has answered everything that was sent to it before; a lane may be sent elsewhere then.
    func pass(_ slot: HashSlot, _ node: Pipeline?, _ state: inout State, _ work: inout Work) {
        guard let node, node.owesReplies else { return decide(slot, &state, &work) }
        state.lanes[slot]?.isPassing = true
        let marker = Request(
            bytes: .command(["PING"]), kind: .step, receiver: ClusterReference(self), number: Int(slot.number))
        work.send([marker], over: node)
    }

    fileprivate func settle(_ slot: HashSlot) {
        perform { state, work in
            guard state.lanes[slot]?.isPassing == true else { return }
            state.lanes[slot]?.isPassing = false
            decide(slot, &state, &work)
        }
    }

    /// Decides where a lane goes, and when.
    private func decide(_ slot: HashSlot, _ state: inout State, _ work: inout Work) {
        guard let lane = state.lanes[slot] else { return }
        if lane.isRedirected {
            if !lane.returned.isEmpty { return redirect(slot, lane, &state, &work) }
            if let node = state.node(for: slot) { return send(slot, to: node, &state, &work) }
            if lane.attempts == 0 {
                // Nothing is known of it yet.
                state.waiting.append(slot)
                return search(&state, &work)
            }
        }
        let delay = delay(lane.attempts)
        work.events.append(.retrying(after: delay))
        state.lanes[slot]?.alarm = Pipeline.alarm.after(delay) { [weak self] in self?.look(for: slot) }
    }

    /// Sends what has been given back where nodes say that it is, and the rest after it.
    private func redirect(_ slot: HashSlot, _ lane: Lane, _ state: inout State, _ work: inout Work) {
        var rest: [Request] = []
        var asked: [Int: [Request]] = [:]
        for returned in lane.returned {
            guard let redirection = returned.redirection else { continue }
            let node = place(of: redirection.node, &state)
            if !redirection.isForOnce {
                state.owners[slot] = node
                search(&state, &work)
                rest.append(returned.request)
                continue
            }
            // Others of the slot have not moved yet: only this one may be asked for there. It holds until the end of a
            // transaction.
            let isFirst = returned.request.kind != .part || returned.request.number == 0
            asked[node, default: []] += (isFirst ? [Pipeline.asking] : []) + [returned.request]
        }
        for (node, requests) in asked { work.send(requests, over: state.nodes[node].pipeline) }
        // What is asked for elsewhere may come back, and goes before the rest then.
        state.lanes[slot]?.returned = []
        state.lanes[slot]?.held.insert(contentsOf: rest, at: 0)
        guard let target = asked.keys.first else {
            if let owner = state.node(for: slot) { send(slot, to: owner, &state, &work) }
            return
        }
        state.used[slot] = target
        if state.lanes[slot]?.isEmpty == true { state.lanes[slot] = nil }
        if state.lanes[slot] != nil { pass(slot, state.nodes[target].pipeline, &state, &work) }
    }

    /// Asks for a new table before a lane is sent.
    private func look(for slot: HashSlot) {
        perform { state, work in
            if state.lanes[slot] == nil { return }
            state.waiting.append(slot)
            search(&state, &work)
        }
    }

    private func send(_ slot: HashSlot, to node: Int, _ state: inout State, _ work: inout Work) {
        guard let lane = state.lanes.removeValue(forKey: slot) else { return }
        state.used[slot] = node
        work.send(lane.returned.map(\.request) + lane.held, over: state.nodes[node].pipeline)
    }

    /// Goes on with what has waited for a table, now that there is one or none could be had.
    func resume(_ problem: RedisError?, _ state: inout State, _ work: inout Work) {
        for slot in exchange(&state.waiting, with: []) {
            if let node = state.node(for: slot), problem == nil {
                send(slot, to: node, &state, &work)
                continue
            }
            guard let lane = state.lanes[slot] else { continue }
            let error = problem ?? noOwner(of: slot)
            let waiting = (lane.returned.map(\.request) + lane.held).compactMap { retrying($0, error, &work) }
            state.lanes[slot] = nil
            if waiting.isEmpty { continue }
            state.lanes[slot] = Lane(returned: waiting.map { Lane.Returned(request: $0, redirection: nil) })
            decide(slot, &state, &work)
        }
    }

    func noOwner(of slot: HashSlot) -> RedisError {
        RedisError(.noNode("no node serves slot \(slot.number)"), address: address.description)
    }

    /// Counts an attempt.
    ///
    /// - Returns: The command, if the policy allows it another one; nothing also for a step whose node is not there: its
    ///   source decides what to do, and others of the source need not wait.
    private func retrying(_ request: Request, _ error: RedisError, _ work: inout Work) -> Request? {
        var request = request
        if case .step = request.kind, !error.isRedirection, error.isWorthAnotherConnection {
            work.lost.append((request, error))
            return nil
        }
        request.attempts += request.attempts == .max ? 0 : 1
        let most = request.isOfUser ? options.commandRetries : options.retrying.retries ?? .max
        // A redirection is not a failure.
        let isAllowed = request.attempts <= max(most, error.isRedirection ? Pipeline.mostRedirections : 0)
        if isAllowed, error.isWorthAnotherConnection { return request }
        work.failed.append((request, error))
        if !request.isOfUser { work.events.append(.failed(error)) }
        return nil
    }

    private func delay(_ attempts: Int) -> Duration {
        var schedule = RetrySchedule(options.retrying)
        var delay = Duration.zero
        for _ in 0..<max(1, attempts) { delay = schedule.next() ?? delay }
        return delay
    }

    // MARK: - What nodes give back

    /// Takes a reply of a node.
    ///
    /// - Returns: Whether the command is sent again, and nobody else is to be told of the reply.
    func takesBack(_ request: Request, _ error: RedisError?, from node: Pipeline) -> Bool {
        guard let error else {
            guard case .ordered = request.kind else { return false }
            var isTaken = false
            perform { state, work in
                // Keeps the order: what comes after a refused one is sent again after it.
                guard let lane = state.lanes[request.slot], lane.isPassing, !lane.returned.isEmpty,
                    lane.refuser === node
                else { return }
                isTaken = true
                state.lanes[request.slot]?.returned.append(
                    Lane.Returned(request: request, redirection: lane.returned.last?.redirection))
                work.repeated.append(request)
            }
            return isTaken
        }
        if case .part = request.kind {
            guard let transaction = request.receiver as? Transaction, let refusal = transaction.takeRefusal(to: request)
            else { return false }
            var parts = transaction.parts
            for place in parts.indices { (parts[place].slot, parts[place].attempts) = (request.slot, request.attempts) }
            takeBack(parts, refusal, from: node)
            return true
        }
        if request.isAsking { return false }
        guard error.isRedirection || error.isTemporary(for: request) else { return false }
        takeBack([request], error, from: node)
        return true
    }

    /// Takes commands that a node has not executed, or that may be executed twice.
    func takeBack(_ requests: [Request], _ error: RedisError, from node: Pipeline) {
        var markers: [Request] = []
        perform { state, work in
            if state.isClosed { return }
            let redirection = redirection(error, node)
            if redirection == nil { state.isStale = true }
            var later: [Request] = []
            var new: [HashSlot] = []
            for request in requests {
                let isMarker = request.receiver is ClusterReference
                if isMarker { markers.append(request) }
                if isMarker || request.isAsking { continue }
                guard let request = retrying(request, error, &work) else { continue }
                if error.code == "TRYAGAIN", request.kind != .ordered {
                    later.append(request)
                    continue
                }
                if state.lanes[request.slot] == nil { new.append(request.slot) }
                state.lanes[request.slot, default: Lane()].refuser = node
                state.lanes[request.slot, default: Lane()].returned.append(
                    Lane.Returned(request: request, redirection: redirection))
            }
            for slot in new { pass(slot, node, &state, &work) }
            // Nobody else asks for a new table.
            if !work.lost.isEmpty { search(&state, &work) }
            // Their keys are on two nodes, because their slot is moving: others of the slot do not wait for them.
            if let first = later.first {
                Pipeline.alarm.once(after: delay(Int(first.attempts))) { [weak self, later] in
                    self?.send(later, to: first.slot)
                }
            }
        }
        for marker in markers { marker.take(.lost(error)) }
    }

    private func redirection(_ error: RedisError, _ node: Pipeline) -> Redirection? {
        guard case .server(let socket) = node.address.place else { return nil }
        return error.redirection(from: socket)
    }
}

extension Pipeline {
    /// Whether something has been sent to which there is no reply yet.
    var owesReplies: Bool { state.withLock { !$0.pending.isEmpty || !$0.waiting.isEmpty } }
}
