/// Which node serves which slot, as one of them has told.
struct SlotTable: Sendable {
    /// The masters.
    private(set) var nodes: [SocketAddress] = []

    /// The place of each slot's master among these; -1 for a slot that nobody serves.
    private(set) var owners = Array(repeating: -1, count: HashSlot.count)

    /// Reads the reply to `CLUSTER SLOTS`; `nil` if it is no such reply.
    ///
    /// Version 7 has `CLUSTER SHARDS` beside it, which tells nothing more of masters and slots; all versions have this.
    init?(_ reply: RedisValue, from sender: SocketAddress) {
        guard let rows = reply.elements else { return nil }
        var places: [SocketAddress: Int] = [:]
        for row in rows {
            guard let parts = row.elements, parts.count > 2, let first = parts[0].integer, let last = parts[1].integer,
                first >= 0, last < HashSlot.count, first <= last, let master = parts[2].elements, master.count > 1,
                let port = master[1].integer
            else { return nil }
            guard let node = SocketAddress(node: master[0].text ?? "", port: Int(port), toldBy: sender) else {
                continue
            }
            let place = places[node] ?? nodes.count
            if place == nodes.count {
                nodes.append(node)
                places[node] = place
            }
            for slot in Int(first)...Int(last) { owners[slot] = place }
        }
    }
}
