/// Which node serves which slot.
extension Cluster {
    /// Finds the node that serves a slot.
    func find(_ slot: HashSlot, _ found: @escaping Found) {
        perform { state, work in
            if !state.isStale, let node = state.node(for: slot) {
                work.answers.append((found, .success(state.nodes[node].socket)))
            } else {
                state.finders.append((slot, found))
                search(&state, &work)
            }
        }
    }

    /// Learns from a stream's connection where a slot is.
    func learn(_ redirection: Redirection) {
        if redirection.isForOnce { return }
        perform { state, work in
            if state.isClosed { return }
            state.owners[redirection.slot] = place(of: redirection.node, &state)
            search(&state, &work)
        }
    }

    /// Learns that a node is gone: whoever asks next waits for a new table.
    func suspect() { state.withLock { $0.isStale = true } }

    /// Asks the nodes for a new table, unless that is under way.
    func search(_ state: inout State, _ work: inout Work) {
        if state.search != nil || state.isClosed { return }
        guard case .cluster(let seeds) = address.place else { return }
        // Each time beginning with another one: what one knows may be old.
        let known = state.masters.map { state.nodes[$0].socket }
        let first = known.isEmpty ? 0 : state.searches % known.count
        let servers = Array(known[first...] + known[..<first]) + seeds.filter { !known.contains($0) }
        state.searches += 1
        state.search = ServerSearch(.slots(address), at: servers, login: address, options) { [weak self] in
            self?.take($0)
        }
        work.isSearching = true
    }

    func startSearch() { state.withLock { $0.search }?.start() }

    private func take(_ result: Result<SlotTable, RedisError>) {
        var released: [Pipeline] = []
        perform { state, work in
            if state.isClosed { return }
            state.search = nil
            var problem: RedisError?
            switch result {
            case .success(let table): released = install(table, &state)
            case .failure(let error): problem = error
            }
            for (slot, found) in exchange(&state.finders, with: []) {
                let node = problem == nil ? state.node(for: slot) : nil
                let owner = node.map { Result<SocketAddress, RedisError>.success(state.nodes[$0].socket) }
                work.answers.append((found, owner ?? .failure(problem ?? noOwner(of: slot))))
            }
            resume(problem, &state, &work)
        }
        for pipeline in released { pipeline.release() }
    }

    /// - Returns: The connections to nodes that serve nothing any more.
    private func install(_ table: SlotTable, _ state: inout State) -> [Pipeline] {
        let places = table.nodes.map { place(of: $0, &state) }
        state.masters = places
        state.isStale = false
        for (slot, owner) in table.owners.enumerated() { state.owners[slot] = owner < 0 ? -1 : Int32(places[owner]) }
        return state.retainMasters()
    }
}
