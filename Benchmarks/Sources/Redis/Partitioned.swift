import Dispatch
import Glibc
import HeadgateRedis
import Synchronization

/// What partitions cost beside one stream.
extension Streaming {
    private var partitions: RedisPartitions { redis.partitions("parts", count: 64) }

    /// Adds entries of one field, with one of ten thousand keys each.
    func addToPartitions(_ count: Int) {
        let fields: EntryFields = ["f": "xxx"]
        let adding = (0..<count).publisher.add(to: partitions, by: { Bytes("\($0 % 10_000)") }) { _ in fields }
        wait(for: adding, count)
    }

    /// Delivers to so many workers, each as in a process of its own, and acknowledges, until all is done.
    ///
    /// - Returns: The nanoseconds from when each worker owned its share.
    func work(_ count: Int, workers: Int, _ ordering: PartitionOrdering) -> UInt64 {
        let group = Bytes("g\(getpid())")
        let owners = Mutex(Array(repeating: Bytes(), count: partitions.count))
        let some = (0..<workers).map { _ in Redis(url).partitions("parts", count: partitions.count) }
        let watching = some.map { partitions in
            partitions.events.sink { event in
                if case .owned(let partition, _) = event.what { owners.withLock { $0[partition] = event.worker } }
            }
        }
        defer { for one in watching { one.cancel() } }
        let streams = zip(some, 0...).map { partitions, number in
            partitions.deliveries(group: group, worker: Bytes("w\(number)"), ordering: ordering)
        }
        return work(count, streams) {
            let shares = owners.withLock { owners in Dictionary(grouping: owners) { $0 }.values.map(\.count) }
            return shares.count == workers && shares.allSatisfy { $0 == partitions.count / workers }
        }
    }

    /// The same with the consumers of one stream.
    func workOnOneStream(_ count: Int, workers: Int) -> UInt64 {
        let group = Bytes("g\(getpid())")
        let streams = (0..<workers).map { number in
            Redis(url).stream("bench").deliveries(group: group, consumer: Bytes("w\(number)"))
        }
        return work(count, streams) { true }
    }

    private func work(
        _ count: Int, _ streams: [AnyPublisher<Delivery, RedisError>], when isReady: () -> Bool
    ) -> UInt64 {
        let hasEnded = DispatchSemaphore(value: 0)
        let received = Atomic(0)
        let subscriptions = Mutex<[any Subscription]>([])
        for stream in streams {
            stream.acknowledge(batch: 100, within: .milliseconds(1)).subscribe(
                AnySubscriber(
                    receiveSubscription: { subscription in
                        subscriptions.withLock { $0.append(subscription) }
                        subscription.request(.max(1))
                    },
                    receiveValue: { _ in
                        if received.add(1, ordering: .relaxed).newValue == count { hasEnded.signal() }
                        return .none
                    },
                    receiveCompletion: { print($0) }))
        }
        while !isReady() { usleep(1_000) }
        let began = DispatchTime.now().uptimeNanoseconds
        let all = subscriptions.withLock { $0 }
        for subscription in all { subscription.request(.unlimited) }
        hasEnded.wait()
        defer { for subscription in all { subscription.cancel() } }
        return DispatchTime.now().uptimeNanoseconds - began
    }

    /// Owns so many partitions without entries, and prints what that takes of a processor, here and in the server.
    func own(_ count: Int) {
        let owned = Atomic(0)
        let partitions = redis.partitions(Bytes("idle-\(count)"), count: count)
        let watching = partitions.events.sink { _ in owned.add(1, ordering: .relaxed) }
        let running = partitions.deliveries(group: "g", worker: "w")
            .sink(receiveCompletion: { print($0) }, receiveValue: { _ in })
        while owned.load(ordering: .relaxed) < count { usleep(1_000) }
        sleep(1)
        let (here, there) = (processorTime, serverTime)
        let seconds = 30.0
        sleep(UInt32(seconds))
        let parts = [processorTime - here, serverTime - there].map { String(Int($0 / seconds * 100_000)) }
        print(
            "\(count) idle partitions: \(parts[0]) of the worker and \(parts[1]) of the server, in 1/100,000 of a processor"
        )
        running.cancel()
        watching.cancel()
    }

    private var processorTime: Double {
        var resources = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &resources)
        return [resources.ru_utime, resources.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    private var serverTime: Double {
        let text = Mutex("")
        let isDone = DispatchSemaphore(value: 0)
        let asking = redis.command("INFO", "cpu").sink(
            receiveCompletion: { _ in isDone.signal() },
            receiveValue: { value in text.withLock { $0 = value.text ?? "" } })
        isDone.wait()
        asking.cancel()
        return text.withLock { $0 }.split(separator: "\r\n")
            .filter { $0.hasPrefix("used_cpu_sys:") || $0.hasPrefix("used_cpu_user:") }
            .reduce(0) { $0 + (Double($1.drop { $0 != ":" }.dropFirst()) ?? 0) }
    }
}
