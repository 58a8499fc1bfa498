import HeadgateSystem
import Synchronization

/// One client: its own demand, its own buffer, and its policy for messages for which it has no room.
final class Client: Sendable {
    let connection: Connection
    private let arguments: Arguments
    private let metrics: Metrics
    private let hasEnded = Atomic(false)
    private let hasBeenSentAway = Atomic(false)
    /// Completes when everything is sent, including the farewell, or when the client is gone.
    private let life = PassthroughSubject<Never, Never>()
    private let watching = Mutex<AnyCancellable?>(nil)

    init(_ connection: Connection, _ arguments: Arguments, _ metrics: Metrics) {
        self.connection = connection
        self.arguments = arguments
        self.metrics = metrics
    }

    /// Sends batches until the server stops or the client leaves.
    ///
    /// - Parameter batches: Publishes its current value immediately, so that a late client gets the last message first.
    func serve(_ batches: CurrentValueSubject<Batch, Never>, until shutdown: GracefulShutdown) {
        metrics.clients.add(1, ordering: .relaxed)
        // The deadline of the shutdown ends this stream, and with it the connection of a client that does not read.
        let watching = life.underWay(in: shutdown).sink(
            receiveCompletion: { _ in if !self.hasEnded.load(ordering: .acquiring) { self.connection.reset() } },
            receiveValue: { _ in })
        self.watching.withLock { $0 = watching }

        connection.lines(maximumLength: 64, longLines: .cut)
            .catch { _ in Empty<String, Never>() }
            .compactMap { self.policy(in: $0) }
            .prepend(arguments.policy)
            // A client that has no more to say goes on reading.
            .append(Empty(completeImmediately: false))
            .prefix(untilOutputFrom: shutdown.stop.publisher)
            .map { policy in self.feed(of: batches, policy).eraseToAnyPublisher() }
            .append(Just(Bytes("end\n")).eraseToAnyPublisher())
            .switchToLatest()
            // Small, so that a client that does not read retains few batches that no other client needs.
            .write(to: connection, bufferSize: 1 << 12) { _ in self.end() }
    }

    private func policy(in line: String) -> Policy? {
        let policy = Policy(rawValue: line)
        if policy == nil { metrics.misunderstood.add(1, ordering: .relaxed) }
        return policy
    }

    /// The messages for the client while it has this policy.
    private func feed(of batches: CurrentValueSubject<Batch, Never>, _ policy: Policy)
        -> some Publisher<Bytes, Never>
    {
        let metrics = self.metrics
        let limit = policy == .latest ? 1 : arguments.buffer
        // The buffer itself would fail only after the client has read its contents.
        let waiting = policy == .disconnect ? Counter() : nil
        let arriving =
            waiting.map { waiting in
                batches
                    .handleEvents(receiveOutput: { [weak self] _ in
                        if waiting.add(1) > limit { self?.disconnect() }
                    })
                    .eraseToAnyPublisher()
            } ?? batches.eraseToAnyPublisher()
        return
            arriving
            .buffer(size: limit, prefetch: .byRequest, whenFull: .dropOldest)
            .stage("client", in: metrics.flow)
            .step(state: Int?.none) { next, batch -> Bytes? in
                waiting?.add(-1)
                // Batches missing between the last one and this one were dropped by the buffer.
                let missing = next.map { batch.first - $0 } ?? 0
                let sendsAll = next != nil && policy != .latest
                metrics.sent.add(sendsAll ? batch.count : 1, ordering: .relaxed)
                metrics.dropped.add(
                    missing + (policy == .latest && next != nil ? batch.count - 1 : 0), ordering: .relaxed)
                next = batch.first + batch.count
                let bytes = sendsAll ? batch.bytes : batch.last
                return bytes.isEmpty ? nil : bytes
            }
    }

    /// Disconnects the client once: it does not receive what it has not read.
    private func disconnect() {
        if hasBeenSentAway.exchange(true, ordering: .relaxed) { return }
        metrics.disconnected.add(1, ordering: .relaxed)
        connection.reset()
    }

    private func end() {
        hasEnded.store(true, ordering: .releasing)
        metrics.clients.subtract(1, ordering: .relaxed)
        life.send(completion: .finished)
        let old = watching.withLock { $0.take() }
        withExtendedLifetime(old) {}
    }
}

/// The number of batches pending for a client.
private final class Counter: Sendable {
    private let count = Atomic(0)

    @discardableResult func add(_ number: Int) -> Int { count.add(number, ordering: .relaxed).newValue }
}
