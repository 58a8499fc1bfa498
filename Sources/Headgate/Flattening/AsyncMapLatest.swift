import HeadgateEngine

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
                let place = waitsForCancelled ? TaskPlace() : nil
                return flatMapLatest { value in
                    let number = place?.join() ?? 0
                    return Publishers.task { () async throws(Failure) -> T? in
                        let isLast = await place?.enter(number) ?? true
                        defer { place?.leave() }
                        return Task.isCancelled || !isLast ? nil : try await transform(value)
                    }
                    .compactMap { $0 }
                }
            }
        )
        .eraseToAnyPublisher()
    }
}

/// A place for one task at a time.
private final class TaskPlace: Sendable {
    private struct State {
        /// How many tasks have joined.
        var joined = 0

        var isTaken = false
        var waiting = Queue<UnsafeContinuation<Void, Never>>()
    }

    private let state = Guarded(State())

    /// Returns the number of a task that is going to enter.
    func join() -> Int {
        state.withLock { state in
            state.joined += 1
            return state.joined
        }
    }

    /// Waits until the place is free, also if the task has been cancelled, and takes it.
    ///
    /// - Returns: Whether it has joined last; a task that another follows is about to be cancelled.
    func enter(_ number: Int) async -> Bool {
        await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
            let waits = state.withLock { state in
                if state.isTaken { state.waiting.append(task) }
                return exchange(&state.isTaken, with: true)
            }
            if !waits { task.resume() }
        }
        return state.withLock { $0.joined == number }
    }

    /// Leaves the place to the task that has waited longest.
    func leave() {
        state.withLock { state in
            let next = state.waiting.popFirst()
            state.isTaken = next != nil
            return next
        }?.resume()
    }
}
