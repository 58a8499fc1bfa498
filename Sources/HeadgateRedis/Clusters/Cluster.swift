/// The nodes of a cluster, with one connection each, which is opened when it is first needed.
///
/// A command goes to the node that serves the slot of its keys. When that node does not execute it, because the slot has
/// moved or is moving, or because the node is gone, the slot gets a *lane*: what the node gives back waits there, and so
/// does what is sent to the slot meanwhile. Once the node has answered everything that was sent to it before, the
/// lane is sent, in order, to where the slot is then. So commands of one slot stay in their order.
// Threads share only what a lock guards; with it held, commands get their places in the pipelines, whose locks are the
// inner ones.
final class Cluster: Sendable {
    /// A node, by its place among the nodes.
    struct Node {
        let socket: SocketAddress
        let pipeline: Pipeline
    }

    struct State {
        var nodes: [Node] = []
        var places: [SocketAddress: Int] = [:]
        /// The place of the node that serves each slot, and of the one to which its last command was sent, or -1.
        ///
        /// The last slot stands for commands without a key.
        var owners = [Int32](repeating: -1, count: HashSlot.count + 1)
        var used = [Int32](repeating: -1, count: HashSlot.count + 1)
        /// The places of the nodes that serve slots.
        var masters: [Int] = []
        var lanes: [HashSlot: Lane] = [:]
        /// Who waits for a new table.
        var waiting: [HashSlot] = []
        /// Who asks for the node of a slot.
        var finders: [(slot: HashSlot, found: Found)] = []
        var search: ServerSearch<SlotTable>?
        /// Whether the table is known to be old.
        var isStale = true
        var searches = 0
        var users = 0
        /// The places of the nodes whose connections are kept open.
        var retained: Set<Int> = []
        var isClosed = false
    }

    typealias Found = @Sendable (Result<SocketAddress, RedisError>) -> Void

    /// What remains to be done without the lock.
    struct Work {
        var steps: [(pipeline: Pipeline, step: Pipeline.SendingStep)] = []
        var failed: [(request: Request, error: RedisError)] = []
        var answers: [(found: Found, result: Result<SocketAddress, RedisError>)] = []
        var lost: [(request: Request, error: RedisError)] = []
        var repeated: [Request] = []
        var events: [RedisEvent] = []
        var isSearching = false

        mutating func send(_ requests: [Request], over pipeline: Pipeline) {
            steps.append((pipeline, pipeline.enqueue(requests)))
        }
    }

    let address: RedisAddress
    let options: RedisOptions
    private let preparing: [Bytes]
    private let onMessage: (@Sendable (RedisValue) -> Void)?
    let onEvent: @Sendable (RedisEvent) -> Void
    let state = Guarded(State())

    init(
        _ address: RedisAddress, _ options: RedisOptions, preparing: [Bytes] = [],
        onMessage: (@Sendable (RedisValue) -> Void)? = nil, onEvent: @escaping @Sendable (RedisEvent) -> Void
    ) {
        self.address = address
        self.options = options
        self.preparing = preparing
        self.onMessage = onMessage
        self.onEvent = onEvent
    }

    deinit { close() }

    // MARK: - Sending

    /// Sends a command to the node of its first key.
    func send(_ request: Request) { send([request], to: HashSlot(ofEncoded: request.bytes)) }

    /// Sends commands to the node that serves a slot, and no other between them.
    func send(_ requests: [Request], to slot: HashSlot) {
        perform { state, work in
            if state.isClosed { return }
            var requests = requests
            for place in requests.indices { requests[place].slot = slot }
            if state.lanes[slot] != nil {
                state.lanes[slot]?.held += requests
                return
            }
            if let node = state.node(for: slot), state.used[slot] == -1 || state.used[slot] == node {
                state.used[slot] = node
                return work.send(requests, over: state.nodes[node].pipeline)
            }
            // Its first command; or the node before has yet to answer what was sent to it.
            state.lanes[slot] = Lane(held: requests)
            let former = Int(state.used[slot])
            pass(slot, former < 0 ? nil : state.nodes[former].pipeline, &state, &work)
        }
    }

    /// Changes the state, and does what follows from that without the lock.
    func perform(_ body: (inout State, inout Work) -> Void) {
        let work = state.withLock { state in
            var work = Work()
            body(&state, &work)
            return work
        }
        for request in work.repeated { request.receiver.willRepeat(request.number) }
        for (pipeline, step) in work.steps { pipeline.perform(step) }
        for event in work.events { onEvent(event) }
        for (request, error) in work.failed { request.take(.failure(error.naming(request.name))) }
        for (request, error) in work.lost { request.take(.lost(error.naming(request.name))) }
        for (found, result) in work.answers { found(result) }
        if work.isSearching { startSearch() }
    }

    /// The place of a node.
    func place(of socket: SocketAddress, _ state: inout State) -> Int {
        if let place = state.places[socket] { return place }
        let onEvent = self.onEvent
        let pipeline = Pipeline(
            to: address.at(socket), options, role: .node(ClusterReference(self)), preparing: preparing,
            onMessage: onMessage, onEvent: onEvent)
        let place = state.nodes.count
        state.nodes.append(Node(socket: socket, pipeline: pipeline))
        state.places[socket] = place
        return place
    }

    // MARK: - Staying open

    /// Keeps the connections open until they are released as often.
    func retain() { count(1) }

    func release() { count(-1) }

    private func count(_ users: Int) {
        let idle = state.withLock { state in
            state.users += users
            return state.retainMasters()
        }
        for pipeline in idle { pipeline.release() }
    }

    /// Closes the connections for good; nothing is told of what is under way.
    func close() {
        let old = state.withLock { exchange(&$0, with: State(isClosed: true)) }
        old.search?.stop()
        for node in old.nodes { node.pipeline.close() }
    }
}

extension [Int32] {
    subscript(slot: HashSlot) -> Int {
        get { Int(self[Int(slot.number)]) }
        set { self[Int(slot.number)] = Int32(newValue) }
    }
}

extension Cluster.State {
    /// The place of the node that serves a slot, if it is known.
    func node(for slot: HashSlot) -> Int? {
        if slot == .any { return masters.isEmpty ? nil : masters[searches % masters.count] }
        let owner = owners[slot]
        return owner < 0 ? nil : owner
    }

    /// Keeps the connections to those that serve slots open, if somebody needs that.
    ///
    /// - Returns: The connections that are no longer kept open, to be released.
    mutating func retainMasters() -> [Pipeline] {
        let former = exchange(&retained, with: users > 0 ? Set(masters) : [])
        for place in retained.subtracting(former) { nodes[place].pipeline.retain() }
        return former.subtracting(retained).map { nodes[$0].pipeline }
    }
}
