import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publishers {
    /// Publishes what another publisher makes of a resource that lives as long as the subscription.
    ///
    /// ```
    /// subscribed   ^
    /// publisher    a---b---|
    /// resource     o-------x
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
    /// The resource is acquired at the subscription, and released exactly once: before the end of the stream is told, at
    /// `cancel()`, before upstream hears of it, or when the stream is let go of from both sides.
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is, after the release. An error that `acquire` throws is the failure.
    /// - **Complexity**: one call more per value.
    ///
    /// - Parameters:
    ///   - acquire: Makes the resource, for each subscriber.
    ///   - publisher: Makes a publisher of the resource.
    ///   - release: Ends the use of the resource.
    @inlinable public static func using<Resource, Upstream: Publisher>(
        acquire: @escaping FailingStreamClosure<Resource, Upstream.Failure>,
        publisher: @escaping StreamClosure<Resource, Upstream>,
        release: @escaping StreamClosure<Resource, Void>
    ) -> Using<Resource, Upstream> {
        Using(acquire: acquire, publisher: publisher, release: release)
    }

    /// A publisher of what another publisher makes of a resource.
    public struct Using<Resource, Upstream: Publisher>: Publisher {
        /// The values of the other publisher.
        public typealias Output = Upstream.Output

        /// The failure of the other publisher.
        public typealias Failure = Upstream.Failure

        /// Makes the resource.
        public let acquire: FailingStreamClosure<Resource, Failure>

        /// Makes a publisher of the resource.
        public let publisher: StreamClosure<Resource, Upstream>

        /// Ends the use of the resource.
        public let release: StreamClosure<Resource, Void>

        /// Makes the publisher that `using(acquire:publisher:release:)` returns.
        @inlinable public init(
            acquire: @escaping FailingStreamClosure<Resource, Failure>,
            publisher: @escaping StreamClosure<Resource, Upstream>,
            release: @escaping StreamClosure<Resource, Void>
        ) {
            self.acquire = acquire
            self.publisher = publisher
            self.release = release
        }

        /// Connects a subscriber to a resource of its own.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            do throws(Failure) {
                let resource = try acquire()
                let lease = Lease { [release] in release(resource) }
                var observer = StreamObserver<Output, Failure>()
                observer.completion = { _ in lease.end() }
                observer.cancel = { lease.end() }
                publisher(resource).receive(
                    subscriber: ObservingConduit(name: "Using", observer, OwningSubscriber(name: "Using", subscriber)))
            } catch {
                subscriber.complete(with: .failure(error))
            }
        }
    }
}

extension Publishers.Using: StrictlySendable {}

/// Does something once: when it is told to, or when nobody is left to tell it.
@usableFromInline final class Lease: Sendable {
    @usableFromInline struct Ending {
        @usableFromInline let perform: () -> Void

        @inlinable init(perform: @escaping () -> Void) { self.perform = perform }
    }

    private let ending: Guarded<Ending?>

    @usableFromInline init(_ end: @escaping () -> Void) {
        nonisolated(unsafe) let ending: Ending? = Ending(perform: end)
        self.ending = Guarded(ending)
    }

    deinit { end() }

    @usableFromInline func end() { ending.withLock { $0.take() }?.perform() }
}
