import Dispatch
import Glibc
import HeadgateRedis
import Synchronization

/// What streams do with a server.
struct Streaming {
    let redis: Redis
    let url: String
    private let stream: RedisStream

    init(socket: String) {
        url = "unix://\(socket)"
        redis = Redis(url)
        stream = redis.stream("bench")
    }

    /// Adds the same entry again and again, as redis-benchmark does.
    func add(_ count: Int) {
        let fields: EntryFields = ["f": "xxx"]
        wait(for: (0..<count).publisher.map { _ in fields }.add(to: stream), count)
    }

    /// Adds entries that are made one by one.
    func makeAndAdd(_ count: Int) {
        wait(for: (0..<count).publisher.map { _ in ["f": "xxx"] as EntryFields }.add(to: stream), count)
    }

    func deliver(_ count: Int) {
        wait(for: deliveries().prefix(count), count)
    }

    func acknowledge(_ count: Int) {
        wait(for: deliveries().prefix(count).acknowledge(batch: 100, within: .seconds(60)), count)
    }

    /// Keeps so many sources waiting at the server, and prints the number of threads.
    func sources(_ count: Int) {
        let delivered = Atomic(0)
        let waiting = (0..<count).map { number in
            redis.stream(Bytes("bench-\(number)")).deliveries(group: "g", consumer: "c")
                .sink(receiveCompletion: { print($0) }, receiveValue: { _ in delivered.add(1, ordering: .relaxed) })
        }
        // Each has an entry delivered, so each is connected, and then waits for the next.
        let adding = DispatchSemaphore(value: 0)
        for number in 0..<count {
            let command = redis.command("XADD", Bytes("bench-\(number)"), "*", "f", "xxx")
                .sink(receiveCompletion: { _ in adding.signal() }, receiveValue: { _ in })
            adding.wait()
            command.cancel()
        }
        while delivered.load(ordering: .relaxed) < count { usleep(1_000) }
        // Threads that have done their work are kept for some seconds.
        sleep(12)
        print("\(count) waiting sources: \(threads) threads")
        for source in waiting { source.cancel() }
    }

    private var threads: Int {
        guard let folder = opendir("/proc/self/task") else { return -1 }
        defer { closedir(folder) }
        var count = -2
        while readdir(folder) != nil { count += 1 }
        return count
    }

    /// A group of its own for each run, which begins with the first entry.
    private func deliveries() -> AnyPublisher<Delivery, RedisError> {
        stream.deliveries(group: Bytes("g\(getpid())"), consumer: "c")
    }

    func wait<Output>(for publisher: some Publisher<Output, RedisError>, _ count: Int) {
        let hasEnded = DispatchSemaphore(value: 0)
        let received = Atomic(0)
        let running = publisher.sink(
            receiveCompletion: {
                if case .failure(let error) = $0 { print(error) }
                hasEnded.signal()
            }, receiveValue: { _ in received.add(1, ordering: .relaxed) })
        hasEnded.wait()
        running.cancel()
        if received.load(ordering: .relaxed) != count { print("\(received.load(ordering: .relaxed)) of \(count)") }
    }
}
