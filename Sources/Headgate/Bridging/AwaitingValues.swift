import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher where Output: StrictlySendable {
    /// The first value; `nil` if there is none.
    ///
    /// ```swift
    /// let first = await (1...3).publisher.firstValue
    /// print(first ?? 0)
    /// // 1
    /// ```
    ///
    /// - **Demand**: one value. Then upstream is cancelled.
    /// - **Completion**: answers `nil` where it comes before a value. Cancelling the task cancels upstream, and answers
    ///   `nil`.
    /// - **Complexity**: the task is suspended once, unless the value comes at once.
    ///
    /// - Throws: The failure of the publisher.
    @_disfavoredOverload
    public nonisolated(nonsending) var firstValue: Output? {
        get async throws(Failure) {
            try await awaited(.first(1)).first
        }
    }

    /// The last value; `nil` if there is none.
    ///
    /// ```swift
    /// let last = await (1...3).publisher.lastValue
    /// print(last ?? 0)
    /// // 3
    /// ```
    ///
    /// - **Demand**: everything.
    /// - **Completion**: answers the last value. Cancelling the task cancels upstream, and answers the last value so far.
    /// - **Complexity**: one value is kept.
    ///
    /// - Throws: The failure of the publisher.
    @_disfavoredOverload
    public nonisolated(nonsending) var lastValue: Output? {
        get async throws(Failure) {
            try await awaited(.last).first
        }
    }

    /// The first values, so many at most.
    ///
    /// ```
    /// self       1---2---3---4---|
    /// collected  up to 3
    ///            --------([1,2,3]|)
    /// ```
    ///
    /// ```swift
    /// let numbers = await (1...).publisher.collected(upTo: 3)
    /// print(numbers)
    /// // [1, 2, 3]
    /// ```
    ///
    /// - **Demand**: as many values as `limit`. Then upstream is cancelled.
    /// - **Completion**: answers what has come. Cancelling the task cancels upstream, and answers what has come.
    /// - **Complexity**: as many values are kept as there are.
    ///
    /// - Parameter limit: The number of values. With zero, nobody is subscribed to. A negative one is a programmer's error
    ///   and traps.
    /// - Throws: The failure of the publisher. Where it can't fail, nothing is thrown.
    public nonisolated(nonsending) func collected(upTo limit: Int) async throws(Failure) -> [Output] {
        if limit < 0 {
            programmerError(
                rule: "A number of values can't be negative.", found: "collected(upTo: \(limit))",
                remedy: "Use zero for no values, .max for all.")
        }
        return limit == 0 ? [] : try await awaited(.first(limit))
    }

    nonisolated(nonsending) func awaited(
        _ wish: AwaitedSubscriber<Output, Failure>.Wish
    ) async throws(Failure) -> [Output] {
        if Task.isCancelled { return [] }
        let subscriber = AwaitedSubscriber<Output, Failure>(wish)
        receive(subscriber: subscriber)
        return try await subscriber.values()
    }
}

// The same without `throws`: with a failure that is `Never`, the compiler does not get through a property that throws.
extension Publisher where Failure == Never, Output: StrictlySendable {
    /// The first value; `nil` if there is none.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with a publisher that may fail.
    @_disfavoredOverload
    public nonisolated(nonsending) var firstValue: Output? {
        get async { await awaited(.first(1)).first }
    }

    /// The last value; `nil` if there is none.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with a publisher that may fail.
    @_disfavoredOverload
    public nonisolated(nonsending) var lastValue: Output? {
        get async { await awaited(.last).first }
    }
}
