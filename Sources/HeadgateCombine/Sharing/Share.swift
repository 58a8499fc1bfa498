import HeadgateEngine

extension Publisher {
    /// Shares one subscription to this publisher among all subscribers.
    ///
    /// Drops a value for each subscriber that has not requested one. To keep it, put `buffer` after this operator, for
    /// each subscriber, or use `shareReplay(capacity:)` of the module `Headgate`.
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
    /// The first subscriber connects it. When the last one has cancelled, upstream is cancelled; the next subscriber
    /// connects it anew. A publisher that delivers everything immediately, such as a sequence, delivers it to the
    /// first subscriber only: use `makeConnectable()` to attach several first, or `shareReplay(capacity:)`. Within one
    /// stream, the first subscriber may be the wrong one: in `shared.window(on: shared)`, and with `withLatestFrom`,
    /// `sample`, `prefix(untilOutputFrom:)` and `drop(untilOutputFrom:)`, the argument receives everything, and the
    /// publisher itself nothing.
    ///
    /// A failure is delivered to all later subscribers, so a `retry` after this operator fails each time. Put it before, or use
    /// `shareUntilFailure()` of the module `Headgate`.
    ///
    /// - **Demand**: each subscriber has its own. Unlimited values are requested from upstream once any subscriber has
    ///   requested some, and at once when it is connected anew. Values are dropped for subscribers without demand.
    /// - **Completion**: forwarded, to later subscribers too.
    /// - **Threads**: all subscribers receive a value on the thread on which upstream delivers it, one after the other,
    ///   in the order in which they subscribed. Upstream is subscribed to by the first subscriber, requested from by
    ///   the first request, and cancelled by the last to cancel, each on its thread.
    /// - **Complexity**: one call per subscriber and value.
    @inlinable public func share() -> Publishers.Share<Self> {
        Publishers.Share(upstream: self)
    }
}

extension Publishers {
    /// A publisher that shares one subscription to upstream among all its subscribers.
    public final class Share<Upstream: Publisher>: Publisher, Equatable {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        // The same as `multicast(subject:).autoconnect()`, without a conduit of each for every subscriber.
        @usableFromInline let subject = PassthroughSubject<Output, Failure>(.multicast)

        @usableFromInline let count = ConnectionCount()

        /// Creates the publisher that `share()` returns.
        @inlinable public init(upstream: Upstream) {
            self.upstream = upstream
            subject.hub.attachments.connections = count
        }

        /// Attaches a subscriber, and connects upstream if it is the first.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let isFirst = count.arrive()
            subject.receive(subscriber: subscriber)
            if isFirst { count.connect(upstream.attempt(attaching: subject)) }
        }

        /// Returns whether both are the same object.
        public static func == (lhs: Share, rhs: Share) -> Bool { lhs === rhs }
    }
}

// The number of subscribers is under a lock; the rest is constant.
extension Publishers.Share: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
