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

    /// Prints the bytes of live subscriptions to streams with several upstreams or subscribers, subjects not included.
    static func report() {
        let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        let reports: [(String, () -> [AnyCancellable])] = [
            ("subject", { [subjects[0].sink { _ in }] }),
            (
                "share of two",
                {
                    let shared = subjects[0].share()
                    return [shared.sink { _ in }, shared.sink { _ in }]
                }
            ),
            ("merge of four", { [subjects[0].merge(with: subjects[1], subjects[2], subjects[3]).sink { _ in }] }),
            ("zip of two", { [subjects[0].zip(subjects[1]).sink { _ in }] }),
            ("zip of three", { [subjects[0].zip(subjects[1], subjects[2]).sink { _ in }] }),
        ]
        for (name, subscribe) in reports {
            let count = 10_000
            var sinks: [AnyCancellable] = []
            sinks.reserveCapacity(2 * count)
            let before = allocated
            for _ in 0..<count { sinks += subscribe() }
            print(name, (allocated - before) / count, separator: "\t")
            sinks.removeAll()
        }
    }

    private static var allocated: Int {
        // Large blocks, such as the subject's list, are mapped and counted apart.
        let figures = mallinfo2()
        return figures.uordblks + figures.hblkhd
    }
}
