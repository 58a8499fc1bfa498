import HeadgateCore
import HeadgateEngine

extension Publisher where Failure == Never {
    /// Waits for `connect()` before it publishes, so that several subscribers can be attached first.
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
    /// - **Demand**: each subscriber has its own; upstream is asked for everything once any has asked. A value goes
    ///   past those that have not asked for one.
    /// - **Completion**: passed on, to late subscribers too.
    /// - **Complexity**: one call of each subscriber a value.
    @inlinable public func makeConnectable() -> Publishers.MakeConnectable<Self> {
        Publishers.MakeConnectable(upstream: self)
    }
}

extension Publishers {
    /// A publisher that passes the values of another one to its subscribers when told to begin.
    public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        @usableFromInline let shared: Multicast<Upstream, PassthroughSubject<Output, Failure>>

        /// Makes the publisher that `makeConnectable()` returns.
        @inlinable public init(upstream: Upstream) {
            shared = upstream.multicast { PassthroughSubject() }
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            shared.receive(subscriber: subscriber)
        }

        /// Begins.
        ///
        /// - Returns: What detaches upstream again; letting go of it does so too.
        @inlinable public func connect() -> any Cancellable { shared.connect() }
    }
}

extension Publishers.MakeConnectable: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
