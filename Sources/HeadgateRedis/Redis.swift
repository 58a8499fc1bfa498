/// A server, to which streams connect when they are used.
///
/// ```swift no-run
/// let redis = Redis("redis://user:secret@127.0.0.1:6379/0")
/// let pong = try await redis.command("PING").firstValue
/// ```
///
/// Commands, and streams that never wait for entries, share one connection, which is opened at the first use, closed
/// some seconds after the last, and opened again by ``RedisOptions/retrying`` when it is lost. Each stream that waits
/// for entries or messages has a connection of its own.
///
/// On a cluster, there is such a connection to each node that is used.
///
/// It works with Redis 6.2 or later and with Valkey; only commands, without streams, also with earlier versions.
public final class Redis: Sendable {
    private let place: Result<RedisAddress, RedisError>

    /// The connection that commands share, if the address is that of one server.
    let pipeline: Pipeline?

    /// The nodes, if the address is that of a cluster.
    let cluster: Cluster?

    let options: RedisOptions
    private let changes = PassthroughSubject<RedisEvent, Never>()
    private let hubs = Guarded<[Bytes: PartitionHub]>([:])

    /// Creates a server from a URL; connects to it at the first use.
    ///
    /// - Parameters:
    ///   - url: `redis://user:password@host:port/database`, of which only the host is required,
    ///     `unix:///path?db=0&user=name&password=secret`, `redis-sentinel://host,host,host/name`, where the sentinels
    ///     are asked for the master of that name, and again after a failover, or `redis-cluster://host,host,host`, where
    ///     these nodes tell of the others. In all, `%` escapes. Streams fail if it is anything else.
    ///   - options: How to connect. Times that are negative, and none to connect or to answer in, trap.
    public init(_ url: String, options: RedisOptions = RedisOptions()) {
        options.check()
        place = RedisAddress.parse(url)
        self.options = options
        let address = try? place.get()
        let isCluster = if case .cluster = address?.place { true } else { false }
        let onEvent = { @Sendable [changes] (event: RedisEvent) in changes.send(event) }
        pipeline = isCluster ? nil : address.map { Pipeline(to: $0, options, onEvent: onEvent) }
        cluster = isCluster ? address.map { Cluster($0, options, onEvent: onEvent) } : nil
    }

    /// Publishes what happens to the connections.
    ///
    /// ```swift no-run
    /// let redis = Redis("redis://127.0.0.1")
    /// let watching = redis.events.sink { print($0) }
    /// // connected
    /// ```
    ///
    /// - **Demand**: drops an event for a subscriber that has requested nothing.
    /// - **Completion**: never finishes, never fails.
    /// - **Threads**: events are delivered on the queues of the connections, one at a time.
    /// - **Complexity**: as for a subject.
    public var events: AnyPublisher<RedisEvent, Never> { changes.eraseToAnyPublisher() }

    /// A connection for one stream.
    ///
    /// - Parameters:
    ///   - slot: On a cluster, the slot whose node it leads to.
    ///   - opening: Commands whose replies are messages, sent whenever the connection has been opened.
    ///   - onEvent: What the stream itself learns of its connection.
    func ownPipeline(
        at slot: @autoclosure () -> HashSlot, opening: [Bytes] = [],
        onMessage: (@Sendable (RedisValue) -> Void)? = nil, onEvent: (@Sendable (RedisEvent) -> Void)? = nil
    ) -> Result<Pipeline, RedisError> {
        place.map { address in
            let role = cluster.map { ClusterRole.following(slot(), in: $0) } ?? .none
            let pipeline = Pipeline(to: address, options, role: role, opening: opening, onMessage: onMessage) {
                [changes] event in
                changes.send(event)
                onEvent?(event)
            }
            pipeline.retain()
            return pipeline
        }
    }

    /// What those who use the partitions of a name have in common.
    func hub(for name: Bytes) -> PartitionHub {
        hubs.withLock { hubs in
            let hub = hubs[name] ?? PartitionHub()
            hubs[name] = hub
            return hub
        }
    }

    func notify(_ event: RedisEvent) { changes.send(event) }

    func error(_ reason: RedisError.Reason, _ command: String) -> RedisError {
        RedisError(reason, command: command, address: description)
    }

    /// The address, for messages.
    var description: String {
        switch place {
        case .success(let address): address.description
        case .failure(let error): error.address
        }
    }
}

extension Redis {
    /// Sends a command on the shared connection.
    ///
    /// - Parameter kind: What becomes of it when the connection is lost before its reply.
    func send(
        _ arguments: [Bytes], _ kind: Request.Kind = .command, _ receive: @escaping @Sendable (Reply) -> Void
    ) {
        send(.command(arguments), kind, to: ReplyClosure.reading(receive))
    }

    /// Sends a command in the protocol of the server on the shared connection.
    func send(_ command: Bytes, _ kind: Request.Kind, to receiver: any ReplyReceiver) {
        let request = Request(bytes: command, kind: kind, receiver: receiver)
        if let pipeline { pipeline.send(request) } else { send([request], to: HashSlot(ofEncoded: command)) }
    }

    /// Sends commands, and no other between them: on a cluster, to the node that serves a slot.
    func send(_ requests: [Request], to slot: HashSlot) {
        if let pipeline { return pipeline.send(requests) }
        if let cluster { return cluster.send(requests, to: slot) }
        guard case .failure(let error) = place else { return }
        for request in requests { request.take(.failure(error.naming(request.name))) }
    }

    /// Keeps the connection that commands share open.
    func retainPipeline() {
        pipeline?.retain()
        cluster?.retain()
    }

    func releasePipeline() {
        pipeline?.release()
        cluster?.release()
    }
}

extension Redis {
    /// Has a script executed for several partitions: in one step, or on a cluster, where each is in a slot of its own, in as
    /// many.
    ///
    /// - Parameter receive: Called with the answers for all of them, as one array.
    func send<Item: Sendable>(
        _ items: [Item], _ script: ([Item]) -> [Bytes], _ receive: @escaping @Sendable (Reply) -> Void
    ) {
        if cluster == nil { return send(script(items), .repeated, receive) }
        let replies = Guarded<[Int: Reply]>([:])
        for (number, item) in items.enumerated() {
            send(script([item]), .repeated) { reply in
                let replies = replies.withLock { replies in
                    replies[number] = reply
                    return replies.count == items.count ? replies : [:]
                }
                if replies.isEmpty { return }
                var all: [RedisValue] = []
                for number in items.indices {
                    switch replies[number] {
                    case .success(let value): all += value.elements ?? []
                    case let problem?: return receive(problem)
                    case nil: break
                    }
                }
                receive(.success(.array(all)))
            }
        }
    }

    /// The nodes of the cluster, over connections that tell of changes to what has been read over them.
    func watchedCluster(
        onMessage: @escaping @Sendable (RedisValue) -> Void, onConnection: @escaping @Sendable () -> Void
    ) -> Cluster? {
        guard case .success(let address) = place, cluster != nil else { return nil }
        return Cluster(
            address, options, preparing: ["CLIENT", "TRACKING", "ON"], onMessage: onMessage,
            onEvent: { [changes] event in
                changes.send(event)
                if case .connected = event { onConnection() }
            })
    }
}
