import Headgate

// Operators with several upstreams.
extension Growth {
    /// Collections of publishers that publish at once.
    static var collections: [Growth] {
        [
            of("zip", { $0.zip() }),
            of("combineLatest", { $0.combineLatest() }),
            of("merge", { $0.merge() }),
            of("mergeSorted", { $0.mergeSorted(by: <) }),
            of("amb", { $0.amb() }),
            of("flatMapBatches", { $0.flatMapBatches(of: 10) }),
            of("flatMapBatches(of: all)", { $0.flatMapBatches(of: max(1, $0.count)) }),
            of("MergeMany", { Publishers.MergeMany($0) }),
        ]
    }

    private static func of<P: Publisher>(_ name: String, _ join: @escaping ([Just<Int>]) -> P) -> Growth {
        Growth(name: "\(name) of Just") { count in _ = join((0..<count).map { Just($0) }).drain() }
    }

    /// Collections of subjects, each of which sends a value and finishes, in order and backwards.
    static var subjects: [Growth] {
        [
            live("zip", { $0.zip() }),
            live("combineLatest", { $0.combineLatest() }),
            live("merge", { $0.merge() }),
            live("mergeSorted", { $0.mergeSorted(by: <) }),
            live("amb", { $0.amb() }),
            live("flatMapBatches", { $0.flatMapBatches(of: 10) }),
            live("MergeMany", { Publishers.MergeMany($0) }),
            live("flatMap", { subjects in subjects.publisher.flatMap { $0 } }),
            live("flatMap(maxPublishers:)", { all in all.publisher.flatMap(maxPublishers: .max(all.count)) { $0 } }),
            live("flatMap(failures: .afterValues)", { all in all.publisher.flatMap(failures: .afterValues) { $0 } }),
            live("flatMapSequential", { all in all.publisher.flatMapSequential(maxConcurrent: all.count) { $0 } }),
            live("concatMap", { all in all.publisher.concatMap { $0 } }),
            live("flatMapFirst", { all in all.publisher.flatMapFirst { $0 } }),
            live("switchToLatest", { $0.publisher.switchToLatest() }),
        ]
    }

    private static func live<P: Publisher>(
        _ name: String, _ join: @escaping ([PassthroughSubject<Int, Never>]) -> P
    ) -> Growth {
        Growth(name: "\(name) of subjects") { count in
            for isBackwards in [false, true] {
                let subjects = (0..<count).map { _ in PassthroughSubject<Int, Never>() }
                let sink = join(subjects).drain()
                let order = isBackwards ? subjects.reversed() : subjects
                for subject in order { subject.send(1) }
                for subject in order { subject.send(completion: .finished) }
                sink.cancel()
            }
            // Cancelled while all are there.
            join((0..<count).map { _ in PassthroughSubject<Int, Never>() }).drain().cancel()
        }
    }

    /// Subjects that are attached to many publishers, which go in order, backwards, and while others come.
    static var senders: [Growth] {
        [
            feeding("PassthroughSubject", { PassthroughSubject<Int, Never>() }),
            feeding("CurrentValueSubject", { CurrentValueSubject<Int, Never>(0) }),
            feeding("ReplaySubject", { ReplaySubject<Int, Never>(bufferSize: 2) }),
        ]
    }

    private static func feeding<S: Subject<Int, Never>>(_ name: String, _ make: @escaping () -> S) -> Growth {
        Growth(name: "\(name) with senders") { count in
            for isBackwards in [false, true] {
                let subject = make()
                let sink = subject.drain()
                let senders = (0..<count).map { _ in PassthroughSubject<Int, Never>() }
                let connections = senders.map { $0.subscribe(subject) }
                for sender in senders { sender.send(1) }
                for connection in isBackwards ? connections.reversed() : connections { connection.cancel() }
                for sender in senders { sender.prefix(1).subscribe(subject).cancel() }
                sink.cancel()
            }
        }
    }
}
