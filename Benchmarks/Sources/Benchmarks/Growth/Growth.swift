import Headgate

/// How the work grows with the number of members of an operator, or of values that it keeps.
///
/// Each case is run with few members and with many by `Benchmarks/growth`, which compares the numbers of instructions.
struct Growth {
    let name: String
    let run: (_ count: Int) -> Void

    static func named(_ name: String) -> Growth? { all.first { $0.name == name } }

    static var all: [Growth] { collections + subjects + inner + subscribers + values }
}

extension Growth {
    /// Collections of publishers that publish at once.
    private static var collections: [Growth] {
        [
            of("zip", { $0.zip() }),
            of("combineLatest", { $0.combineLatest() }),
            of("merge", { $0.merge() }),
            of("mergeSorted", { $0.mergeSorted(by: <) }),
            of("amb", { $0.amb() }),
            of("flatMapBatches", { $0.flatMapBatches(of: 10) }),
            of("MergeMany", { Publishers.MergeMany($0) }),
        ]
    }

    private static func of<P: Publisher>(_ name: String, _ join: @escaping ([Just<Int>]) -> P) -> Growth {
        Growth(name: "\(name) of Just") { count in
            _ = join((0..<count).map { Just($0) }).sink(
                receiveCompletion: { _ in }, receiveValue: { _ in Opaque.add(1) })
        }
    }

    /// Collections of subjects, each of which sends a value and finishes, in order and backwards.
    private static var subjects: [Growth] {
        [
            live("zip", { $0.zip() }),
            live("combineLatest", { $0.combineLatest() }),
            live("merge", { $0.merge() }),
            live("mergeSorted", { $0.mergeSorted(by: <) }),
            live("MergeMany", { Publishers.MergeMany($0) }),
            live("flatMap", { subjects in subjects.publisher.flatMap { $0 } }),
            live(
                "flatMapSequential",
                { subjects in
                    subjects.publisher.flatMapSequential(maxConcurrent: subjects.count) { $0 }
                }),
            live("switchToLatest", { $0.publisher.switchToLatest() }),
            live("amb", { $0.amb() }),
        ]
    }

    private static func live<P: Publisher>(
        _ name: String, _ join: @escaping ([PassthroughSubject<Int, Never>]) -> P
    ) -> Growth {
        Growth(name: "\(name) of subjects") { count in
            for isBackwards in [false, true] {
                let subjects = (0..<count).map { _ in PassthroughSubject<Int, Never>() }
                let sink = join(subjects).sink(receiveCompletion: { _ in }, receiveValue: { _ in Opaque.add(1) })
                let order = isBackwards ? subjects.reversed() : subjects
                for subject in order { subject.send(1) }
                for subject in order { subject.send(completion: .finished) }
                sink.cancel()
            }
            // Cancelled while all are there.
            join((0..<count).map { _ in PassthroughSubject<Int, Never>() })
                .sink(receiveCompletion: { _ in }, receiveValue: { _ in Opaque.add(1) })
                .cancel()
        }
    }

    /// Operators that make a publisher of each value.
    private static var inner: [Growth] {
        [
            through("flatMap to Just", { $0.flatMap { Just($0) } }),
            through("concatMap", { $0.concatMap { Just($0) } }),
            through("flatMapLatest", { $0.flatMapLatest { Just($0) } }),
            through("flatMapFirst", { $0.flatMapFirst { Just($0) } }),
            Growth(name: "expand breadth first") { count in
                _ = Just(1)
                    .expand(.breadthFirst, limit: 100_000, whenFull: .skip) {
                        ($0 < count ? [2 * $0, 2 * $0 + 1] : []).publisher
                    }
                    .sink(receiveValue: Opaque.add)
            },
            Growth(name: "expand depth first") { count in
                _ = Just(1)
                    .expand(.depthFirst, limit: 100, whenFull: .skip) {
                        ($0 < count ? [2 * $0, 2 * $0 + 1] : []).publisher
                    }
                    .sink(receiveValue: Opaque.add)
            },
            through("groupBy", { $0.groupBy(limit: 100_000, whenFull: .drop) { $0 }.flatMap { $0 } }),
            through("window", { $0.window(count: 3, unread: .hold).concatMap { $0 } }),
        ]
    }

    /// Operators that keep values.
    private static var values: [Growth] {
        [
            through("collect", { $0.collect() }),
            through("chunked", { $0.chunked { $0 / 10 == $1 / 10 } }),
            through("sliding", { $0.sliding(3) }),
            through("removeAllDuplicates", { $0.removeAllDuplicates() }),
            through("buffer", { $0.buffer(size: 100_000, prefetch: .byRequest, whenFull: .dropNewest) }),
            through("prefetch", { $0.prefetch(100_000) }),
            through("onBackpressureBuffer", { $0.onBackpressureBuffer(limit: 100_000, whenFull: .dropNewest) }),
            through("batch", { $0.batch(count: 100) }),
            through("receive(on:)", { $0.receive(on: ImmediateScheduler.shared) }),
            through("shareReplay", { $0.shareReplay(capacity: 100_000) }),
        ]
    }

    private static func through<P: Publisher>(
        _ name: String, _ make: @escaping (Publishers.Sequence<Range<Int>, Never>) -> P
    ) -> Growth {
        Growth(name: name) { count in
            _ = make((0..<count).publisher).sink(receiveCompletion: { _ in }, receiveValue: { _ in Opaque.add(1) })
        }
    }

    /// Publishers with many subscribers, which leave in order, backwards, and by the end.
    private static var subscribers: [Growth] {
        [
            crowd("PassthroughSubject", { $0 }),
            crowd("share", { $0.share() }),
            crowd("multicast", { $0.multicast { PassthroughSubject() }.autoconnect() }),
            crowd("shareReplay", { $0.shareReplay(capacity: 2) }),
            crowd("broadcast", { $0.broadcast() }),
            crowd("CurrentValueSubject", on: { CurrentValueSubject(0) }, { $0 }),
            crowd("ReplaySubject", on: { ReplaySubject(bufferSize: 2) }, { $0 }),
        ]
    }

    private static func crowd<P: Publisher>(
        _ name: String, _ make: @escaping (PassthroughSubject<Int, Never>) -> P
    ) -> Growth {
        crowd(name, on: { PassthroughSubject() }, make)
    }

    private static func crowd<S: Subject<Int, Never>, P: Publisher>(
        _ name: String, on makeSubject: @escaping () -> S, _ make: @escaping (S) -> P
    ) -> Growth {
        Growth(name: "\(name) with subscribers") { count in
            for leaving in 0..<3 {
                let subject = makeSubject()
                let publisher = make(subject)
                let sinks = (0..<count).map { _ in
                    publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in Opaque.add(1) })
                }
                subject.send(1)
                switch leaving {
                case 0: sinks.forEach { $0.cancel() }
                case 1: sinks.reversed().forEach { $0.cancel() }
                default: subject.send(completion: .finished)
                }
            }
        }
    }
}
