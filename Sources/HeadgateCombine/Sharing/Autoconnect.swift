import HeadgateEngine

extension ConnectablePublisher {
    /// Connects automatically when the first subscriber arrives, and disconnects when the last one cancels.
    ///
    /// ```
    /// self      ----1---2---3---4---5---
    /// first     ----1---2---!
    /// second          --2---3---!
    /// upstream  ^               !
    /// ```
    ///
    /// ```swift
    /// let numbers = (1...2).publisher.makeConnectable().autoconnect()
    /// let listener = numbers.sink { print($0) }
    /// // 1
    /// // 2
    /// ```
    ///
    /// There is never more than one connection: a subscriber that arrives while the previous connection is being
    /// cancelled gets a new one after that.
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged. A subscriber leaves by cancelling, not by the end of the stream: later
    ///   subscribers don't restart it.
    /// - **Threads**: everything is forwarded on the thread on which it arrives. Upstream is connected on the thread of
    ///   the first subscriber, and disconnected on that of the last one to cancel; a subscriber that arrives during
    ///   that is connected on that thread, too.
    /// - **Complexity**: adds nothing to the path of a value.
    @inlinable public func autoconnect() -> Publishers.Autoconnect<Self> {
        Publishers.Autoconnect(upstream: self)
    }
}

extension Publishers {
    /// A publisher that is connected while it has subscribers.
    public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher, which is connected and disconnected.
        public let upstream: Upstream

        @usableFromInline let count = ConnectionCount()

        /// Creates the publisher that `autoconnect()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches a subscriber, and connects upstream if it is the first.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let isFirst = count.arrive()
            upstream.receive(subscriber: ForwardingSubscriber(subscriber, keeping: self) { [count] _ in count.leave() })
            if isFirst { count.connect(upstream) }
        }
    }
}

// The number of subscribers is under a lock; the rest is constant.
extension Publishers.Autoconnect: @unchecked Sendable where Upstream: Sendable {}
