import HeadgateRedis
import Synchronization

/// Adds entries that survive a failover: what no replica has confirmed is added again.
///
/// `WAIT` tells for how many replicas all is confirmed that was written before on its connection. So this has a
/// connection that nobody else uses and that does not end for being idle; when it was lost in between, the answer is
/// about another connection, and means nothing.
final class ReplicatedAdding: Sendable {
    private let redis: Redis
    private let stream: RedisStream
    private let losses = Atomic(0)
    private let repeats = Atomic(0)
    private let watching = Mutex<AnyCancellable?>(nil)

    init(_ url: String) {
        var options = Orders.options
        options.idleTime = .seconds(86_400)
        redis = Redis(url, options: options)
        stream = redis.stream(Orders.streamKey)
        let watching = redis.events.sink { [weak self] event in
            if case .lost = event { self?.losses.add(1, ordering: .sequentiallyConsistent) }
        }
        self.watching.withLock { $0 = AnyCancellable(watching) }
    }

    /// How many entries have been added again, because no replica had confirmed them.
    var repeated: Int { repeats.load(ordering: .relaxed) }

    func add(_ entries: [EntryFields]) async throws {
        while true {
            let before = losses.load(ordering: .sequentiallyConsistent)
            _ = try await entries.publisher.add(to: stream).lastValue
            let replicas = (try? await redis.command("WAIT", "1", "1000").firstValue?.integer) ?? 0
            if replicas > 0, losses.load(ordering: .sequentiallyConsistent) == before { return }
            repeats.add(entries.count, ordering: .relaxed)
        }
    }
}
