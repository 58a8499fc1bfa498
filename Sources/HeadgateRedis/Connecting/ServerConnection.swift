@preconcurrency import Dispatch
import Synchronization

/// One connection of a pipeline, from the attempt to open it until it is lost.
// The parser is confined to the connection's queue, on which chunks arrive. A lock guards the rest.
final class ServerConnection: @unchecked Sendable {
    private struct State {
        var emitter: Emitter<Bytes, Never>?
        var users: [AnyCancellable] = []
        var connection: Connection?
        var isOver = false
    }

    private weak let pipeline: Pipeline?
    private let epoch: Int
    private let chunks = Atomic(0)
    private let state = Guarded(State())
    private var parser = RESPParser()

    init(_ pipeline: Pipeline, _ epoch: Int) {
        self.pipeline = pipeline
        self.epoch = epoch
    }

    func open(to address: SocketAddress, _ options: RedisOptions) {
        let connecting = Connection.connect(
            to: address, options: options.socket, timeout: .init(options.connectingTime),
            scheduler: DispatchQueue.global()
        )
        .sink(
            receiveCompletion: { [weak self] in if case .failure(let error) = $0 { self?.lose(.system(error)) } },
            receiveValue: { [weak self] in self?.use($0) })
        keep(connecting)
    }

    /// What has moved on the connection: bytes, not whole replies, tell that the other side is alive.
    ///
    /// A reply of many megabytes takes its time, and so does a command; neither is given up while it moves.
    var movement: Movement {
        Movement(
            chunks: chunks.load(ordering: .relaxed), taken: state.withLock { $0.connection }?.takenBytes ?? 0)
    }

    struct Movement {
        /// How many chunks have been received.
        let chunks: Int
        /// How many bytes the server has taken.
        let taken: Int

        func isBeyond(_ former: Movement) -> Bool { chunks != former.chunks || taken > former.taken }
    }

    private func use(_ connection: Connection) {
        state.withLock { if !$0.isOver { $0.connection = connection } }
        let output = Publishers.emitter(Bytes.self, buffering: .unbounded) { [weak self] emitter in
            self?.state.withLock { if !$0.isOver { $0.emitter = emitter } }
        }
        keep(
            AnyCancellable(
                output.write(to: connection, bufferSize: 1 << 18) { [weak self] written in
                    if case .failed(let error, _) = written { self?.lose(.system(error)) } else { self?.lose(.closed) }
                }))
        let reading = connection.bytes().sink(
            receiveCompletion: { [weak self] completion in
                if case .failure(let error) = completion { self?.lose(.system(error)) } else { self?.lose(.closed) }
            },
            receiveValue: { [weak self] in self?.read($0) })
        keep(reading)
        // A cancelled reader leaves the connection open, for another one.
        keep(AnyCancellable { connection.reset() })
        pipeline?.begin(epoch)
    }

    private func read(_ chunk: Bytes) {
        guard let pipeline else { return }
        chunks.add(1, ordering: .relaxed)
        let held = pipeline.holdWriting()
        var receiver: (any ReplyReceiver)?
        defer {
            receiver?.settle()
            if let held { pipeline.flushHeld(held) }
        }
        do throws(RESPError) {
            try parser.read(chunk) { pipeline.take($0, epoch, &receiver) }
            if !parser.isEmpty { pipeline.receiver(epoch)?.takePart(of: &parser) }
        } catch {
            lose(.unexpected(error.description))
        }
    }

    func write(_ bytes: Bytes) { state.withLock { $0.emitter }?.send(bytes) }

    private func lose(_ reason: RedisError.Reason) {
        guard let pipeline else { return }
        pipeline.lose(pipeline.error(reason), epoch)
    }

    func keep(_ user: AnyCancellable) {
        let isOver = state.withLock { state in
            if !state.isOver { state.users.append(user) }
            return state.isOver
        }
        if isOver { user.cancel() }
    }

    func close() {
        let old = state.withLock { exchange(&$0, with: State(isOver: true)) }
        for user in old.users { user.cancel() }
    }

    deinit { close() }
}
