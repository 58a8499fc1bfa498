import HeadgateCore

/// Receives values for a task that waits for them.
// Threads share only what a lock guards.
@usableFromInline package final class AwaitedSubscriber<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    /// Which values the task waits for.
    @usableFromInline package enum Wish {
        /// The first values, up to a number.
        case first(Int)
        /// The last value.
        case last
    }

    struct State {
        var values: [Input] = []
        var completion: Subscribers.Completion<Failure>?
        /// Whether the task was cancelled before the wish was fulfilled.
        var isCutShort = false
    }

    let wish: Wish

    let state = Guarded(State())

    /// Opened when the completion is known.
    let latch = Latch()

    let upstream = SubscriptionSlot()

    @usableFromInline package init(_ wish: Wish) { self.wish = wish }

    @usableFromInline package func receive(subscription: any Subscription) {
        guard upstream.fill(with: subscription) else { return }
        switch wish {
        case .first(let count): subscription.request(.max(count))
        case .last: subscription.request(.unlimited)
        }
    }

    @usableFromInline package func receive(_ input: Input) -> Subscribers.Demand {
        // The previous values are released outside the lock.
        let (isComplete, _): (Bool, [Input]) = state.withLock { state in
            if state.completion != nil { return (false, []) }
            switch wish {
            case .first(let count):
                state.values.append(input)
                return (state.values.count == count, [])
            case .last:
                let old = state.values
                state.values = [input]
                return (false, old)
            }
        }
        if isComplete {
            upstream.cancel()
            end(.finished)
        }
        return .none
    }

    @usableFromInline package func receive(completion: Subscribers.Completion<Failure>) {
        if upstream.close() { end(completion) } else { Undeliverable.note(completion) }
    }

    func end(_ completion: Subscribers.Completion<Failure>) {
        state.withLock { $0.completion = $0.completion ?? completion }
        latch.open()
    }

    /// Waits until the wish is fulfilled, the stream has completed, or the task is cancelled, which cancels upstream.
    @usableFromInline package nonisolated(nonsending) func values() async throws(Failure) -> [Input] {
        await withTaskCancellationHandler {
            await latch.wait()
        } onCancel: {
            upstream.cancel()
            state.withLock { $0.isCutShort = $0.completion == nil }
            end(.finished)
        }
        let old = state.withLock { state in
            let old = state
            state.values = []
            return old
        }
        if case .failure(let failure) = old.completion { throw failure }
        if old.isCutShort { try Self.throwCancellation() }
        return old.values
    }

    /// Throws a `CancellationError`, if the failure may be one.
    package static func throwCancellation() throws(Failure) {
        if let cancellation = CancellationError() as? Failure { throw cancellation }
    }
}
