import HeadgateLibC

/// Writes the values it receives, and replaces the demand for those it has written.
///
/// Values are buffered while there is no room, at most as many as fit the window; small pending values are written with
/// one call. All calls are made on the writer's own queue, by its threads, or, for a value that comes alone, by the
/// thread that delivers it: to hand it to another one costs more than the call.
///
/// Not generic, so that a value takes no metadata look-up: only the sink knows upstream's failure type.
// A lock guards `state`. The rest is confined to the queue.
final class Writer: @unchecked Sendable {
    /// How upstream completed; only the sink knows the type of its failure.
    typealias Completion = Subscribers.Completion<any Error>

    struct State {
        var waiting: [Bytes] = []
        var completion: Completion?
        var subscription: (any Subscription)?
        var hasSubscribed = false
        /// Whether a job on the queue, or the wait for room, will process changes.
        var isBusy = false
        var isOver = false
        /// The stream that a shutdown waits for, until the end of this writer.
        var pending: PendingStream?
        var cutOff: AnyCancellable?
    }

    let state = Guarded(State())
    let queue: DeliveryQueue
    let bufferSize: Int
    let stallLimit: StallLimit?

    var open: (() throws(SystemError) -> any WritingDestination)?
    var destination: (any WritingDestination)?
    var readiness: Readiness?
    var onEnd: ((Written<any Error>) -> Void)?
    var batch: [Bytes] = []
    var batchBytes = 0
    var unwritten: [Bytes].SubSequence = []
    var partial: Bytes?
    var window: WritingWindow
    var written = 0
    /// When a value was last written by the thread that delivered it, in nanoseconds.
    var lastHere: UInt64 = 0
    /// Whether the job waits for room.
    var isParked = false
    /// The alarm of the limit for a time without progress, and how often in a row it has found none.
    var stall: AnyCancellable?
    var quietChecks = 0

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - bufferSize: How many bytes may wait, estimated by the average size of the values, and the maximum size of
    ///     small values that are combined for one call.
    ///   - stallLimit: How long there may be no room.
    ///   - open: Opens the destination, on the queue when the subscription has arrived.
    ///   - onEnd: Called once, on the queue, unless cancelled.
    init(
        on queue: DeliveryQueue, bufferSize: Int, stallLimit: StallLimit?,
        open: @escaping () throws(SystemError) -> any WritingDestination,
        onEnd: @escaping (Written<any Error>) -> Void
    ) {
        self.queue = queue
        self.bufferSize = bufferSize
        self.stallLimit = stallLimit
        self.open = open
        self.onEnd = onEnd
        window = WritingWindow(bufferSize: bufferSize)
    }

    deinit { state.withLock { $0.pending.take() }?.leave() }

    /// Starts with the first subscription; others are cancelled.
    func connect(_ subscription: any Subscription) {
        let isWelcome = state.withLock { state in
            if state.hasSubscribed || state.isOver { return false }
            state.hasSubscribed = true
            state.subscription = subscription
            state.isBusy = true
            return true
        }
        if !isWelcome { return subscription.cancel() }
        joinPendingStream()
        queue.run(begin)
    }

    /// Writes a value at once if that is cheap, and enqueues it otherwise.
    ///
    /// - Returns: How many values to request.
    func take(_ bytes: Bytes) -> Int {
        let isFirst = state.withLock { state in
            if state.isOver { return false }
            defer { state.isBusy = true }
            if state.isBusy { state.waiting.append(bytes) }
            return !state.isBusy
        }
        if !isFirst { return 0 }
        if let more = writeHere(bytes) { return more }
        state.withLock { state in
            if !state.isOver { state.waiting.append(bytes) }
        }
        queue.run(proceed)
        return 0
    }

    /// Ends: after everything has been written, or, if upstream has failed, without waiting for room.
    func complete(_ completion: Completion) {
        joinPendingStream()
        // A stream that the deadline cuts off finishes, too.
        let hasFailed = if case .failure = completion { true } else { false }
        if !hasFailed, state.withLock({ $0.pending })?.isCutOff ?? false { return cutOff() }
        let (subscription, isFirst) = state.withLock { state -> ((any Subscription)?, Bool) in
            if state.isOver { return (nil, false) }
            defer { state.isBusy = true }
            if state.completion == nil { state.completion = completion }
            return (state.subscription.take(), !state.isBusy)
        }
        // The job may be waiting for room.
        if isFirst || hasFailed { queue.run(proceed) }
        withExtendedLifetime(subscription) {}
    }

    /// Ends immediately, without calling `onEnd`; does nothing after the end.
    func cancel() {
        guard let (subscription, pending, old) = close() else { return }
        subscription?.cancel()
        queue.run {
            self.release()
            pending?.leave()
        }
        withExtendedLifetime(old) {}
    }

    /// Makes the shutdown whose stream this is wait for this writer, too.
    private func joinPendingStream() {
        guard let pending = PendingStream.current, state.withLock({ $0.pending == nil && !$0.isOver }), pending.join()
        else { return }
        let isWelcome = state.withLock { state in
            if state.isOver || state.pending != nil { return false }
            state.pending = pending
            return true
        }
        if !isWelcome { return pending.leave() }
        let cutOff = pending.onCutOff { [weak self] in self?.cutOff() }
        // Released here, and so cancelled, if it is over already.
        state.withLock { if !$0.isOver { $0.cutOff = cutOff } }
    }

    private func cutOff() {
        queue.run {
            let error = SystemError(call: "write", code: ECANCELED, subject: self.destination?.descriptor.path)
            self.end(.failed(error, bytes: self.written))
        }
    }

    /// Ends the state; what was in it is for the caller to release.
    ///
    /// - Returns: `nil` if it has ended before.
    func close() -> (subscription: (any Subscription)?, pending: PendingStream?, old: Any)? {
        state.withLock { state in
            if state.isOver { return nil }
            state.isOver = true
            let old = (exchange(&state.waiting, with: []), state.cutOff.take())
            return (state.subscription.take(), state.pending.take(), old)
        }
    }
}
