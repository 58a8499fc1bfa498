import Dispatch
import Glibc
import Headgate
import Synchronization

extension Workload {
    /// Streams with tasks of their own, beside `AsyncStream` and the operators of `AsyncSequence`.
    static var awaiting: [Workload] {
        [
            Workload(
                name: "async-map", element: "value", reach: 6000, isThreaded: true,
                run: { count in
                    wait {
                        for await value in (0..<count).publisher.asyncMap({ Opaque.increment($0) }).values {
                            Opaque.add(value)
                        }
                    }
                },
                baseline: { count in
                    wait {
                        for await value in stream(count).map({ Opaque.increment($0) }) { Opaque.add(value) }
                    }
                }),
            Workload(
                name: "async-map-8", element: "value", reach: 6000, isThreaded: true,
                run: { count in
                    wait {
                        let worked = (0..<count).publisher.asyncMap(maxConcurrent: 8) { Opaque.increment($0) }
                        for await value in worked.values { Opaque.add(value) }
                    }
                },
                baseline: { count in
                    wait {
                        await withTaskGroup(of: Int.self) { group in
                            for value in 0..<count {
                                if value >= 8, let result = await group.next() { Opaque.add(result) }
                                group.addTask { Opaque.increment(value) }
                            }
                            for await result in group { Opaque.add(result) }
                        }
                    }
                }),
            Workload(
                name: "async-map-8-by-key", element: "value", reach: 12000, isThreaded: true,
                run: { count in
                    wait {
                        let worked = (0..<count).publisher
                            .asyncMap(maxConcurrent: 8, by: { $0 % 16 }) { Opaque.increment($0) }
                        for await value in worked.values { Opaque.add(value) }
                    }
                },
                // A task for each value, which awaits the last one with the same key.
                baseline: { count in
                    wait {
                        await withTaskGroup(of: Int.self) { group in
                            var last: [Int: Task<Int, Never>] = [:]
                            for value in 0..<count {
                                if value >= 8, let result = await group.next() { Opaque.add(result) }
                                let before = last[value % 16]
                                let task = Task {
                                    _ = await before?.value
                                    return Opaque.increment(value)
                                }
                                last[value % 16] = task
                                group.addTask { await task.value }
                            }
                            for await result in group { Opaque.add(result) }
                        }
                    }
                }),
            Workload(
                name: "async-sequence-publisher", element: "value", reach: 20000_000, isThreaded: true, lookups: 12,
                run: { count in
                    wait { for await value in stream(count).publisher.values { Opaque.add(value) } }
                },
                baseline: { count in
                    wait { for await value in stream(count) { Opaque.add(value) } }
                }),
            // Each value is requested when the one before it has been worked on: two tasks that take turns.
            Workload(
                name: "async-sequence-one-by-one", element: "value", reach: 35000_000, isThreaded: true, lookups: 12,
                run: { count in
                    wait { await stream(count).publisher.forEach(Opaque.add) }
                },
                baseline: { count in
                    wait {
                        let (questions, requesting) = AsyncStream<Void>.makeStream()
                        let (answers, answering) = AsyncStream<Int>.makeStream()
                        let task = Task {
                            var values = stream(count).makeAsyncIterator()
                            for await _ in questions {
                                guard let value = await values.next() else { break }
                                answering.yield(value)
                            }
                            answering.finish()
                        }
                        requesting.yield()
                        for await value in answers {
                            Opaque.add(value)
                            requesting.yield()
                        }
                        await task.value
                    }
                }),
            Workload(
                name: "produce", element: "value", reach: 3000, isThreaded: true,
                run: { count in
                    wait {
                        let numbers = Publishers.produce(Int.self, failure: Never.self) {
                            yield throws(CancellationError) in
                            for value in 0..<count { try await yield(value) }
                        }
                        for await value in numbers.values { Opaque.add(value) }
                    }
                },
                baseline: { count in
                    wait { for await value in stream(count) { Opaque.add(value) } }
                }),
            Workload(
                name: "values-of-subject", element: "send", reach: 3000, isThreaded: true,
                run: { count in
                    wait {
                        let subject = PassthroughSubject<Int, Never>()
                        var values = subject.values(buffering: .bounded(.max)).makeAsyncIterator()
                        for value in 0..<count { subject.send(value) }
                        for _ in 0..<count { if let value = await values.next() { Opaque.add(value) } }
                    }
                },
                baseline: { count in
                    wait { for await value in stream(count) { Opaque.add(value) } }
                }),
            Workload(
                name: "sink-on-actor", element: "value", reach: 2000, isThreaded: true,
                run: { count in
                    let subject = PassthroughSubject<Int, Never>()
                    let adder = Adder()
                    let listener = subject.sink(on: adder) { adder, value in adder.add(value) }
                    for value in 0..<count { subject.send(value) }
                    while adder.handled.load(ordering: .acquiring) < count { sched_yield() }
                    listener.cancel()
                },
                baseline: addByHand),
            Workload(
                name: "receive-on-actor", element: "value", reach: 6000, isThreaded: true,
                run: { count in
                    let subject = PassthroughSubject<Int, Never>()
                    let adder = Adder()
                    let listener = subject.prefetch(count).receive(on: adder).map { _, value in value &+ 1 }
                        .sink { adder, value in adder.add(value) }
                    for value in 0..<count { subject.send(value) }
                    while adder.handled.load(ordering: .acquiring) < count { sched_yield() }
                    listener.cancel()
                },
                baseline: addByHand),
            // The next value is sent when the actor has nothing left to do.
            Workload(
                name: "sink-on-idle-actor", element: "value", reach: 16000_000, isThreaded: true,
                run: { count in
                    let subject = PassthroughSubject<Int, Never>()
                    let adder = Adder()
                    let listener = subject.sink(on: adder) { adder, value in adder.add(value) }
                    for value in 0..<count {
                        subject.send(value)
                        while adder.handled.load(ordering: .acquiring) <= value { sched_yield() }
                    }
                    listener.cancel()
                },
                baseline: { count in
                    let (stream, continuation) = AsyncStream<Int>.makeStream()
                    let adder = Adder()
                    let task = Task { await adder.follow(stream) }
                    for value in 0..<count {
                        continuation.yield(value)
                        while adder.handled.load(ordering: .acquiring) <= value { sched_yield() }
                    }
                    task.cancel()
                }),
            Workload(
                name: "channel", element: "value", reach: 4000, isThreaded: true,
                run: { count in
                    wait {
                        let channel = StreamChannel<Int, Never>(capacity: 64)
                        var values = channel.values.makeAsyncIterator()
                        let sender = Task { for value in 0..<count { try await channel.send(value) } }
                        for _ in 0..<count { if let value = await values.next() { Opaque.add(value) } }
                        _ = await sender.result
                    }
                },
                baseline: { count in
                    wait { for await value in stream(count) { Opaque.add(value) } }
                }),
        ]
    }

    private static func stream(_ count: Int) -> AsyncStream<Int> {
        AsyncStream { continuation in
            for value in 0..<count { continuation.yield(value) }
            continuation.finish()
        }
    }

    /// An actor adds what an `AsyncStream` brings it.
    private static func addByHand(_ count: Int) {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let adder = Adder()
        let task = Task { await adder.follow(stream) }
        for value in 0..<count { continuation.yield(value) }
        while adder.handled.load(ordering: .acquiring) < count { sched_yield() }
        task.cancel()
    }
}

private actor Adder {
    nonisolated let handled = Atomic(0)

    func add(_ value: Int) {
        Opaque.add(value)
        handled.add(1, ordering: .releasing)
    }

    func follow(_ stream: AsyncStream<Int>) async {
        for await value in stream { add(value) }
    }
}
