import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the values that come before another publisher publishes one.
    ///
    /// ```
    /// self      1--2--3--4--5--|
    /// other     --------a---b--|
    /// prefix    1--2--3-|
    /// ```
    ///
    /// ```swift
    /// let stop = PassthroughSubject<Void, Never>()
    /// let ticks = PassthroughSubject<Int, Never>()
    /// let cancellable = ticks.prefix(untilOutputFrom: stop).sink { print($0) }
    /// ticks.send(1)
    /// stop.send()
    /// ticks.send(2)
    /// // 1
    /// ```
    ///
    /// - **Demand**: passed on as it is. The other publisher is asked for one value.
    /// - **Completion**: passed on as it is, and finishes as soon as the other publisher publishes something; whichever
    ///   goes on is cancelled. The completion of the other publisher means nothing.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameter publisher: The publisher that is waited for.
    @inlinable public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
        Publishers.PrefixUntilOutput(upstream: self, other: publisher)
    }

    /// Publishes the values that come after another publisher has published one.
    ///
    /// ```
    /// self      1--2--3--4--5--|
    /// other     -----a-----b---|
    /// drop      ------3--4--5--|
    /// ```
    ///
    /// ```swift
    /// let start = PassthroughSubject<Void, Never>()
    /// let ticks = PassthroughSubject<Int, Never>()
    /// let cancellable = ticks.drop(untilOutputFrom: start).sink { print($0) }
    /// ticks.send(1)
    /// start.send()
    /// ticks.send(2)
    /// // 2
    /// ```
    ///
    /// - **Demand**: passed on, and one more is asked for in place of each value that is dropped. The other publisher is
    ///   asked for one value.
    /// - **Completion**: passed on as it is. Fails when the other publisher fails before it has published anything.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameter publisher: The publisher that is waited for.
    @inlinable public func drop<P: Publisher>(
        untilOutputFrom publisher: P
    ) -> Publishers.DropUntilOutput<Self, P> where Failure == P.Failure {
        Publishers.DropUntilOutput(upstream: self, other: publisher)
    }
}

extension Publishers {
    /// A publisher of the values of another one that come before a third publishes something.
    public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are passed on.
        public let upstream: Upstream

        /// The publisher that is waited for.
        public let other: Other

        /// Makes the publisher that `prefix(untilOutputFrom:)` returns.
        @inlinable public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        /// Connects a subscriber to both publishers.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = UntilConduit(name: "PrefixUntilOutput", isDropping: false, to: subscriber)
            other.receive(subscriber: UntilTrigger(conduit: conduit) { _, _ in })
            upstream.receive(subscriber: UntilSubscriber(conduit: conduit, to: subscriber))
        }
    }

    /// A publisher of the values of another one that come after a third has published something.
    public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
    where Upstream.Failure == Other.Failure {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of both publishers.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are passed on.
        public let upstream: Upstream

        /// The publisher that is waited for.
        public let other: Other

        /// Makes the publisher that `drop(untilOutputFrom:)` returns.
        @inlinable public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        /// Connects a subscriber to both publishers.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = UntilConduit(name: "DropUntilOutput", isDropping: true, to: subscriber)
            other.receive(subscriber: UntilTrigger(conduit: conduit) { $0.perform(.otherFailure($1)) })
            upstream.receive(subscriber: UntilSubscriber(conduit: conduit, to: subscriber))
        }
    }
}

extension Publishers.DropUntilOutput: StrictlySendable where Upstream: StrictlySendable, Other: StrictlySendable {}

extension Publishers.PrefixUntilOutput: StrictlySendable where Upstream: StrictlySendable, Other: StrictlySendable {}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}
