import HeadgateEngine

extension Publisher where Output: Sendable {
    /// Calls a closure with each value, one after the other, on the caller's actor, and returns when the stream
    /// completes.
    ///
    /// ```
    /// self      1-----2-----3-----|
    /// body      [---]-[---]-[---]
    /// forEach   ------------------|
    /// ```
    ///
    /// ```swift
    /// await (1...3).publisher.forEach { print($0) }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: one value each time the closure returns. Put `buffer` after a source that can't wait.
    /// - **Completion**: returns. Cancelling the task cancels upstream, and the call returns as soon as the closure has
    ///   returned.
    /// - **Threads**: the closure runs on the caller's actor, where values are requested, too; the publisher may
    ///   deliver on any thread.
    /// - **Complexity**: constant per value. The task is suspended only while no value is available.
    ///
    /// - Parameter body: Called with each value. It may throw the publisher's failure type.
    /// - Throws: The error that the closure throws, after cancelling upstream; the failure of the publisher.
    @preconcurrency @inlinable public nonisolated(nonsending) func forEach(
        _ body: nonisolated(nonsending) (Output) async throws(Failure) -> Void
    ) async throws(Failure) {
        if case .failure(let failure) = try await feed(body) { throw failure }
    }

    /// Calls a closure that may throw any error with each value, one after the other, on the caller's actor, and
    /// returns when the stream completes.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for a closure that throws the publisher's
    ///   failure type.
    ///
    /// - Parameter body: Called with each value.
    /// - Throws: The error that the closure throws, after cancelling upstream; the failure of the publisher.
    @_disfavoredOverload
    @preconcurrency @inlinable public nonisolated(nonsending) func forEach<E: Error>(
        _ body: nonisolated(nonsending) (Output) async throws(E) -> Void
    ) async throws {
        if case .failure(let failure) = try await feed(body) { throw failure }
    }

    /// Calls a closure with each value, on the caller's actor.
    ///
    /// - Returns: How the stream has completed.
    @inlinable nonisolated(nonsending) func feed<E: Error>(
        _ body: nonisolated(nonsending) (Output) async throws(E) -> Void
    ) async throws(E) -> Subscribers.Completion<Failure> {
        let conduit = AsyncConduit<Output, Failure>(.onDemand)
        receive(subscriber: conduit)
        let reader = AsyncReader(conduit)
        while true {
            switch reader.poll() {
            case .value(let value): try await body(value)
            case .ended(let completion): return completion
            case .nothing: await reader.conduit.wait(isolation: #isolation)
            }
        }
    }

    /// Calls a closure with each value, several at a time, and returns when the stream has completed and all calls have
    /// returned.
    ///
    /// ```swift no-run
    /// await orders.forEach(maxConcurrent: 8) { order in
    ///     await warehouse.ship(order)
    /// }
    /// ```
    ///
    /// The closure runs in tasks that inherit the caller's task-local values.
    ///
    /// - **Demand**: `maxConcurrent` values, and another each time a call returns.
    /// - **Completion**: returns after the last call has returned. Cancelling the task cancels upstream and the running
    ///   calls.
    /// - **Threads**: the closure runs in tasks, up to `maxConcurrent` at a time, and not on the caller's actor; the
    ///   publisher may deliver on any thread.
    /// - **Complexity**: as for `asyncMap`.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of concurrent calls. A number below one traps.
    ///   - body: Called with each value. It may throw the publisher's failure type.
    /// - Throws: The first error that the closure throws, after the other calls have been cancelled and have returned;
    ///   the failure of the publisher.
    @inlinable public func forEach(
        maxConcurrent: Int, _ body: @escaping @Sendable (Output) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await asyncMap(maxConcurrent: maxConcurrent, ordered: false, body).runToTheEnd()
    }

    /// Calls a closure that may throw any error with each value, several at a time, and returns when the stream has
    /// completed and all calls have returned.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for a closure that throws the publisher's
    ///   failure type.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of concurrent calls. A number below one traps.
    ///   - body: Called with each value.
    /// - Throws: The first error that the closure throws, after the other calls have been cancelled and have returned;
    ///   the failure of the publisher.
    @_disfavoredOverload
    @inlinable public func forEach<E: Error>(
        maxConcurrent: Int, _ body: @escaping @Sendable (Output) async throws(E) -> Void
    ) async throws {
        try await asyncMap(maxConcurrent: maxConcurrent, ordered: false, body).runToTheEnd()
    }
}

extension Publisher where Failure == Never, Output: Sendable {
    /// Calls a closure with each value, one after the other, on the caller's actor, and returns when the stream
    /// completes.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for a publisher that may fail.
    ///
    /// - Parameter body: Called with each value.
    /// - Throws: The error that the closure throws, after cancelling upstream.
    @_disfavoredOverload
    @preconcurrency @inlinable public nonisolated(nonsending) func forEach<E: Error>(
        _ body: nonisolated(nonsending) (Output) async throws(E) -> Void
    ) async throws(E) {
        _ = try await feed(body)
    }

    /// Calls a closure with each value, several at a time, and returns when the stream has completed and all calls have
    /// returned.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for a publisher that may fail.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of concurrent calls. A number below one traps.
    ///   - body: Called with each value.
    /// - Throws: The first error that the closure throws, after the other calls have been cancelled and have returned.
    @_disfavoredOverload
    @inlinable public func forEach<E: Error>(
        maxConcurrent: Int, _ body: @escaping @Sendable (Output) async throws(E) -> Void
    ) async throws(E) {
        try await asyncMap(maxConcurrent: maxConcurrent, ordered: false, body).runToTheEnd()
    }
}

extension Publishers.AsyncMap {
    /// Requests unlimited values, and returns after all tasks have ended.
    @inlinable func runToTheEnd() async throws(Failure) {
        let ending = Guarded(Subscribers.Completion<Failure>.finished)
        let subscriber = AnySubscriber<Output, Failure>(
            receiveSubscription: { $0.request(.unlimited) },
            receiveCompletion: { completion in ending.withLock { $0 = completion } })
        let (conduit, task) = connect(subscriber)
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            conduit.cancel()
        }
        if case .failure(let failure) = ending.withLock({ $0 }) { throw failure }
    }
}
