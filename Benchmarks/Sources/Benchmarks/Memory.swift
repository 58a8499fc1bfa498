import Glibc
import Headgate
import Heap

/// How much of the heap a live subscription takes.
enum Memory {
    /// The greatest number of bytes.
    static let reach = 331

    /// Bytes of one live subscription to `subject.map.filter`, by a sink.
    ///
    /// It is what the allocator has handed out, with its own overhead. The closures capture nothing, so that none of
    /// the bytes are theirs; for one that comes from elsewhere the compiler makes a wrapper of 48.
    static var bytesOfOneSubscription: Int {
        let count = 10_000
        let subject = PassthroughSubject<Int, Never>()
        var sinks: [AnyCancellable] = []
        sinks.reserveCapacity(count)
        let before = allocated
        for _ in 0..<count {
            sinks.append(subject.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.sink { _ in })
        }
        let after = allocated
        sinks.removeAll()
        return (after - before) / count
    }

    /// What waits and does nothing: its name, the greatest number of bytes, and how one of it is made.
    ///
    /// The subjects that are subscribed to are not included, and the closures capture nothing.
    static var idle: [(name: String, reach: Int, make: () -> Any)] {
        let subject = PassthroughSubject<Int, Never>()
        let other = PassthroughSubject<Int, Never>()
        let failing = PassthroughSubject<Int, NumberError>()
        return [
            ("subject", 150, { PassthroughSubject<Int, Never>() }),
            ("current-value-subject", 264, { CurrentValueSubject<Int, Never>(1) }),
            ("zip", 1069, { subject.zip(other).sink { _ in } }),
            ("catch", 656, { failing.catch { _ in Just(1) }.sink { _ in } }),
            ("retry", 688, { failing.retry(2).sink(receiveCompletion: { _ in }, receiveValue: { _ in }) }),
            (
                "buffer", 695,
                { subject.buffer(size: 16, prefetch: .keepFull, whenFull: .dropOldest).sink { _ in } }
            ),
            ("async-map", 2660, { subject.asyncMap { $0 }.sink { _ in } }),
            ("async-map-8", 2590, { subject.asyncMap(maxConcurrent: 8) { $0 }.sink { _ in } }),
            (
                "cached-key", 200,
                {
                    let cached = Just(1).cached(for: .seconds(1000), scheduler: ImmediateScheduler.shared)
                    cached.sink { _ in }.cancel()
                    return cached
                }
            ),
        ]
    }

    /// The greatest number of bytes that one takes of what a closure makes, and of what it allocates meanwhile on other threads.
    static func bytes(of make: () -> Any) -> Int {
        let count = 10_000
        var made: [Any] = []
        made.reserveCapacity(count + 100)
        for _ in 0..<100 { made.append(make()) }
        settle()
        let before = allocated
        for _ in 0..<count { made.append(make()) }
        settle()
        return (allocated - before) / count
    }

    /// Waits until tasks that have been started wait, too.
    private static func settle() {
        var last = 0
        repeat {
            last = allocated
            usleep(50_000)
        } while allocated != last
    }

    struct NumberError: Error {}

    /// Prints the bytes of live subscriptions to streams with several upstreams or subscribers, subjects not included.
    static func report() {
        let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        let reports: [(String, () -> [AnyCancellable])] = [
            (
                "share of two",
                {
                    let shared = subjects[0].share()
                    return [shared.sink { _ in }, shared.sink { _ in }]
                }
            ),
            ("merge of four", { [subjects[0].merge(with: subjects[1], subjects[2], subjects[3]).sink { _ in }] }),
            ("zip of three", { [subjects[0].zip(subjects[1], subjects[2]).sink { _ in }] }),
        ]
        for (name, subscribe) in reports { print(name, bytes(of: subscribe), separator: "\t") }
        for (name, _, make) in idle { print(name, bytes(of: make), separator: "\t") }
    }

    private static var allocated: Int {
        // Large blocks, such as the subject's list, are mapped and counted apart.
        let figures = mallinfo2()
        return figures.uordblks + figures.hblkhd
    }
}
