import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Shares one subscription of this publisher between all subscribers.
    ///
    /// ```
    /// self      ----1---2---3---4---|
    /// first     ----1---2---3---4---|
    /// second          --2---3---!
    /// ```
    ///
    /// ```swift
    /// let news = PassthroughSubject<String, Never>()
    /// let shared = news.print("upstream").share()
    /// let first = shared.sink { print("first", $0) }
    /// // upstream: receive subscription: (PassthroughSubject)
    /// // upstream: request unlimited
    /// let second = shared.sink { print("second", $0) }
    /// news.send("hello")
    /// // upstream: receive value: (hello)
    /// // first hello
    /// // second hello
    /// ```
    ///
    /// The first subscriber connects it, and when the last one has cancelled, upstream is cancelled; the next
    /// subscriber begins anew. A publisher that says everything at once, such as a sequence, says it to the first
    /// subscriber alone: use `makeConnectable()` to attach several first, or `shareReplay(capacity:)`.
    ///
    /// - **Demand**: each subscriber has its own; upstream is asked for everything once any has asked. A value goes past
    ///   those that have not asked for one.
    /// - **Completion**: passed on, to late subscribers too.
    /// - **Complexity**: one call of each subscriber a value.
    @inlinable public func share() -> Publishers.Share<Self> {
        Publishers.Share(upstream: self)
    }
}

extension Publishers {
    /// A publisher that shares one subscription of another publisher between all its subscribers.
    public final class Share<Upstream: Publisher>: Publisher, Equatable {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is shared.
        public let upstream: Upstream

        @usableFromInline let shared: Autoconnect<Multicast<Upstream, PassthroughSubject<Output, Failure>>>

        /// Makes the publisher that `share()` returns.
        @inlinable public init(upstream: Upstream) {
            self.upstream = upstream
            shared = upstream.multicast { PassthroughSubject() }.autoconnect()
        }

        /// Connects a subscriber and, if it is the first, upstream.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            shared.receive(subscriber: subscriber)
        }

        /// Whether both are the same object.
        public static func == (lhs: Share, rhs: Share) -> Bool { lhs === rhs }
    }
}

extension Publishers.Share: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
