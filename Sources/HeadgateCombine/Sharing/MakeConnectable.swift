import HeadgateEngine

extension Publisher where Failure == Never {
    /// Publishes only after `connect()`, so that several subscribers can be attached first.
    ///
    /// Drops a value for each subscriber that has not requested one. To keep it, put `buffer` after this operator, for
    /// each subscriber.
    ///
    /// ```
    /// self         1---2---3---|
    /// connect()    !
    ///              1---2---3---|
    /// ```
    ///
    /// ```swift
    /// let numbers = (1...2).publisher.makeConnectable()
    /// let first = numbers.sink { print("first", $0) }
    /// let second = numbers.sink { print("second", $0) }
    /// let connection = numbers.connect()
    /// // first 1
    /// // second 1
    /// // first 2
    /// // second 2
    /// ```
    ///
    /// - **Demand**: each subscriber has its own. Unlimited values are requested from upstream once any subscriber has
    ///   requested some. Values are dropped for subscribers without demand.
    /// - **Completion**: forwarded, to later subscribers too.
    /// - **Threads**: upstream is subscribed to on the thread that calls `connect()`, and requested from there or on
    ///   that of the first request, whichever comes later. All subscribers receive a value on the thread on which
    ///   upstream delivers it, one after the other, in the order in which they subscribed.
    /// - **Complexity**: one call per subscriber and value.
    @inlinable public func makeConnectable() -> Publishers.MakeConnectable<Self> {
        Publishers.MakeConnectable(upstream: self)
    }
}

extension Publishers {
    /// A publisher that forwards upstream's values to its subscribers after `connect()`.
    public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        @usableFromInline let shared: Multicast<Upstream, PassthroughSubject<Output, Failure>>

        /// Creates the publisher that `makeConnectable()` returns.
        @inlinable public init(upstream: Upstream) {
            shared = upstream.multicast { PassthroughSubject() }
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            shared.receive(subscriber: subscriber)
        }

        /// Connects upstream.
        ///
        /// - Returns: Disconnects upstream when cancelled or released.
        @inlinable public func connect() -> any Cancellable { shared.connect() }
    }
}

extension Publishers.MakeConnectable: InterruptibleConnecting {
    @usableFromInline package func attempt() -> ConnectionCount.Attempt { shared.attempt() }
}

extension Publishers.MakeConnectable: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
