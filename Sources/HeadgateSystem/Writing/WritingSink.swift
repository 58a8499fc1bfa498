import HeadgateCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes what it receives, and asks for as much as it has written.
///
/// Values wait in memory while there is no room, at most as many as fit the window; small ones that wait together are
/// written by one call. All calls are made on the sink's own queue.
// `state` is behind its lock. The rest belongs to the one job on the queue that `isBusy` stands for.
package final class WritingSink<Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
    private struct State {
        var waiting: [Bytes] = []
        var completion: Subscribers.Completion<Failure>?
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
    private var onEnd: ((Written<Failure>) -> Void)?
    private var batch: [Bytes] = []
    private var batchBytes = 0
    private var unwritten: [Bytes].SubSequence = []
    private var partial: Bytes?
    private var window: WritingWindow
    private var written = 0

    /// Makes a sink.
    ///
    /// - Parameters:
    ///   - bufferSize: How many bytes may wait, going by the average size of the values, and how many small values are put
    ///     together for one call.
    ///   - open: Opens the destination, on the queue and when the subscription has come.
    ///   - onEnd: Called once, on the queue, unless cancelled.
    package init(
        on queue: DeliveryQueue, bufferSize: Int, open: @escaping () throws(SystemError) -> any WritingDestination,
        onEnd: @escaping (Written<Failure>) -> Void
    ) {
        self.queue = queue
        self.bufferSize = bufferSize
        self.open = open
        self.onEnd = onEnd
        window = WritingWindow(bufferSize: bufferSize)
    }

    package func receive(subscription: any Subscription) {
        let isWelcome = state.withLock { state in
            if state.hasSubscribed || state.isOver { return false }
            state.hasSubscribed = true
            state.subscription = subscription
            state.isBusy = true
            return true
        }
        if isWelcome { queue.run(begin) } else { subscription.cancel() }
    }

    package func receive(_ input: Bytes) -> Subscribers.Demand {
        work { $0.waiting.append(input) }
        return .none
    }

    package func receive(completion: Subscribers.Completion<Failure>) {
        let subscription = work { state in
            if state.completion == nil { state.completion = completion }
            return state.subscription.take()
        }
        withExtendedLifetime(subscription) {}
    }

    package func cancel() {
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

    /// Changes the state, and sees to it that a job looks at it.
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

extension WritingSink {
    private func begin() {
        do {
            // Who cancels at once finds the file as it was.
            if let open = open.take(), !state.withLock({ $0.isOver }) { destination = try open() }
            askForMore()
        } catch {
            return end(.failed(error, bytes: 0))
        }
        proceed()
    }

    /// Writes until nothing waits, there is no room, or everything is over.
    private func proceed() {
        do {
            while true {
                if state.withLock({ $0.isOver }) { return release() }
                guard try writeBatch() else { return park() }
                askForMore()
                if let completion = takeBatch() { return finish(completion) }
                if batch.isEmpty { return }
            }
        } catch {
            end(error.code == EPIPE ? .readerClosed(bytes: written) : .failed(error, bytes: written))
        }
    }

    /// Takes what waits as the next batch; where nothing does, there is no job any more.
    ///
    /// - Returns: The completion, if there is nothing to write before it.
    private func takeBatch() -> Subscribers.Completion<Failure>? {
        state.withLock { state in
            batch = exchange(&state.waiting, with: [])
            unwritten = batch[...]
            batchBytes = 0
            if !batch.isEmpty { return nil }
            if state.completion == nil { state.isBusy = false }
            return state.completion
        }
    }

    /// - Returns: Whether everything is written.
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

    /// One large value, or as many small ones as fit a buffer.
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

    private func askForMore() {
        if !batch.isEmpty { window.close(batch.count, bytes: batchBytes) }
        batch = []
        let more = window.widen()
        if more > 0 { state.withLock { $0.subscription }?.request(.max(more)) }
    }

    private func park() {
        guard let destination else { return }
        let readiness = self.readiness ?? Readiness(of: destination.descriptor, for: .writing, on: queue)
        self.readiness = readiness
        // Holds the sink: what it has taken is to be written, whoever has gone.
        readiness.wait { self.proceed() }
    }

    private func finish(_ completion: Subscribers.Completion<Failure>) {
        do throws(SystemError) {
            switch completion {
            case .finished:
                try destination?.finish()
                destination = nil
                end(.finished(bytes: written))
            case .failure(let failure):
                end(.upstreamFailed(failure, bytes: written))
            }
        } catch {
            end(.failed(error, bytes: written))
        }
    }

    private func end(_ result: Written<Failure>) {
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
        if !wasOver { onEnd?(result) }
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
    /// Puts several together in one piece of memory.
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
