import Dispatch
import Headgate

extension Workload {
    /// Asynchronous closures, beside a loop that awaits them and a group of tasks.
    static var working: [Workload] {
        [
            Workload(
                name: "async-map-sink", element: "value", reach: 6000, isThreaded: true,
                run: { count in
                    wait { done in
                        (0..<count).publisher.asyncMap { Opaque.increment($0) }
                            .sink(receiveCompletion: { _ in done.signal() }, receiveValue: Opaque.add)
                    }
                },
                baseline: { count in
                    wait { for await value in Counting(count) { Opaque.add(await increment(value)) } }
                }),
            Workload(
                name: "async-map-sink-suspending", element: "value", reach: 8600, isThreaded: true,
                run: { count in
                    wait { done in
                        (0..<count).publisher.asyncMap { await incrementAfterYielding($0) }
                            .sink(receiveCompletion: { _ in done.signal() }, receiveValue: Opaque.add)
                    }
                },
                baseline: { count in
                    wait { for await value in Counting(count) { Opaque.add(await incrementAfterYielding(value)) } }
                }),
            Workload(
                name: "async-map-suspending", element: "value", reach: 12000, isThreaded: true,
                run: { count in
                    wait {
                        for await value in (0..<count).publisher.asyncMap({ await incrementAfterYielding($0) }).values {
                            Opaque.add(value)
                        }
                    }
                },
                baseline: { count in
                    wait { for await value in Counting(count) { Opaque.add(await incrementAfterYielding(value)) } }
                }),
            inGroups("async-map-8-sink", reach: 6000, of: 8) { Opaque.increment($0) },
            inGroups("async-map-64-sink", reach: 6000, of: 64) { Opaque.increment($0) },
            inGroups("async-map-8-sink-suspending", reach: 12000, of: 8) { await incrementAfterYielding($0) },
            inGroups("async-map-64-sink-suspending", reach: 12000, of: 64) { await incrementAfterYielding($0) },
            Workload(
                name: "async-map-64", element: "value", reach: 6000, isThreaded: true,
                run: { count in
                    wait {
                        let worked = (0..<count).publisher.asyncMap(maxConcurrent: 64) { Opaque.increment($0) }
                        for await value in worked.values { Opaque.add(value) }
                    }
                },
                baseline: { count in wait { await inGroup(of: 64, count) { Opaque.increment($0) } } }),
            // Each result is requested when the one before it has been taken.
            Workload(
                name: "async-map-8-one-by-one", element: "value", reach: 12000, isThreaded: true,
                run: { count in
                    wait {
                        await (0..<count).publisher.asyncMap(maxConcurrent: 8) { Opaque.increment($0) }
                            .forEach(Opaque.add)
                    }
                },
                baseline: { count in wait { await inGroup(of: 8, count) { Opaque.increment($0) } } }),
            Workload(
                name: "async-filter-8-one-by-one", element: "value", reach: 12000, isThreaded: true,
                run: { count in
                    wait {
                        await (0..<count).publisher.asyncFilter(maxConcurrent: 8) { $0 >= 0 }.forEach(Opaque.add)
                    }
                },
                baseline: { count in wait { await inGroup(of: 8, count) { $0 } } }),
            inGroups("async-compact-map-8-sink", of: 8) { $0.asyncCompactMap(maxConcurrent: 8) { $0 } },
            inGroups("async-flat-map-8-sink", of: 8) { $0.asyncFlatMap(maxConcurrent: 8) { Just($0) } },
            inGroups("async-map-latest-sink", reach: 100_000, lookups: 24, of: 1) { $0.asyncMapLatest { $0 } },
            Workload(
                name: "async-sequence-publisher-sink", element: "value", reach: 20000_000, isThreaded: true,
                lookups: 12,
                run: { count in
                    wait { done in
                        stream(count).publisher
                            .sink(receiveCompletion: { _ in done.signal() }, receiveValue: Opaque.add)
                    }
                },
                baseline: { count in wait { for await value in stream(count) { Opaque.add(value) } } }),
            Workload(
                name: "async-sequence-publisher-sink-bare", element: "value", reach: 1000, isThreaded: true,
                run: { count in
                    wait { done in
                        Counting(count).publisher
                            .sink(receiveCompletion: { _ in done.signal() }, receiveValue: Opaque.add)
                    }
                },
                baseline: { count in wait { for await value in Counting(count) { Opaque.add(value) } } }),
            Workload(
                name: "for-await-map-filter", element: "value", reach: 1500, isThreaded: true,
                run: { count in
                    wait {
                        let values = (0..<count).publisher.map(Opaque.increment).filter(Opaque.isEven).values
                        for await value in values { Opaque.add(value) }
                    }
                },
                baseline: { count in
                    wait {
                        let (next, isEven) = (Opaque.increment, Opaque.isEven)
                        for await value in Counting(count).map({ next($0) }).filter({ isEven($0) }) {
                            Opaque.add(value)
                        }
                    }
                }),
        ]
    }

    /// Several values at a time, beside a group of as many tasks.
    private static func inGroups(
        _ name: String, reach: Int, of size: Int, _ work: @escaping @Sendable (Int) async -> Int
    ) -> Workload {
        Workload(
            name: name, element: "value", reach: reach, isThreaded: true,
            run: { count in
                wait { done in
                    (0..<count).publisher.asyncMap(maxConcurrent: size) { await work($0) }
                        .sink(receiveCompletion: { _ in done.signal() }, receiveValue: Opaque.add)
                }
            },
            baseline: { count in wait { await inGroup(of: size, count, work) } })
    }

    /// An operator, beside a group of tasks that do nothing.
    private static func inGroups<P: Publisher<Int, Never>>(
        _ name: String, reach: Int = 6000, lookups: Int = 0, of size: Int, _ make: @escaping (Numbers) -> P
    ) -> Workload {
        Workload(
            name: name, element: "value", reach: reach, isThreaded: true, lookups: lookups,
            run: { count in
                wait { done in
                    make(Numbers(count: count))
                        .sink(receiveCompletion: { _ in done.signal() }, receiveValue: Opaque.add)
                }
            },
            baseline: { count in wait { await inGroup(of: size, count) { $0 } } })
    }

    private static func inGroup(
        of size: Int, _ count: Int, _ work: @escaping @Sendable (Int) async -> Int
    ) async {
        await withTaskGroup(of: Int.self) { group in
            for value in 0..<count {
                if value >= size, let result = await group.next() { Opaque.add(result) }
                group.addTask { await work(value) }
            }
            for await result in group { Opaque.add(result) }
        }
    }

    @Sendable private static func increment(_ value: Int) async -> Int { Opaque.increment(value) }

    @Sendable private static func incrementAfterYielding(_ value: Int) async -> Int {
        await Task.yield()
        return Opaque.increment(value)
    }

    private static func stream(_ count: Int) -> AsyncStream<Int> {
        AsyncStream { continuation in
            for value in 0..<count { continuation.yield(value) }
            continuation.finish()
        }
    }
}

/// The least that an asynchronous sequence can do.
private struct Counting: AsyncSequence, Sendable {
    let count: Int

    init(_ count: Int) { self.count = count }

    func makeAsyncIterator() -> Iterator { Iterator(values: (0..<count).makeIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var values: Range<Int>.Iterator

        mutating func next() async -> Int? { values.next() }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Int? { values.next() }
    }
}
