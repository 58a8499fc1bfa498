import HeadgateCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes the values it receives, and replaces the demand for those it has written.
///
/// Values are buffered while there is no room, at most as many as fit the window; small pending values are written with
/// one call. All calls are made on the writer's own queue.
///
/// Not generic, so that a value takes no metadata look-up: only the sink knows upstream's failure type.
// A lock guards `state`. The rest is confined to the one job on the queue that `isBusy` stands for.
final class Writer: @unchecked Sendable {
    /// How writing ended.
    enum Ending {
        case finished
        case readerClosed
        case failed(SystemError)
        case upstreamFailed
    }

    /// How upstream completed.
    enum Completion { case finished, failed }

    private struct State {
        var waiting: [Bytes] = []
        var completion: Completion?
        var subscription: (any Subscription)?
        var hasSubscribed = false
        var isBusy = false
        var isOver = false
    }

    private let state = Guarded(State())
    private let queue: DeliveryQueue
    private let bufferSize: Int

    private var open: (() throws(SystemError) -> any WritingDestination)?
    private var destination: (any WritingDestination)?
    private var readiness: Readiness?
    private var onEnd: ((Ending, _ bytes: Int) -> Void)?
    private var batch: [Bytes] = []
    private var batchBytes = 0
    private var unwritten: [Bytes].SubSequence = []
    private var partial: Bytes?
    private var window: WritingWindow
    private var written = 0

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - bufferSize: How many bytes may wait, estimated by the average size of the values, and the maximum size of
    ///     small values that are combined for one call.
    ///   - open: Opens the destination, on the queue when the subscription has arrived.
    ///   - onEnd: Called once, on the queue, unless cancelled.
    init(
        on queue: DeliveryQueue, bufferSize: Int, open: @escaping () throws(SystemError) -> any WritingDestination,
        onEnd: @escaping (Ending, _ bytes: Int) -> Void
    ) {
        self.queue = queue
        self.bufferSize = bufferSize
        self.open = open
        self.onEnd = onEnd
        window = WritingWindow(bufferSize: bufferSize)
    }

    /// Starts with the first subscription; others are cancelled.
    func connect(_ subscription: any Subscription) {
        let isWelcome = state.withLock { state in
            if state.hasSubscribed || state.isOver { return false }
            state.hasSubscribed = true
            state.subscription = subscription
            state.isBusy = true
            return true
        }
        if isWelcome { queue.run(begin) } else { subscription.cancel() }
    }

    /// Enqueues a value.
    func take(_ bytes: Bytes) { work { $0.waiting.append(bytes) } }

    /// Ends after everything has been written.
    func complete(_ completion: Completion) {
        let subscription = work { state in
            if state.completion == nil { state.completion = completion }
            return state.subscription.take()
        }
        withExtendedLifetime(subscription) {}
    }

    /// Ends immediately, without calling `onEnd`.
    func cancel() {
        let (subscription, waiting) = state.withLock { state in
            defer {
                state.isOver = true
                state.waiting = []
            }
            return (state.subscription.take(), state.waiting)
        }
        subscription?.cancel()
        queue.run(release)
        withExtendedLifetime(waiting) {}
    }

    /// Changes the state, and makes sure that a job processes it.
    @discardableResult private func work<Result>(_ change: (inout State) -> Result) -> Result? {
        let (result, isFirst) = state.withLock { state -> (Result?, Bool) in
            if state.isOver { return (nil, false) }
            let isFirst = !state.isBusy
            state.isBusy = true
            return (change(&state), isFirst)
        }
        if isFirst { queue.run(proceed) }
        return result
    }
}

extension Writer {
    private func begin() {
        do {
            // An immediate cancellation leaves the file untouched.
            if let open = open.take(), !state.withLock({ $0.isOver }) { destination = try open() }
            requestMore()
        } catch {
            return end(.failed(error))
        }
        proceed()
    }

    /// Writes until no value is pending, there is no room, or the stream has ended.
    private func proceed() {
        do {
            while true {
                if state.withLock({ $0.isOver }) { return release() }
                guard try writeBatch() else { return park() }
                requestMore()
                if let completion = takeBatch() { return finish(completion) }
                if batch.isEmpty { return }
            }
        } catch {
            end(error.code == EPIPE ? .readerClosed : .failed(error))
        }
    }

    /// Takes the pending values as the next batch; if there are none, the job ends.
    ///
    /// - Returns: The completion, if there is nothing to write before it.
    private func takeBatch() -> Completion? {
        state.withLock { state in
            batch = exchange(&state.waiting, with: [])
            unwritten = batch[...]
            batchBytes = 0
            if !batch.isEmpty { return nil }
            if state.completion == nil { state.isBusy = false }
            return state.completion
        }
    }

    /// - Returns: Whether the whole batch is written.
    private func writeBatch() throws(SystemError) -> Bool {
        guard let destination else { return true }
        while let piece = partial.take() ?? nextPiece() {
            var piece = piece
            while !piece.isEmpty {
                guard let count = try destination.write(piece) else {
                    partial = piece
                    return false
                }
                written += count
                batchBytes += count
                piece = piece[(piece.startIndex + count)...]
            }
        }
        return true
    }

    /// One large value, or as many small ones as fit the buffer.
    private func nextPiece() -> Bytes? {
        guard let first = unwritten.popFirst() else { return nil }
        guard let second = unwritten.first, first.count + second.count <= bufferSize else { return first }
        var total = first.count
        let count = unwritten.prefix {
            total += $0.count
            return total <= bufferSize
        }.count
        let small = unwritten.prefix(count)
        unwritten = unwritten.dropFirst(count)
        return Bytes(joining: first, small)
    }

    private func requestMore() {
        if !batch.isEmpty { window.close(batch.count, bytes: batchBytes) }
        batch = []
        let more = window.widen()
        if more > 0 { state.withLock { $0.subscription }?.request(.max(more)) }
    }

    private func park() {
        guard let destination else { return }
        let readiness = self.readiness ?? Readiness(of: destination.descriptor, for: .writing, on: queue)
        self.readiness = readiness
        // Retains the writer: values it has taken must be written even if it has been released.
        readiness.wait { self.proceed() }
    }

    private func finish(_ completion: Completion) {
        if completion == .failed { return end(.upstreamFailed) }
        do throws(SystemError) {
            try destination?.finish()
            destination = nil
            end(.finished)
        } catch {
            end(.failed(error))
        }
    }

    private func end(_ ending: Ending) {
        let (subscription, wasOver) = state.withLock { state in
            defer {
                state.isOver = true
                state.waiting = []
            }
            return (state.subscription.take(), state.isOver)
        }
        let onEnd = self.onEnd
        release()
        subscription?.cancel()
        if !wasOver { onEnd?(ending, written) }
    }

    private func release() {
        destination?.abandon()
        let old = (destination.take(), readiness.take(), onEnd.take(), open.take())
        batch = []
        unwritten = []
        partial = nil
        withExtendedLifetime(old) {}
    }
}

extension Bytes {
    /// Joins several into one piece of memory.
    init(joining first: Bytes, _ others: some Collection<Bytes>) {
        let size = others.reduce(first.count) { $0 + $1.count }
        self.init(capacity: size) { buffer in
            var place = 0
            func add(_ bytes: Bytes) {
                bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[place...]).copyMemory(from: $0) }
                place += bytes.count
            }
            add(first)
            others.forEach(add)
            return size
        }
    }
}
