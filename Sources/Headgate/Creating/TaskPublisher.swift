import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publishers {
    /// Publishes what one asynchronous closure returns: a future that can be cancelled.
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
    /// Unlike that of a `Future`, the closure runs for each subscriber, in a task with the task-locals of the place of
    /// subscription, and begins at the first demand. Cancelling the stream cancels the task, and lets go of the subscriber
    /// at once, whether or not the task takes notice.
    ///
    /// - **Demand**: one value.
    /// - **Completion**: right after the value. An error that the closure throws is the failure, and keeps its type.
    /// - **Complexity**: one task per subscription.
    ///
    /// - Parameter body: Makes the value.
    public static func task<Output, Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Output
    ) -> TaskPublisher<Output, Failure> {
        TaskPublisher(body: body)
    }

    /// A publisher of what one asynchronous closure returns.
    public struct TaskPublisher<Output, Failure: Error>: Publisher, Sendable {
        /// Makes the value.
        public let body: @Sendable () async throws(Failure) -> Output

        /// Makes the publisher that `task(_:)` returns.
        public init(body: @escaping @Sendable () async throws(Failure) -> Output) { self.body = body }

        /// Connects a subscriber to a task of its own.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            TaskConduit.connect(subscriber, name: "Task") { [body] conduit in
                guard await conduit.awaitDemand() else { return }
                do throws(Failure) {
                    conduit.deliver(try await body())
                    conduit.finish(.finished)
                } catch {
                    conduit.finish(.failure(error))
                }
            }
        }
    }
}
