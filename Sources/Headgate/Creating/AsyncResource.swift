import HeadgateEngine

extension Publishers {
    /// Publishes the values read from a resource with asynchronous operations, which is opened at the first demand and
    /// closed exactly once.
    ///
    /// ```swift no-run
    /// let rows = Publishers.resource {
    ///     try await database.openCursor("SELECT * FROM orders")
    /// } read: { cursor in
    ///     try await cursor.nextRow()
    /// } close: { cursor in
    ///     await cursor.close()
    /// }
    /// ```
    ///
    /// The three closures run in one task, one after the other, with the task-local values of the subscriber. The
    /// resource is closed when `read` has returned `nil` or thrown, before the terminal event, and when the
    /// subscription is cancelled or released. Cancelling cancels the task of `open` and `read`; `close` runs in a task
    /// that is not cancelled.
    ///
    /// - **Demand**: `read` is called once per requested value.
    /// - **Completion**: when `read` returns `nil`. An error thrown by `open` or `read` becomes the failure.
    /// - **Threads**: the task of the closures delivers the values. `cancel()` cancels it on the calling thread.
    /// - **Complexity**: one call of `read` per value. The task is suspended only while there is no demand.
    ///
    /// - Parameters:
    ///   - open: Opens the resource, once per subscriber that requests values.
    ///   - read: Reads the next value; returns `nil` at the end.
    ///   - close: Closes the resource.
    public static func resource<Resource, Element, Failure: Error>(
        open: @escaping @Sendable () async throws(Failure) -> Resource,
        read: @escaping @Sendable (inout Resource) async throws(Failure) -> Element?,
        close: @escaping @Sendable (Resource) async -> Void
    ) -> ReadAsyncResource<Resource, Element, Failure> {
        ReadAsyncResource(open: open, read: read, close: close)
    }

    /// A publisher of the values read from a resource with asynchronous operations.
    public struct ReadAsyncResource<Resource, Element, Failure: Error>: Publisher, Sendable {
        /// The type of the published values.
        public typealias Output = Element

        /// Opens the resource.
        public let open: @Sendable () async throws(Failure) -> Resource

        /// Reads the next value.
        public let read: @Sendable (inout Resource) async throws(Failure) -> Element?

        /// Closes the resource.
        public let close: @Sendable (Resource) async -> Void

        /// Creates the publisher that `resource(open:read:close:)` returns.
        public init(
            open: @escaping @Sendable () async throws(Failure) -> Resource,
            read: @escaping @Sendable (inout Resource) async throws(Failure) -> Element?,
            close: @escaping @Sendable (Resource) async -> Void
        ) {
            self.open = open
            self.read = read
            self.close = close
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Element, Failure>) {
            TaskConduit.connect(subscriber, name: "Resource") { conduit async throws(Failure) in
                var resource = try await open()
                var completion = Subscribers.Completion<Failure>.finished
                do throws(Failure) {
                    while await conduit.awaitDemand(), let element = try await read(&resource) {
                        conduit.deliver(element)
                    }
                } catch {
                    completion = .failure(error)
                }
                await StreamTask.shield { [resource] in await close(resource) }
                if case .failure(let failure) = completion { throw failure }
            }
        }
    }
}
