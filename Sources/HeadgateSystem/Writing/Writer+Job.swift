import Dispatch
import HeadgateLibC

/// What the writer does on its queue.
extension Writer {
    /// The nanoseconds between two values after which the second one counts as coming alone.
    private static let pause: UInt64 = 1_000_000

    /// Opens the destination, and begins to request.
    func begin() {
        do {
            // An immediate cancellation leaves the file untouched.
            if let open = open.take(), !state.withLock({ $0.isOver }) { destination = try open() }
            destination?.watchReader { [weak self] error in self?.loseReader(error) }
            requestMore()
        } catch {
            return end(.failed(error, bytes: written))
        }
        proceed()
    }

    /// Writes until no value is pending, there is no room, or the stream has ended.
    func proceed() {
        isParked = false
        do {
            while true {
                if state.withLock({ $0.isOver }) { return release() }
                guard try writeBatch() else { return park() }
                watchStall()
                requestMore()
                if let completion = takeBatch() { return finish(completion) }
                if batch.isEmpty { return }
            }
        } catch {
            end(error)
        }
    }

    /// Writes a value on the calling thread, which has made the writer busy, if the value comes alone.
    ///
    /// One that follows another at once is better combined with those after it. Nothing but the call is made here: the
    /// queue's threads do the rest.
    ///
    /// - Returns: How many values to request; `nil` if the value is still to be enqueued.
    func writeHere(_ bytes: Bytes) -> Int? {
        guard queue.enter() else { return nil }
        defer { queue.leave() }
        let now = DispatchTime.now().uptimeNanoseconds
        guard let destination, now - lastHere >= Self.pause else { return nil }
        lastHere = now
        let count: Int
        do throws(SystemError) {
            count = try destination.write(bytes) ?? 0
        } catch {
            queue.run { self.end(error) }
            return 0
        }
        written += count
        watchStall()
        if count == bytes.count {
            window.close(1, bytes: count)
            let isDone = state.withLock { state in
                state.isBusy = !state.waiting.isEmpty || state.completion != nil
                return !state.isBusy
            }
            if isDone { return window.widen() }
        } else {
            batch = [bytes]
            batchBytes = count
            partial = bytes[(bytes.startIndex + count)...]
        }
        queue.run(proceed)
        return 0
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

    /// Waits for room, unless upstream has failed: then the reader must not be waited for.
    private func park() {
        guard let destination else { return }
        if case .failure(let failure) = state.withLock({ $0.completion }) {
            return end(.upstreamFailed(failure, bytes: written))
        }
        isParked = true
        watchStall()
        let readiness = self.readiness ?? Readiness(of: destination.descriptor, for: .writing, on: queue)
        self.readiness = readiness
        // Retains the writer: values it has taken must be written even if it has been released.
        readiness.wait { self.proceed() }
    }

    private func finish(_ completion: Completion) {
        if case .failure(let failure) = completion { return end(.upstreamFailed(failure, bytes: written)) }
        do throws(SystemError) {
            try destination?.finish()
            destination = nil
            end(.finished(bytes: written))
        } catch {
            end(.failed(error, bytes: written))
        }
    }

    /// Looks four times per limit, while the reader has not got everything, whether it gets anything, and ends the fourth
    /// time in a row that it has got nothing.
    ///
    /// - Parameter before: What it had got at the last look.
    private func watchStall(since before: Int? = nil) {
        guard let stallLimit, stall == nil, let destination else { return }
        let taken = written - destination.unacknowledgedCount
        if !isParked, taken == written { return }
        quietChecks = taken == before ? quietChecks + 1 : 0
        if quietChecks == 4 {
            let error = SystemError(call: "write", code: ETIMEDOUT, subject: destination.descriptor.path)
            return end(.failed(error, bytes: written))
        }
        stall = stallLimit.alarm.after(stallLimit.time / 4) { [weak self] in
            guard let self else { return }
            queue.run {
                self.stall = nil
                self.watchStall(since: taken)
            }
        }
    }

    /// Ends because the reader has gone; called on the queue.
    private func loseReader(_ error: SystemError) {
        if !state.withLock({ $0.isOver }) { end(error) }
    }

    private func end(_ error: SystemError) {
        end(error.code == EPIPE ? .readerClosed(bytes: written) : .failed(error, bytes: written))
    }

    func end(_ outcome: Written<any Error>) {
        let closed = close()
        let onEnd = self.onEnd
        release()
        guard let (subscription, pending, old) = closed else { return }
        subscription?.cancel()
        onEnd?(outcome)
        // After the outcome has been reported, so that a program that has waited for it has the outcome.
        pending?.leave()
        withExtendedLifetime(old) {}
    }

    func release() {
        isParked = false
        destination?.abandon()
        let old = (destination.take(), readiness.take(), onEnd.take(), open.take(), stall.take())
        batch = []
        unwritten = []
        partial = nil
        withExtendedLifetime(old) {}
    }
}
