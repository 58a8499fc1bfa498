import HeadgateLibC

/// The bytes of a stream that have not been taken yet, at most a chunk, and the subscription that brings more.
///
/// One at a time takes from it, and puts back what it has not used.
@usableFromInline final class UnreadBytes<Failure: Error>: Subscriber, Sendable {
    @usableFromInline typealias Input = Bytes

    private struct State {
        var rest = Bytes()
        var subscription: (any Subscription)?
        var completion: Subscribers.Completion<Failure>?
        var waiter: Job?
        var isInUse = false
        /// Whether a chunk has been requested and has not arrived.
        var isAwaited = false
        var isCancelled = false

        var hasNews: Bool { !rest.isEmpty || completion != nil }
    }

    private let state = Guarded(State())
    private let wrap: @Sendable (SystemError) -> Failure

    @usableFromInline init(wrap: @escaping @Sendable (SystemError) -> Failure) { self.wrap = wrap }

    @usableFromInline func receive(subscription: any Subscription) {
        let (isWelcome, isAwaited) = state.withLock { state in
            if state.isCancelled || state.subscription != nil { return (false, false) }
            state.subscription = subscription
            return (true, state.isAwaited)
        }
        if !isWelcome { return subscription.cancel() }
        if isAwaited { subscription.request(.max(1)) }
    }

    @usableFromInline func receive(_ input: Bytes) -> Subscribers.Demand {
        putBack(input, isNew: true)
        wake()
        return .none
    }

    @usableFromInline func receive(completion: Subscribers.Completion<Failure>) {
        let old = state.withLock { state in
            if state.completion == nil { state.completion = completion }
            return state.subscription.take()
        }
        wake()
        withExtendedLifetime(old) {}
    }

    /// Cancels upstream when no more can be taken.
    func cancel() {
        let subscription = state.withLock { state in
            state.isCancelled = true
            return state.subscription.take()
        }
        subscription?.cancel()
    }

    /// Begins to take.
    ///
    /// - Throws: `EBUSY` if someone else takes.
    func begin() throws(Failure) {
        let wasInUse = state.withLock { exchange(&$0.isInUse, with: true) }
        if wasInUse { throw wrap(SystemError(call: "read", code: EBUSY, subject: "(another one is reading)")) }
    }

    /// Stops taking; what the splitter has not used is for the next one.
    func end(_ splitter: Splitter) {
        putBack(splitter.takeRest(), isNew: false)
        let old = state.withLock { state in
            state.isInUse = false
            return state.waiter.take()
        }
        withExtendedLifetime(old) {}
    }

    /// Takes one piece.
    func poll(_ splitter: Splitter) throws(Failure) -> Poll<Bytes> {
        while true {
            if splitter.isComplete { return .finished }
            let (rest, completion) = state.withLock { (exchange(&$0.rest, with: Bytes()), $0.completion) }
            if rest.isEmpty, case .failure(let failure) = completion { throw failure }
            do throws(SystemError) {
                if rest.isEmpty {
                    if completion == nil { return .pending }
                    return try splitter.finish().map { .last($0) } ?? .finished
                }
                splitter.take(rest)
                var found: Bytes?
                try splitter.forEachPiece { piece in
                    found = piece
                    return false
                }
                guard let found else { continue }
                putBack(splitter.takeRest(), isNew: false)
                return isLast(splitter) ? .last(found) : .value(found)
            } catch {
                // What it has kept is for nobody: each further step fails.
                _ = splitter.takeRest()
                throw endForGood(wrap(error))
            }
        }
    }

    /// Whether no piece follows the one that a splitter has just found.
    private func isLast(_ splitter: Splitter) -> Bool {
        if splitter.isComplete { return true }
        let isAtEnd = state.withLock { state in
            if case .finished = state.completion { state.rest.isEmpty } else { false }
        }
        if !isAtEnd { return false }
        // A splitter that needs more bytes reports that when the next piece is requested.
        do { return try splitter.finish() == nil } catch { return false }
    }

    /// Calls back once, when there is more to take or nothing will come.
    func wait(_ wake: @escaping @Sendable () -> Void) {
        let (hasNews, subscription) = state.withLock { state -> (Bool, (any Subscription)?) in
            if state.hasNews { return (true, nil) }
            state.waiter = Job(work: wake)
            return (false, exchange(&state.isAwaited, with: true) ? nil : state.subscription)
        }
        if hasNews { wake() } else { subscription?.request(.max(1)) }
    }

    /// Calls the waiting closure, once.
    func wake() { state.withLock { $0.waiter.take() }?.work() }

    private func putBack(_ bytes: Bytes, isNew: Bool) {
        if bytes.isEmpty, !isNew { return }
        state.withLock { state in
            if isNew { state.isAwaited = false }
            if state.rest.isEmpty {
                state.rest = bytes
            } else {
                // Only an upstream that sends more than was requested brings a chunk while there is a rest.
                let (first, second) = isNew ? (state.rest, bytes) : (bytes, state.rest)
                state.rest = Bytes(joining: first, CollectionOfOne(second))
            }
        }
    }

    private func endForGood(_ failure: Failure) -> Failure {
        let subscription = state.withLock { state in
            state.completion = .failure(failure)
            state.rest = Bytes()
            return state.subscription.take()
        }
        subscription?.cancel()
        return failure
    }
}
