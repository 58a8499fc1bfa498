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
            let enclosure = StayEnclosure(stay: Stay(in: shutdown))
            upstream.stopped(by: shutdown.cutOff)
                .receive(subscriber: EnclosingConduit(name: "UnderWay", enclosure, subscriber))
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

/// Ends a stay when the subscriber has received the completion or cancelled.
private struct StayEnclosure: Enclosure {
    let stay: Stay

    func enclose<Result>(_ passage: Passage, _ forward: () -> Result) -> Result {
        let result = forward()
        if passage == .completion || passage == .cancel { stay.end() }
        return result
    }
}
