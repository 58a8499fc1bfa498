import HeadgateCore
import HeadgateEngine

extension ConnectablePublisher {
    /// Connects by itself when the first subscriber comes, and disconnects when the last one leaves.
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
    /// There is never more than one connection: whoever subscribes while the last one is being cancelled is connected
    /// anew when that has been done.
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is. A subscriber leaves by cancelling, not by the end of the stream: who comes
    ///   after the end does not begin it anew.
    /// - **Complexity**: nothing is added to the path of a value.
    @inlinable public func autoconnect() -> Publishers.Autoconnect<Self> {
        Publishers.Autoconnect(upstream: self)
    }
}

extension Publishers {
    /// A publisher that is connected while it has subscribers.
    public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is connected and disconnected.
        public let upstream: Upstream

        @usableFromInline let count: ConnectionCount

        /// Makes the publisher that `autoconnect()` returns.
        @inlinable public init(upstream: Upstream) {
            self.upstream = upstream
            count = ConnectionCount { upstream.connect() }
        }

        /// Connects a subscriber and, if it is the first, upstream.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let isFirst = count.arrive()
            upstream.receive(subscriber: count.counting(subscriber, keeping: self))
            if isFirst { count.connect() }
        }
    }
}

// How many there are is under a lock; the rest is constant.
extension Publishers.Autoconnect: @unchecked Sendable where Upstream: Sendable {}
