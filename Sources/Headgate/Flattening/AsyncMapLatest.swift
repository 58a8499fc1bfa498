import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Transforms each value with an asynchronous closure, and publishes the result of the most recent one, cancelling the
    /// previous one.
    ///
    /// Drops the results of closures that a later value has cancelled.
    ///
    /// ```
    /// self            1---2------------|
    /// work on 1       [-------]
    /// work on 2               [----]
    /// asyncMapLatest  -------------2---|     waitsForCancelled: true
    /// ```
    ///
    /// ```swift
    /// let last = await (1...3).publisher.asyncMapLatest { $0 * 10 }.lastValue
    /// print(last ?? 0)
    /// // 30
    /// ```
    ///
    /// A task ends when its closure returns, which may be some time after it has been cancelled. If two must not run at a
    /// time, as when both write to one file, have each wait for the end of the one before.
    ///
    /// - **Demand**: with the first demand, requests unlimited values from upstream.
    /// - **Completion**: finishes when upstream and the most recent closure have finished. A failure of either ends the
    ///   stream, and cancels the other.
    /// - **Threads**: the closure runs in a task with the subscriber's task-local values, which delivers the result.
    /// - **Complexity**: one task per value.
    ///
    /// - Parameters:
    ///   - waitsForCancelled: Whether the closure is called only when that for the previous value has returned. One that is
    ///     cancelled while it waits is not called.
    ///   - transform: Transforms a value.
    public func asyncMapLatest<T>(
        waitsForCancelled: Bool = false, _ transform: @escaping @Sendable (Output) async throws(Failure) -> T
    ) -> AnyPublisher<T, Failure> where Output: Sendable, T: Sendable {
        Deferred(
            createPublisher: serially {
                let queue = TaskQueue()
                return flatMapLatest { value in
                    let turn = waitsForCancelled ? queue.join() : nil
                    return Publishers.task { () async throws(Failure) -> T? in
                        await turn?.begin()
                        defer { turn?.end() }
                        return Task.isCancelled ? nil : try await transform(value)
                    }
                    .compactMap { $0 }
                }
            }
        )
        .eraseToAnyPublisher()
    }
}

/// Tasks that run one after the other.
final class TaskQueue: Sendable {
    private let last = Guarded<TaskEnd?>(nil)

    func join() -> TaskTurn {
        let end = TaskEnd()
        return TaskTurn(after: last.withLock { exchange(&$0, with: end) }, end)
    }
}

/// The turn of a task in a queue.
final class TaskTurn: Sendable {
    private let previous: TaskEnd?

    private let own: TaskEnd

    private let hasBegun = Guarded(false)

    init(after previous: TaskEnd?, _ own: TaskEnd) {
        self.previous = previous
        self.own = own
    }

    // A task that never begins doesn't let the next one overtake those before.
    deinit {
        if hasBegun.withLock({ $0 }) { return }
        if let previous { previous.then { [own] in own.come() } } else { own.come() }
    }

    /// Waits for the end of the previous task, also if this one has been cancelled.
    func begin() async {
        hasBegun.withLock { $0 = true }
        guard let previous else { return }
        await withUnsafeContinuation { task in previous.then { task.resume() } }
    }

    func end() { own.come() }
}

/// The end of a task, for which one other waits.
final class TaskEnd: Sendable {
    private struct State {
        var hasCome = false
        var next: (@Sendable () -> Void)?
    }

    private let state = Guarded(State())

    func come() {
        state.withLock { state in
            state.hasCome = true
            return state.next.take()
        }?()
    }

    /// Calls a closure after the end.
    func then(_ next: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            if !state.hasCome { state.next = next }
            return state.hasCome
        }
        if hasCome { next() }
    }
}
