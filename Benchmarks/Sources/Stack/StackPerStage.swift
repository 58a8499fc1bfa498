import Glibc
import Headgate

/// Measures how much stack one more stage of a pipeline takes, while it is subscribed to, served, ended, cancelled and
/// released: the table of the contract below rule 4.5.
enum StackPerStage {
    typealias Stream = AnyPublisher<Int, Never>

    /// The stages, by the names that the table gives them.
    static let stages: [(name: String, append: @Sendable (Stream) -> Stream)] = [
        ("map", { $0.map(increment).eraseToAnyPublisher() }),
        ("filter", { $0.filter { $0 >= 0 }.eraseToAnyPublisher() }),
        ("scan", { $0.scan(0) { $0 &+ $1 }.eraseToAnyPublisher() }),
        ("prefix", { $0.prefix(10).eraseToAnyPublisher() }),
        ("handleEvents", { $0.handleEvents(receiveOutput: { _ in }).eraseToAnyPublisher() }),
        ("handleEvents(receiveRequest:)", { $0.handleEvents(receiveRequest: { _ in }).eraseToAnyPublisher() }),
        ("collect, map", { $0.collect().map(\.count).eraseToAnyPublisher() }),
        ("append", { $0.append(Empty()).eraseToAnyPublisher() }),
        ("append, map", { $0.append(Empty()).map(increment).eraseToAnyPublisher() }),
        ("prepend", { $0.prepend([]).eraseToAnyPublisher() }),
        ("catch", { $0.catch(recover).eraseToAnyPublisher() }),
        ("retry", { $0.retry(1).eraseToAnyPublisher() }),
        ("buffer", { $0.buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher() }),
        ("receive(on: immediate)", { $0.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher() }),
        ("share", { $0.share().eraseToAnyPublisher() }),
        ("shareReplay", { $0.shareReplay(capacity: 1).eraseToAnyPublisher() }),
        ("merge", { $0.merge(with: Empty()).eraseToAnyPublisher() }),
        ("zip", { $0.zip(Always(1)) { number, _ in number }.eraseToAnyPublisher() }),
        ("combineLatest", { $0.combineLatest(Just(1)) { number, _ in number }.eraseToAnyPublisher() }),
        ("flatMap", { $0.flatMap { Just($0) }.eraseToAnyPublisher() }),
        ("flatMap over a sequence", { $0.flatMap { [$0].publisher }.eraseToAnyPublisher() }),
        ("switchToLatest", { $0.map { Just($0) }.switchToLatest().eraseToAnyPublisher() }),
        ("prefix(untilOutputFrom:)", { $0.prefix(untilOutputFrom: silence).eraseToAnyPublisher() }),
    ]

    private static let silence = Empty<Int, Never>(completeImmediately: false)

    private static func recover(_: Never) -> Empty<Int, Never> {}

    /// Prints the name and the bytes of each stage, separated by a tab.
    static func report() {
        for index in stages.indices { print(stages[index].name, bytesPerStage(index), separator: "\t") }
    }

    private static func bytesPerStage(_ index: Int) -> Int {
        let (few, many) = (200, 800)
        return uses.indices.map { use in
            (depth(Run(stage: index, use: use, count: many)) - depth(Run(stage: index, use: use, count: few)))
                / (many - few)
        }.max() ?? 0
    }

    private struct Run {
        let stage: Int
        let use: Int
        let count: Int
    }

    private static let uses: [@Sendable (Run) -> Void] = [
        { run in
            let sink = chain(run, on: (0..<3).publisher.eraseToAnyPublisher()).sink { _ in }
            sink.cancel()
        },
        { run in
            let subject = PassthroughSubject<Int, Never>()
            let sink = chain(run, on: subject.eraseToAnyPublisher()).sink { _ in }
            subject.send(1)
            sink.cancel()
        },
        { run in
            let subject = PassthroughSubject<Int, Never>()
            let sink = chain(run, on: subject.eraseToAnyPublisher()).sink { _ in }
            subject.send(1)
            subject.send(completion: .finished)
            sink.cancel()
        },
    ]

    private static func chain(_ run: Run, on root: Stream) -> Stream {
        (0..<run.count).reduce(root) { stream, _ in stages[run.stage].append(stream) }
    }

    /// How much of its stack a thread has written to.
    private static func depth(_ run: Run) -> Int {
        let size = 32 << 20
        let stack = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
        defer { munmap(stack, size) }
        let paint: UInt64 = 0xA5A5_5A5A_C3C3_3C3C
        let words = stack.bindMemory(to: UInt64.self, capacity: size / 8)
        words.update(repeating: paint, count: size / 8)
        withUnsafePointer(to: run) { run in
            withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
                pthread_attr_init(attributes.baseAddress!)
                pthread_attr_setstack(attributes.baseAddress!, stack, size)
                var thread = pthread_t()
                pthread_create(
                    &thread, attributes.baseAddress!,
                    { argument in
                        let run = argument!.load(as: Run.self)
                        StackPerStage.uses[run.use](run)
                        return nil
                    }, UnsafeMutableRawPointer(mutating: run))
                pthread_join(thread, nil)
                pthread_attr_destroy(attributes.baseAddress!)
            }
        }
        let untouched = (0..<size / 8).first { words[$0] != paint } ?? size / 8
        return size - untouched * 8
    }
}
