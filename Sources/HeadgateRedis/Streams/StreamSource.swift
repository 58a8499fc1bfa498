/// Reads from a stream for one subscriber over a connection of its own: one command at a time, against its demand.
protocol StreamSource: AnyObject, Sendable {
    associatedtype Output
    associatedtype Step: Sendable

    var emitter: Emitter<Output, RedisError> { get }
    var pipeline: Pipeline { get }

    /// Takes the next step if there is demand and none is under way.
    func proceed()

    /// Takes no further step.
    func end()

    /// Takes a reply that is taken as a whole, or why there is none.
    func take(_ reply: Outcome, to step: Step)

    /// How the elements are arranged that are taken as they arrive; `nil` if the reply is taken as a whole.
    func elements(of step: Step) -> ReplyElements?

    /// Takes the next elements; they may be none.
    ///
    /// - Returns: Whether they are what the step asks for.
    func take(_ count: Int, _ reader: inout RESPReader, _ step: Step) -> Bool

    /// Called when all elements of a reply have been taken, with their number and the size of the reply in bytes.
    func finish(_ step: Step, _ count: Int, _ size: Int)
}

/// What the steps of a source have in common: there is one at a time, against demand, and none after the end.
struct SourceTurn {
    private static let mostAtATime = 1_000
    private static let fewestAtATime = 4

    /// About how many bytes a reply may have.
    private let readSize: Int

    private var isBusy = false
    private(set) var isOver = false

    /// How many entries the next reply may have, by the sizes of the last ones.
    private var most = Self.fewestAtATime

    init(readSize: Int) { self.readSize = readSize }

    /// Begins a step, if there may be one.
    ///
    /// - Returns: How many entries it may read; `nil` if there may be none.
    mutating func begin(for demand: Subscribers.Demand) -> Int? {
        if isBusy || isOver || demand == .none { return nil }
        isBusy = true
        return min(demand.max ?? most, most)
    }

    /// Learns from a reply how large entries are: the server counts them, whatever their size.
    ///
    /// The next reply has at most four times as many, so that few small ones do not let a thousand large ones in.
    mutating func learn(_ entries: Int, _ bytes: Int) {
        if entries == 0 { return }
        let fitting = readSize / max(1, bytes / entries)
        most = max(1, min(fitting, Self.mostAtATime, max(Self.fewestAtATime, entries * 4)))
    }

    /// Called when the step that is under way has its reply.
    mutating func finish() { isBusy = false }

    mutating func end() { isOver = true }
}

extension StreamSource {
    func stop() {
        end()
        pipeline.close()
    }

    func fail(_ error: RedisError) {
        stop()
        emitter.fail(error)
    }

    func unexpected(_ words: String, _ command: Bytes) -> RedisError {
        pipeline.error(.unexpected(words)).naming(String(command))
    }

    func makeRequest(_ arguments: [Bytes], _ step: Step, blocks: Duration = .zero) {
        let receiver = StepReceiver(self, step, arguments[0])
        pipeline.send(
            Request(bytes: .command(arguments), kind: .step, blocks: blocks, receiver: receiver))
    }

    func elements(of step: Step) -> ReplyElements? { nil }

    func take(_ count: Int, _ reader: inout RESPReader, _ step: Step) -> Bool { false }

    func finish(_ step: Step, _ count: Int, _ size: Int) {}
}

extension RedisStream {
    /// Publishes what a source reads, which is made for each subscriber.
    ///
    /// - Parameter command: The command that a failure names when there is no connection.
    func publisher<Source: StreamSource>(
        _ command: String,
        _ makeSource: @escaping @Sendable (Emitter<Source.Output, RedisError>, Pipeline) -> Source
    ) -> AnyPublisher<Source.Output, RedisError> {
        Publishers.emitter(Source.Output.self, failure: RedisError.self, buffering: .unbounded) { emitter in
            switch redis.ownPipeline(at: HashSlot(of: key)) {
            case .failure(let error): emitter.fail(error.naming(command))
            case .success(let pipeline):
                let source = makeSource(emitter, pipeline)
                emitter.onCancel { source.stop() }
                emitter.onRequest { _ in source.proceed() }
            }
        }
        .eraseToAnyPublisher()
    }
}
