import HeadgateEngine

extension Publisher where Output: Sendable {
    /// The first value, or `nil` if there is none.
    ///
    /// If the task is cancelled, throws a `CancellationError` where the failure is `any Error`. A publisher whose failure has
    /// another type, or that can't fail, can't throw it: `nil` may then mean that the task was cancelled, so check
    /// `Task.isCancelled` before you rely on the result.
    ///
    /// ```
    /// self        --1--2--3-|
    /// firstValue  --1
    /// ```
    ///
    /// ```swift
    /// let first = await (1...3).publisher.firstValue
    /// print(first ?? 0)
    /// // 1
    /// ```
    ///
    /// - **Demand**: one value. Then cancels upstream.
    /// - **Completion**: returns `nil` if upstream finishes without a value. Cancelling the task cancels upstream.
    /// - **Threads**: the publisher is subscribed to where the caller runs, and may deliver on any thread; the caller
    ///   continues where it runs. Cancelling the task cancels upstream on the thread that cancels.
    /// - **Complexity**: suspends the task once, or not at all if the value arrives synchronously.
    ///
    /// - Throws: The failure of the publisher, or a `CancellationError` if that is `any Error`.
    @_disfavoredOverload
    @preconcurrency public nonisolated(nonsending) var firstValue: Output? {
        get async throws(Failure) {
            try await awaited(.first(1)).first
        }
    }

    /// The last value, or `nil` if there is none.
    ///
    /// If the task is cancelled, throws a `CancellationError` where the failure is `any Error`. A publisher whose failure has
    /// another type, or that can't fail, can't throw it: it then returns the most recent value as if it were the last, so check
    /// `Task.isCancelled` before you rely on the result.
    ///
    /// ```
    /// self       --1--2--3--|
    /// lastValue  -----------3
    /// ```
    ///
    /// ```swift
    /// let last = await (1...3).publisher.lastValue
    /// print(last ?? 0)
    /// // 3
    /// ```
    ///
    /// - **Demand**: unlimited.
    /// - **Completion**: returns the last value. Cancelling the task cancels upstream.
    /// - **Threads**: the publisher is subscribed to where the caller runs, and may deliver on any thread; the caller
    ///   continues where it runs. Cancelling the task cancels upstream on the thread that cancels.
    /// - **Complexity**: stores one value.
    ///
    /// - Throws: The failure of the publisher, or a `CancellationError` if that is `any Error`.
    @_disfavoredOverload
    @preconcurrency public nonisolated(nonsending) var lastValue: Output? {
        get async throws(Failure) {
            try await awaited(.last).first
        }
    }

    /// The first values, at most `limit` of them.
    ///
    /// If the task is cancelled, throws a `CancellationError` where the failure is `any Error`. A publisher whose failure has
    /// another type, or that can't fail, can't throw it: it then returns the values so far as if they were all, so check
    /// `Task.isCancelled` before you rely on the result.
    ///
    /// ```
    /// self       1---2---3---4---|
    /// collected  --------[1,2,3]     up to 3
    /// ```
    ///
    /// ```swift
    /// let numbers = await (1...).publisher.collected(upTo: 3)
    /// print(numbers)
    /// // [1, 2, 3]
    /// ```
    ///
    /// - **Demand**: `limit` values. Then cancels upstream.
    /// - **Completion**: returns the values so far. Cancelling the task cancels upstream.
    /// - **Threads**: the publisher is subscribed to where the caller runs, and may deliver on any thread; the caller
    ///   continues where it runs. Cancelling the task cancels upstream on the thread that cancels.
    /// - **Complexity**: stores the values it returns.
    ///
    /// - Parameter limit: The maximum number of values. Zero returns at once, without a subscription. A negative number
    ///   traps.
    /// - Throws: The failure of the publisher. If it can't fail, nothing is thrown.
    @preconcurrency public nonisolated(nonsending) func collected(upTo limit: Int) async throws(Failure) -> [Output] {
        require(
            limit >= 0, rule: "A number of values can't be negative.", found: "collected(upTo: \(limit))",
            remedy: "Use zero for no values, or .max for all of them.")
        return limit == 0 ? [] : try await awaited(.first(limit))
    }

    nonisolated(nonsending) func awaited(
        _ wish: AwaitedSubscriber<Output, Failure>.Wish
    ) async throws(Failure) -> [Output] {
        if Task.isCancelled {
            try AwaitedSubscriber<Output, Failure>.throwCancellation()
            return []
        }
        let subscriber = AwaitedSubscriber<Output, Failure>(wish)
        receive(subscriber: subscriber)
        return try await subscriber.values()
    }
}

// The same without `throws`: with a failure of `Never`, the compiler does not accept a throwing property.
extension Publisher where Failure == Never, Output: Sendable {
    /// The first value, or `nil` if there is none.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for a publisher that may fail.
    @_disfavoredOverload
    @preconcurrency public nonisolated(nonsending) var firstValue: Output? {
        get async { await awaited(.first(1)).first }
    }

    /// The last value, or `nil` if there is none.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for a publisher that may fail.
    @_disfavoredOverload
    @preconcurrency public nonisolated(nonsending) var lastValue: Output? {
        get async { await awaited(.last).first }
    }
}
