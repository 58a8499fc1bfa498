import HeadgateEngine

extension Publishers {
    /// Mirrors a publisher that uses a resource, which lives as long as the subscription.
    ///
    /// ```
    /// publisher    a---b---|
    /// resource     [-------]
    /// using        a---b---|
    /// ```
    ///
    /// ```swift
    /// let listener = Publishers.using {
    ///     print("acquire")
    ///     return [1, 2]
    /// } publisher: { numbers in
    ///     numbers.publisher
    /// } release: { _ in
    ///     print("release")
    /// }.sink { print($0) }
    /// // acquire
    /// // 1
    /// // 2
    /// // release
    /// ```
    ///
    /// The resource is acquired on subscription and released exactly once: before the terminal event is delivered, at
    /// `cancel()` before upstream is cancelled, or when both sides have released the stream.
    ///
    /// - **Demand**: forwarded.
    /// - **Completion**: forwarded after the release. An error thrown by `acquire` becomes the failure.
    /// - **Threads**: `acquire` and `publisher` are called on the subscribing thread, `release` on that which
    ///   completes, cancels or releases the stream. Values are delivered on the thread on which the publisher delivers
    ///   them.
    /// - **Complexity**: one additional call per value.
    ///
    /// - Parameters:
    ///   - acquire: Acquires the resource, once per subscriber.
    ///   - publisher: Creates the publisher that uses the resource.
    ///   - release: Releases the resource.
    @preconcurrency @inlinable public static func using<Resource, Upstream: Publisher>(
        acquire: @escaping @Sendable () throws(Upstream.Failure) -> Resource,
        publisher: @escaping @Sendable (Resource) -> Upstream,
        release: @escaping @Sendable (Resource) -> Void
    ) -> Using<Resource, Upstream> {
        Using(acquire: acquire, publisher: publisher, release: release)
    }

    /// A publisher that mirrors another one, which uses a resource.
    public struct Using<Resource, Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// Acquires the resource.
        public let acquire: @Sendable () throws(Failure) -> Resource

        /// Creates the publisher that uses the resource.
        public let publisher: @Sendable (Resource) -> Upstream

        /// Releases the resource.
        public let release: @Sendable (Resource) -> Void

        /// Creates the publisher that `using(acquire:publisher:release:)` returns.
        @preconcurrency @inlinable public init(
            acquire: @escaping @Sendable () throws(Failure) -> Resource,
            publisher: @escaping @Sendable (Resource) -> Upstream,
            release: @escaping @Sendable (Resource) -> Void
        ) {
            self.acquire = acquire
            self.publisher = publisher
            self.release = release
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            do throws(Failure) {
                let resource = try acquire()
                let lease = AnyCancellable(serially { [release] in release(resource) })
                publisher(resource)
                    .handleEvents(receiveCompletion: { _ in lease.cancel() }, receiveCancel: { lease.cancel() })
                    .receive(subscriber: EnclosingConduit(name: "Using", Ownership(), subscriber))
            } catch {
                subscriber.complete(with: .failure(error))
            }
        }
    }
}

extension Publishers.Using: Sendable {}
