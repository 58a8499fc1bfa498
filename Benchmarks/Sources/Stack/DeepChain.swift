import Glibc
import Headgate

/// Builds pipelines of thousands of stages, and sees whether the stack holds while they are subscribed to, served,
/// ended, cancelled and released.
enum DeepChain {
    /// Passes, or dies of a stack overflow.
    static func check() {
        check(stages: 10_000, Stage.allCases)
        print("10,000 stages on the main thread: passed")
        onSmallStack { _ in
            DeepChain.check(stages: 1000, [.map, .filter, .prefix, .mixed])
            return nil
        }
        print("1,000 stages on a stack of 512 KiB: passed")
        onSmallStack { _ in
            DeepChain.expand(levels: 100_000)
            return nil
        }
        print("100,000 levels of `expand` on a stack of 512 KiB: passed")
    }

    private static func check(stages: Int, _ kinds: [Stage]) {
        for kind in kinds {
            serveAndFinish(stages, kind)
            serveAndCancel(stages, kind)
            serveAndRelease(stages, kind)
        }
    }

    private enum Stage: CaseIterable {
        case map, filter, prefix, mixed, append, prepend, recover, receive, shareReplay, handleEvents, measureInterval

        func append(to publisher: AnyPublisher<Int, Never>, _ index: Int) -> AnyPublisher<Int, Never> {
            switch self {
            case .map: publisher.map(increment).eraseToAnyPublisher()
            case .filter: publisher.filter { $0 >= 0 }.eraseToAnyPublisher()
            case .prefix: publisher.prefix(10).eraseToAnyPublisher()
            case .mixed: [Stage.map, .filter, .prefix][index % 3].append(to: publisher, index)
            // With another operator between, so that the list isn't flattened.
            case .append: publisher.append(Empty()).map(increment).eraseToAnyPublisher()
            case .prepend: publisher.prepend([]).map(increment).eraseToAnyPublisher()
            case .recover: publisher.catch(DeepChain.recover).eraseToAnyPublisher()
            case .receive: publisher.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher()
            case .shareReplay: publisher.shareReplay(capacity: 1).eraseToAnyPublisher()
            case .handleEvents: publisher.handleEvents(receiveOutput: { _ in }).eraseToAnyPublisher()
            case .measureInterval:
                publisher.measureInterval(using: ImmediateScheduler.shared).map { _ in 1 }.eraseToAnyPublisher()
            }
        }
    }

    private static func recover(_: Never) -> Empty<Int, Never> {}

    private static func chain(_ stages: Int, _ kind: Stage, on root: AnyPublisher<Int, Never>) -> AnyPublisher<
        Int, Never
    > {
        (0..<stages).reduce(root) { kind.append(to: $0, $1) }
    }

    private static func serveAndFinish(_ stages: Int, _ kind: Stage) {
        var count = 0
        var hasFinished = false
        let sink = chain(stages, kind, on: (0..<3).publisher.eraseToAnyPublisher())
            .sink(receiveCompletion: { _ in hasFinished = true }, receiveValue: { _ in count += 1 })
        precondition(count == 3 && hasFinished)
        sink.cancel()
    }

    private static func serveAndCancel(_ stages: Int, _ kind: Stage) {
        var count = 0
        let subject = PassthroughSubject<Int, Never>()
        let sink = chain(stages, kind, on: subject.eraseToAnyPublisher()).sink { _ in count += 1 }
        subject.send(1)
        sink.cancel()
        subject.send(2)
        precondition(count == 1)
    }

    /// Nobody cancels: the subject goes first.
    private static func serveAndRelease(_ stages: Int, _ kind: Stage) {
        var count = 0
        var subject = Optional(PassthroughSubject<Int, Never>())
        var publisher = subject.map { chain(stages, kind, on: $0.eraseToAnyPublisher()) }
        let sink = publisher?.sink { _ in count += 1 }
        publisher = nil
        subject?.send(1)
        subject = nil
        sink?.cancel()
        precondition(count == 1)
    }

    private static func expand(levels: Int) {
        for order in [Publishers.ExpansionOrder.breadthFirst, .depthFirst] {
            var count = 0
            let sink = Just(1).expand(order, limit: levels, whenFull: .skip) { ($0 < levels ? [$0 + 1] : []).publisher }
                .sink { _ in count += 1 }
            sink.cancel()
            precondition(count == levels)
        }
    }

    private static func onSmallStack(
        _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    ) {
        // Not `pthread_attr_t()`: to the compiler, that is a member of Glibc or of Dispatch, whichever came first.
        withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
            pthread_attr_init(attributes.baseAddress!)
            pthread_attr_setstacksize(attributes.baseAddress!, 512 * 1024)
            var thread = pthread_t()
            pthread_create(&thread, attributes.baseAddress!, body, nil)
            pthread_join(thread, nil)
            pthread_attr_destroy(attributes.baseAddress!)
        }
    }
}
