import HeadgateEngine

extension Publisher where Output: Publisher, Output.Failure == Failure {
    /// Republishes values from the most recent inner publisher, cancelling the previous one.
    ///
    /// Drops what the previous inner publisher has not published when the next one arrives. To keep it, use `flatMap`
    /// with a limit of one publisher, or `flatMapSequential` of the module `Headgate`, on the values that the inner
    /// publishers are made from.
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
    /// - **Demand**: forwarded to the current inner publisher; demand that one has not satisfied is requested from the
    ///   next. With the first demand, unlimited values are requested from this publisher.
    /// - **Completion**: finishes once this publisher and the current inner publisher have finished. Fails at once when
    ///   either fails, and cancels the other.
    /// - **Threads**: a value is delivered on the thread of the current inner publisher. The next inner publisher is
    ///   subscribed to, and the previous one cancelled, on the thread on which this publisher delivers it; a value
    ///   that the previous one is sending on another thread at that time is delivered before, or dropped. One thread
    ///   delivers at a time: another that sends waits for its turn, or leaves its value to the first if that takes
    ///   long (rule 3.6 of the contract).
    /// - **Complexity**: constant time per value and per inner publisher.
    @inlinable public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.SwitchToLatest(upstream: self)
    }
}

extension Publisher where Failure == Never, Output: Publisher {
    /// Republishes values from the most recent inner publisher of a publisher that never fails.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `switchToLatest()` with equal failures.
    @inlinable @_disfavoredOverload public func switchToLatest()
        -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>>
    {
        setFailureType(to: Output.Failure.self).switchToLatest()
    }
}

extension Publisher where Failure == Never, Output: Publisher, Output.Failure == Never {
    /// Republishes values from the most recent inner publisher, where nothing can fail.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `switchToLatest()` with equal failures.
    @inlinable @_disfavoredOverload public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.SwitchToLatest(upstream: self)
    }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
    /// Republishes values from the most recent inner publisher, none of which fails.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `switchToLatest()` with equal failures.
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
    /// A publisher that republishes values from the most recent inner publisher.
    public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
    where P == Upstream.Output, P.Failure == Upstream.Failure {
        /// The type of the published values.
        public typealias Output = P.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = P.Failure

        /// The upstream publisher, which publishes the inner publishers.
        public let upstream: Upstream

        /// Creates the publisher that `switchToLatest()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            SwitchConduit.connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.SwitchToLatest: Sendable where Upstream: Sendable {}
