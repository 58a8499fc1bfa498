@preconcurrency import Dispatch
import HeadgateCore

/// One connection of a pipeline, from the attempt to open it until it is lost.
// The parser is confined to the connection's queue, on which chunks arrive. A lock guards the rest.
final class Line: @unchecked Sendable {
    private struct State {
        var emitter: Emitter<Bytes, Never>?
        var users: [AnyCancellable] = []
        var isOver = false
    }

    private weak let pipeline: Pipeline?
    private let epoch: Int
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

    private func use(_ connection: Connection) {
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
        let held = pipeline.holdWriting()
        var receiver: (any ReplyReceiver)?
        defer {
            receiver?.settle()
            if let held { pipeline.flushHeld(held) }
        }
        do throws(RESPError) {
            try parser.read(chunk) { pipeline.take($0, epoch, &receiver) }
        } catch {
            lose(.unexpected(error.description))
        }
    }

    func write(_ bytes: Bytes) { state.withLock { $0.emitter }?.send(bytes) }

    private func lose(_ reason: RedisError.Reason) {
        guard let pipeline else { return }
        pipeline.lose(pipeline.error(reason), epoch)
    }

    private func keep(_ user: AnyCancellable) {
        let isOver = state.withLock { state in
            if !state.isOver { state.users.append(user) }
            return state.isOver
        }
        if isOver { user.cancel() }
    }

    func close() {
        let old = state.withLock { state in
            let old = state
            state = State()
            state.isOver = true
            return old
        }
        for user in old.users { user.cancel() }
    }

    deinit { close() }
}
