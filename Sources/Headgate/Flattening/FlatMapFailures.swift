import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publishers {
    /// When a failure ends a stream that is made of several publishers, if values of the others wait for demand.
    @frozen public enum FailureTiming: Sendable {
        /// At once; the values that wait are dropped. This is what Combine's `flatMap` does.
        case atOnce
        /// After the values that were there before the failure have been requested and delivered.
        case afterValues
    }
}

extension Publisher {
    /// Makes a publisher of each value, publishes what all of these publish, and fails when the caller has chosen.
    ///
    /// ```
    /// self                      1--2--x
    /// flatMap                   a--b--|
    ///                              a--b--|
    /// failures: .afterValues    1a-1b-2a-x     where 2a was there before the failure, and requested later
    /// ```
    ///
    /// ```swift
    /// let orders = PassthroughSubject<Int, any Error>()
    /// let cancellable = orders
    ///     .flatMap(failures: .afterValues) { order in
    ///         ["order \(order)", "receipt \(order)"].publisher.setFailureType(to: (any Error).self)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// orders.send(1)
    /// // order 1
    /// // receipt 1
    /// ```
    ///
    /// - **Demand**: as with `flatMap(maxPublishers:_:)`.
    /// - **Completion**: finishes when upstream and all of the publishers have finished. When one of them fails, the
    ///   others are cancelled at once; the failure follows at once, or after the values that wait for demand.
    /// - **Complexity**: constant time per value and per publisher.
    ///
    /// - Parameters:
    ///   - maxPublishers: How many publishers may be active at a time.
    ///   - failures: When a failure ends the stream, if values wait for demand.
    ///   - transform: Makes a publisher of each value. Called on the thread that delivers the value.
    @inlinable public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, failures: Publishers.FailureTiming,
        _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMapFailures<P, Self> where P.Failure == Failure {
        Publishers.FlatMapFailures(
            upstream: self, maxPublishers: maxPublishers, failures: failures, transform: transform)
    }
}

extension Publishers {
    /// A publisher of everything that the publishers made of another one's values publish, with a choice of when it fails.
    public struct FlatMapFailures<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The values of the publishers that are made.
        public typealias Output = NewPublisher.Output

        /// The errors of upstream, and of the publishers that are made.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are made into publishers.
        public let upstream: Upstream

        /// How many publishers may be active at a time.
        public let maxPublishers: Subscribers.Demand

        /// When a failure ends the stream, if values wait for demand.
        public let failures: FailureTiming

        /// What makes a publisher of each value.
        public let transform: StreamClosure<Upstream.Output, NewPublisher>

        /// Makes the publisher that `flatMap(maxPublishers:failures:_:)` returns.
        @inlinable public init(
            upstream: Upstream, maxPublishers: Subscribers.Demand, failures: FailureTiming,
            transform: @escaping StreamClosure<Upstream.Output, NewPublisher>
        ) {
            self.upstream = upstream
            self.maxPublishers = maxPublishers
            self.failures = failures
            self.transform = transform
        }

        /// Connects a subscriber to the publishers that will be made.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            MergeConduit.connect(
                upstream, limit: maxPublishers, failures: failures == .atOnce ? .atOnce : .afterValues, to: subscriber
            ) { [transform] input, conduit in
                conduit.attach(transform(input))
            }
        }
    }
}

extension Publishers.FlatMapFailures: StrictlySendable where Upstream: StrictlySendable {}
