import HeadgateEngine

/// Publishes the values of a producer: a call waits until its value is requested, then delivers it.
///
/// It belongs to the producer's task, and can't be sent to another.
public struct Yield<Output> {
    @usableFromInline let deliver: (Output) async -> Bool

    @inlinable init(_ deliver: @escaping (Output) async -> Bool) { self.deliver = deliver }

    /// Waits until the value is requested, then delivers it.
    ///
    /// - Throws: A `CancellationError` if the subscriber or the task has been cancelled.
    @inlinable public func callAsFunction(_ value: Output) async throws(CancellationError) {
        if await !deliver(value) { throw CancellationError() }
    }

    /// Waits until the value is requested, then delivers it, for producers with typed failures.
    ///
    /// - Returns: Whether the value was delivered; `false` after cancellation.
    @inlinable public func send(_ value: Output) async -> Bool { await deliver(value) }
}

@available(*, unavailable)
extension Yield: Sendable {}

extension Publishers {
    /// Publishes the values that a task yields, one per requested value.
    ///
    /// ```
    /// subscriber   ^2-----^1---
    /// produce      (12)---3|---
    /// ```
    ///
    /// ```swift no-run
    /// let pages = Publishers.produce(String.self) { yield in
    ///     for page in 1... {
    ///         guard let text = try await download(page) else { return }
    ///         try await yield(text)
    ///     }
    /// }
    /// ```
    ///
    /// Each subscriber gets its own task, with the task-local values of the subscriber. The task begins at the first
    /// demand. Cancelling the subscription cancels the task and releases the subscriber at once, even if the task
    /// ignores the cancellation.
    ///
    /// - **Demand**: `yield` waits until its value is requested, and nothing is buffered. So the task is at most one
    ///   value ahead.
    /// - **Completion**: when the closure returns. An error that it throws becomes the failure.
    /// - **Threads**: the closure runs in a task of the subscription's own, which delivers the values. `cancel()`
    ///   cancels it on the calling thread.
    /// - **Complexity**: the task is suspended only while there is no demand.
    ///
    /// - Parameters:
    ///   - output: The type of the values.
    ///   - body: Yields the values.
    @inlinable public static func produce<Output>(
        _ output: Output.Type = Output.self, _ body: @escaping @Sendable (Yield<Output>) async throws -> Void
    ) -> Produced<Output, any Error> {
        Produced { yield throws(any Error) in try await body(yield) }
    }

    /// Publishes the values that a task yields, one per requested value, and fails with errors of one type.
    ///
    /// ```swift no-run
    /// let readings = Publishers.produce(Double.self, failure: SensorError.self) { yield throws(SensorError) in
    ///     while let reading = try await sensor.next() {
    ///         guard await yield.send(reading) else { return }
    ///     }
    /// }
    /// ```
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `produce(_:_:)`.
    ///
    /// - Parameters:
    ///   - output: The type of the values.
    ///   - failure: The type of the errors that the closure throws.
    ///   - body: Yields the values.
    @inlinable public static func produce<Output, Failure: Error>(
        _ output: Output.Type = Output.self, failure: Failure.Type,
        _ body: @escaping @Sendable (Yield<Output>) async throws(Failure) -> Void
    ) -> Produced<Output, Failure> {
        Produced(body: body)
    }

    /// Publishes the values that a task yields, one per requested value, and never fails.
    ///
    /// ```swift
    /// let numbers = Publishers.produce(Int.self, failure: Never.self) { yield throws(CancellationError) in
    ///     for number in 1...3 { try await yield(number) }
    /// }
    /// for await number in numbers.values { print(number) }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**, **Threads** and **Complexity**: as for `produce(_:_:)`.
    /// - **Completion**: when the closure returns, or throws because its task has been cancelled.
    ///
    /// - Parameters:
    ///   - output: The type of the values.
    ///   - failure: `Never`.
    ///   - body: Yields the values.
    @inlinable public static func produce<Output>(
        _ output: Output.Type = Output.self, failure: Never.Type,
        _ body: @escaping @Sendable (Yield<Output>) async throws(CancellationError) -> Void
    ) -> Produced<Output, Never> {
        Produced { yield in try? await body(yield) }
    }

    /// A publisher of the values that a task yields.
    public struct Produced<Output, Failure: Error>: Publisher, Sendable {
        /// Yields the values.
        public let body: @Sendable (Yield<Output>) async throws(Failure) -> Void

        /// Creates the publisher that `produce(_:failure:_:)` returns.
        @inlinable public init(body: @escaping @Sendable (Yield<Output>) async throws(Failure) -> Void) {
            self.body = body
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            TaskConduit.connect(subscriber, name: "Produce") { [body] conduit async throws(Failure) in
                let yield = Yield<Output> { value in
                    guard await conduit.awaitDemand() else { return false }
                    conduit.deliver(value)
                    return true
                }
                try await body(yield)
            }
        }
    }
}
