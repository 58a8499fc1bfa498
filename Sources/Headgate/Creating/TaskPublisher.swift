import HeadgateEngine

extension Publishers {
    /// Publishes the result of one asynchronous closure: a future that can be cancelled.
    ///
    /// ```
    /// subscriber   ^1-------
    /// closure      [----]
    /// task         -----7|
    /// ```
    ///
    /// ```swift no-run
    /// let answer = Publishers.task { try await download(url) }
    /// ```
    ///
    /// Unlike the closure of a `Future`, it runs once per subscriber, in a task with the task-local values of the
    /// subscriber, and begins at the first demand. Cancelling the subscription cancels the task and releases the
    /// subscriber at once, even if the task ignores the cancellation.
    ///
    /// - **Demand**: one value.
    /// - **Completion**: right after the value. An error that the closure throws becomes the failure, with its type.
    /// - **Threads**: the closure runs in the task, which delivers the value. `cancel()` cancels it on the calling
    ///   thread.
    /// - **Complexity**: one task per subscription.
    ///
    /// - Parameter body: Computes the value.
    public static func task<Output, Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Output
    ) -> TaskPublisher<Output, Failure> {
        TaskPublisher(body: body)
    }

    /// A publisher of the result of one asynchronous closure.
    public struct TaskPublisher<Output, Failure: Error>: Publisher, Sendable {
        /// Computes the value.
        public let body: @Sendable () async throws(Failure) -> Output

        /// Creates the publisher that `task(_:)` returns.
        public init(body: @escaping @Sendable () async throws(Failure) -> Output) { self.body = body }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            TaskConduit.connect(subscriber, name: "Task") { [body] conduit async throws(Failure) in
                conduit.deliver(try await body())
            }
        }
    }
}
