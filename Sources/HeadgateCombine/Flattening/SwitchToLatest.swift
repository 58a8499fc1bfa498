import HeadgateCore
import HeadgateEngine

extension Publisher where Output: Publisher, Output.Failure == Failure {
    /// Publishes what the latest of the publishers publishes that this one publishes.
    ///
    /// ```
    /// self              a-------b---------|
    /// a                 1--2--3--4--5--|
    /// b                         8---9-----10--|
    /// switchToLatest    1--2--3-8---9-----10--|
    /// ```
    ///
    /// ```swift
    /// let searches = PassthroughSubject<AnyPublisher<String, Never>, Never>()
    /// let cancellable = searches.switchToLatest().sink { print($0) }
    /// searches.send(["a1", "a2"].publisher.eraseToAnyPublisher())
    /// searches.send(["b1"].publisher.eraseToAnyPublisher())
    /// // a1
    /// // a2
    /// // b1
    /// ```
    ///
    /// - **Demand**: passed on to the latest publisher; what one has not served is asked of the next. This publisher is
    ///   asked for everything.
    /// - **Completion**: finishes when this publisher and the latest one have finished. Fails at once when either does.
    ///   The publisher that is left is cancelled.
    /// - **Complexity**: constant time a value and a publisher.
    @inlinable public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.SwitchToLatest(upstream: self)
    }
}

extension Publisher where Failure == Never, Output: Publisher {
    /// Publishes what the latest of the publishers publishes that this one, which never fails, publishes.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `switchToLatest()` with equal failures.
    @inlinable @_disfavoredOverload public func switchToLatest()
        -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>>
    {
        setFailureType(to: Output.Failure.self).switchToLatest()
    }
}

extension Publisher where Failure == Never, Output: Publisher, Output.Failure == Never {
    /// Publishes what the latest of the publishers publishes that this one publishes, where nothing can fail.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `switchToLatest()` with equal failures.
    @inlinable @_disfavoredOverload public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.SwitchToLatest(upstream: self)
    }
}

extension Publisher where Output: Publisher & StrictlySendableMetatype, Output.Failure == Never {
    /// Publishes what the latest of the publishers, which never fail, publishes that this one publishes.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `switchToLatest()` with equal failures.
    @inlinable @_disfavoredOverload public func switchToLatest()
        -> Publishers.SwitchToLatest<
            Publishers.SetFailureType<Output, Failure>,
            Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
        >
    {
        map { $0.setFailureType(to: Failure.self) }.switchToLatest()
    }
}

extension Publishers {
    /// A publisher of what the latest of the publishers publishes that another one publishes.
    public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
    where P == Upstream.Output, P.Failure == Upstream.Failure {
        /// The values of the publishers.
        public typealias Output = P.Output

        /// The errors of the publishers, and of the one that publishes them.
        public typealias Failure = P.Failure

        /// The publisher of publishers.
        public let upstream: Upstream

        /// Makes the publisher that `switchToLatest()` returns.
        @inlinable public init(upstream: Upstream) {
            self.upstream = upstream
        }

        /// Connects a subscriber to the publishers that will come.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            SwitchConduit.connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.SwitchToLatest: StrictlySendable where Upstream: StrictlySendable {}
