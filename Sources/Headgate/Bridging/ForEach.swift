import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher where Output: StrictlySendable {
    /// Calls a closure with each value, one after the other, on the actor of the caller, and returns when the stream has
    /// ended.
    ///
    /// ```
    /// self      1-----2-----3-----|
    /// body      [---] [---] [---]
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
    /// - **Demand**: one value whenever the closure has returned. Put `buffer` behind a source that can't wait.
    /// - **Completion**: returns. Cancelling the task cancels the stream, and returns when the closure has.
    /// - **Complexity**: constant for each value. The task is suspended only if there is nothing for it.
    ///
    /// - Parameter body: Hears each value. It may throw what the publisher may fail with.
    /// - Throws: What the closure throws, after cancelling the stream; the failure of the publisher.
    @inlinable public nonisolated(nonsending) func forEach(
        _ body: nonisolated(nonsending) (Output) async throws(Failure) -> Void
    ) async throws(Failure) {
        let reader = reader()
        while true {
            switch reader.conduit.poll() {
            case .value(let value): try await body(value)
            case .ended(.failure(let failure)): throw failure
            case .ended(.finished): return
            case .nothing: await reader.conduit.wait(isolation: #isolation)
            }
        }
    }

    /// Calls a closure that may throw anything with each value, one after the other, on the actor of the caller, and
    /// returns when the stream has ended.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with a closure that throws what the publisher may fail with.
    ///
    /// - Parameter body: Hears each value.
    /// - Throws: What the closure throws, after cancelling the stream; the failure of the publisher.
    @_disfavoredOverload
    @inlinable public nonisolated(nonsending) func forEach<E: Error>(
        _ body: nonisolated(nonsending) (Output) async throws(E) -> Void
    ) async throws {
        let reader = reader()
        while true {
            switch reader.conduit.poll() {
            case .value(let value): try await body(value)
            case .ended(.failure(let failure)): throw failure
            case .ended(.finished): return
            case .nothing: await reader.conduit.wait(isolation: #isolation)
            }
        }
    }

    @inlinable func reader() -> AsyncReader<Output, Failure> {
        let conduit = AsyncConduit<Output, Failure>(.onDemand)
        receive(subscriber: conduit)
        return AsyncReader(conduit)
    }

    /// Calls a closure with each value, so many at a time, and returns when the stream has ended and all calls have.
    ///
    /// ```swift no-run
    /// await orders.forEach(maxConcurrent: 8) { order in
    ///     await warehouse.ship(order)
    /// }
    /// ```
    ///
    /// The closure runs in tasks with the task-locals of the caller.
    ///
    /// - **Demand**: as many values as there are free places.
    /// - **Completion**: returns when the last call has. Cancelling the task cancels the stream and the calls.
    /// - **Complexity**: as with `asyncMap`.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many calls at a time. A number below one is a programmer's error and traps.
    ///   - body: Hears each value. It may throw what the publisher may fail with.
    /// - Throws: What the closure throws first, when the others have been cancelled and have returned; the failure of
    ///   the publisher.
    @inlinable public func forEach(
        maxConcurrent: Int, _ body: @escaping @Sendable (Output) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await asyncMap(maxConcurrent: maxConcurrent, ordered: false, body).runToTheEnd()
    }

    /// Calls a closure that may throw anything with each value, so many at a time, and returns when the stream has ended
    /// and all calls have.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with a closure that throws what the publisher may fail with.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many calls at a time. A number below one is a programmer's error and traps.
    ///   - body: Hears each value.
    /// - Throws: What the closure throws first, when the others have been cancelled and have returned; the failure of
    ///   the publisher.
    @_disfavoredOverload
    @inlinable public func forEach<E: Error>(
        maxConcurrent: Int, _ body: @escaping @Sendable (Output) async throws(E) -> Void
    ) async throws {
        try await asyncMap(maxConcurrent: maxConcurrent, ordered: false, body).runToTheEnd()
    }
}

extension Publisher where Failure == Never, Output: StrictlySendable {
    /// Calls a closure with each value, one after the other, on the actor of the caller, and returns when the stream has
    /// ended.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with a publisher that may fail.
    ///
    /// - Parameter body: Hears each value.
    /// - Throws: What the closure throws, after cancelling the stream.
    @_disfavoredOverload
    @inlinable public nonisolated(nonsending) func forEach<E: Error>(
        _ body: nonisolated(nonsending) (Output) async throws(E) -> Void
    ) async throws(E) {
        let conduit = AsyncConduit<Output, Never>(.onDemand)
        receive(subscriber: conduit)
        let reader = AsyncReader(conduit)
        while true {
            switch reader.conduit.poll() {
            case .value(let value): try await body(value)
            case .ended: return
            case .nothing: await reader.conduit.wait(isolation: #isolation)
            }
        }
    }

    /// Calls a closure with each value, so many at a time, and returns when the stream has ended and all calls have.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with a publisher that may fail.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many calls at a time. A number below one is a programmer's error and traps.
    ///   - body: Hears each value.
    /// - Throws: What the closure throws first, when the others have been cancelled and have returned.
    @_disfavoredOverload
    @inlinable public func forEach<E: Error>(
        maxConcurrent: Int, _ body: @escaping @Sendable (Output) async throws(E) -> Void
    ) async throws(E) {
        try await asyncMap(maxConcurrent: maxConcurrent, ordered: false, body).runToTheEnd()
    }
}

extension Publishers.AsyncMap {
    /// Requests everything, and returns when all tasks have ended.
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
