import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publishers {
    /// Publishes what is read from a resource whose operations wait: it is opened at the first demand and closed exactly
    /// once.
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
    /// The three run in one task, one after the other, with the task-locals of the place of subscription. The resource is
    /// closed when `read` has returned `nil` or thrown, before the stream ends, and when the stream is cancelled or its
    /// subscription let go of. Cancelling cancels the task of `open` and `read`; `close` runs in one that is not
    /// cancelled.
    ///
    /// - **Demand**: `read` is called once for each value that is requested.
    /// - **Completion**: when `read` returns `nil`. An error that `open` or `read` throws is the failure.
    /// - **Complexity**: one call of `read` per value. The task is suspended only where there is no demand.
    ///
    /// - Parameters:
    ///   - open: Makes the resource, for each subscriber that requests values.
    ///   - read: Reads the next value; `nil` at the end.
    ///   - close: Ends the use of the resource.
    public static func resource<Resource, Element, Failure: Error>(
        open: @escaping @Sendable () async throws(Failure) -> Resource,
        read: @escaping @Sendable (inout Resource) async throws(Failure) -> Element?,
        close: @escaping @Sendable (Resource) async -> Void
    ) -> ReadAsyncResource<Resource, Element, Failure> {
        ReadAsyncResource(open: open, read: read, close: close)
    }

    /// A publisher of what is read from a resource whose operations wait.
    public struct ReadAsyncResource<Resource, Element, Failure: Error>: Publisher, Sendable {
        /// What is read.
        public typealias Output = Element

        /// Makes the resource.
        public let open: @Sendable () async throws(Failure) -> Resource

        /// Reads the next value.
        public let read: @Sendable (inout Resource) async throws(Failure) -> Element?

        /// Ends the use of the resource.
        public let close: @Sendable (Resource) async -> Void

        /// Makes the publisher that `resource(open:read:close:)` returns.
        public init(
            open: @escaping @Sendable () async throws(Failure) -> Resource,
            read: @escaping @Sendable (inout Resource) async throws(Failure) -> Element?,
            close: @escaping @Sendable (Resource) async -> Void
        ) {
            self.open = open
            self.read = read
            self.close = close
        }

        /// Connects a subscriber to a resource of its own.
        public func receive(subscriber: some Subscriber<Element, Failure>) {
            TaskConduit.connect(subscriber, name: "Resource") { conduit in
                if await conduit.awaitDemand() { conduit.finish(await serve(conduit)) }
            }
        }

        private func serve(_ conduit: TaskConduit<Element, Failure>) async -> Subscribers.Completion<Failure> {
            do throws(Failure) {
                var resource = try await open()
                let completion = await serve(conduit, from: &resource)
                await StreamTask.shield { [resource] in await close(resource) }
                return completion
            } catch {
                return .failure(error)
            }
        }

        private func serve(
            _ conduit: TaskConduit<Element, Failure>, from resource: inout Resource
        ) async -> Subscribers.Completion<Failure> {
            do throws(Failure) {
                while await conduit.awaitDemand(), let element = try await read(&resource) { conduit.deliver(element) }
                return .finished
            } catch {
                return .failure(error)
            }
        }
    }
}
