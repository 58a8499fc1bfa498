import Headgate
import HeadgateEngine
import Synchronization

extension Publisher {
    /// Makes a shutdown wait for this stream, and cut it off at the deadline.
    ///
    /// ```
    /// self      1---2---3---4---
    /// deadline  ----------o
    /// underWay  1---2-----|
    /// ```
    ///
    /// ```swift no-run
    /// let cancellable = requests.stopped(by: shutdown.stop)
    ///     .flatMap(maxPublishers: .max(16)) { answer($0) }
    ///     .underWay(in: shutdown)
    ///     .sink { _ in }
    /// ```
    ///
    /// Put it last, right before the subscriber. A writer that continues after the completion is not waited for; await
    /// the end of `write(to:)` as well.
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: as upstream; at the deadline it finishes and cancels upstream. The shutdown counts it until
    ///   its subscriber has received the completion or cancelled.
    /// - **Complexity**: as for `prefix(untilOutputFrom:)`, and two updates under a lock per subscriber.
    public func underWay(in shutdown: GracefulShutdown) -> Publishers.UnderWay<Self> {
        Publishers.UnderWay(upstream: self, shutdown: shutdown)
    }
}

extension Publishers {
    /// A publisher that a shutdown waits for.
    public struct UnderWay<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output

        public typealias Failure = Upstream.Failure

        /// The publisher that it waits for.
        public let upstream: Upstream

        /// The shutdown that waits.
        public let shutdown: GracefulShutdown

        /// Connects a subscriber; the shutdown waits for it from now on.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let stay = Stay(in: shutdown)
            upstream.stopped(by: shutdown.cutOff)
                .subscribe(
                    AnySubscriber<Output, Failure>(
                        receiveSubscription: serially { subscription in
                            subscriber.receive(subscription: StayingSubscription(subscription, stay))
                        },
                        receiveValue: serially { subscriber.receive($0) },
                        receiveCompletion: serially { completion in
                            subscriber.receive(completion: completion)
                            stay.end()
                        }))
        }
    }
}

extension Publishers.UnderWay: StrictlySendable where Upstream: StrictlySendable {}

/// One stream that a shutdown waits for, counted once.
private final class Stay: Sendable {
    private let shutdown: GracefulShutdown
    private let isOver = Atomic(false)

    init(in shutdown: GracefulShutdown) {
        self.shutdown = shutdown
        shutdown.enter()
    }

    deinit { end() }

    func end() {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { shutdown.leave() }
    }
}

/// Upstream's subscription, which also reports its cancellation to the shutdown.
private final class StayingSubscription: Subscription, CustomStringConvertible {
    private let upstream: any Subscription
    private let stay: Stay

    init(_ upstream: any Subscription, _ stay: Stay) {
        self.upstream = upstream
        self.stay = stay
    }

    var description: String { "UnderWay" }

    func request(_ demand: Subscribers.Demand) { upstream.request(demand) }

    func cancel() {
        upstream.cancel()
        stay.end()
    }
}
