import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Makes a publisher of each value, and publishes what all of these publish.
    ///
    /// ```
    /// self      1--------2---------|
    /// flatMap   a--b--c--|
    ///                    a--b--c--|
    ///           1a-1b-1c-2a-2b-2c--|
    /// ```
    ///
    /// ```swift
    /// [1, 2].publisher
    ///     .flatMap { ($0 * 10...$0 * 10 + 2).publisher }
    ///     .sink { print($0) }
    /// // 10
    /// // 11
    /// // 12
    /// // 20
    /// // 21
    /// // 22
    /// ```
    ///
    /// - **Demand**: upstream is asked for `maxPublishers` values, and for one more when a publisher made of one has
    ///   finished and all that it published has been delivered. While demand is unlimited, so is that for each of the
    ///   publishers. Otherwise each is asked for one value at a time, one of each may wait for demand, and they take
    ///   turns.
    /// - **Completion**: finishes when upstream and all of the publishers have finished. Fails at once when any of
    ///   them fails, cancels the others, and drops what waits.
    /// - **Complexity**: constant time a value and a publisher.
    ///
    /// - Parameters:
    ///   - maxPublishers: How many publishers may be going at a time.
    ///   - transform: Makes a publisher of each value. Called on the thread that delivers the value.
    @inlinable public func flatMap<T, P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMap<P, Self> where T == P.Output, Failure == P.Failure {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }

    /// Makes a publisher that never fails of each value, and publishes what all of these publish.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `flatMap(maxPublishers:_:)` with equal failures.
    @inlinable @_disfavoredOverload public func flatMap<P: Publisher & StrictlySendableMetatype>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMap(maxPublishers: maxPublishers) { transform($0).setFailureType(to: Failure.self) }
    }
}

extension Publisher where Failure == Never {
    /// Makes a publisher that may fail of each value of one that never does, and publishes what all of these publish.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `flatMap(maxPublishers:_:)` with equal failures.
    @inlinable @_disfavoredOverload public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
    }

    /// Makes a publisher of each value, and publishes what all of these publish, where nothing can fail.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `flatMap(maxPublishers:_:)` with equal failures.
    @inlinable @_disfavoredOverload public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }
}

extension Publishers {
    /// A publisher of everything that the publishers made of another one's values publish.
    public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The values of the publishers that are made.
        public typealias Output = NewPublisher.Output

        /// The errors of upstream, and of the publishers that are made.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are made into publishers.
        public let upstream: Upstream

        /// How many publishers may be going at a time.
        public let maxPublishers: Subscribers.Demand

        /// What makes a publisher of each value.
        public let transform: StreamClosure<Upstream.Output, NewPublisher>

        /// Makes the publisher that `flatMap(maxPublishers:_:)` returns.
        @inlinable public init(
            upstream: Upstream, maxPublishers: Subscribers.Demand,
            transform: @escaping StreamClosure<Upstream.Output, NewPublisher>
        ) {
            self.upstream = upstream
            self.maxPublishers = maxPublishers
            self.transform = transform
        }

        /// Connects a subscriber to the publishers that will be made.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            MergeConduit.connect(upstream, limit: maxPublishers, to: subscriber) { [transform] input, conduit in
                let publisher = transform(input)
                if let value = publisher.soleValue { return conduit.receive(only: value) }
                return conduit.attach(publisher)
            }
        }
    }
}

extension Publishers.FlatMap: StrictlySendable where Upstream: StrictlySendable {}
