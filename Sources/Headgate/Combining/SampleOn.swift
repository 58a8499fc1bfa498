import HeadgateEngine

extension Publisher {
    /// Publishes the most recent value whenever another publisher publishes, each value at most once.
    ///
    /// Drops the values that are superseded before the other publisher publishes. To keep them all, use `zip`, or
    /// `window` with the other publisher as the boundary.
    ///
    /// ```
    /// self        1--2-----3------4-|
    /// trigger     ----t--t----t--t---t--|
    /// sample(on:) ----2-------3------(4|)
    /// ```
    ///
    /// ```swift
    /// let readings = PassthroughSubject<Int, Never>()
    /// let ticks = PassthroughSubject<Void, Never>()
    /// let cancellable = readings.sample(on: ticks).sink { print($0) }
    /// readings.send(1)
    /// readings.send(2)
    /// ticks.send()
    /// ticks.send()
    /// readings.send(3)
    /// ticks.send()
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: forwarded to the trigger; requests another value from it for each one that finds nothing new.
    ///   Requests unlimited values from upstream; those that the trigger does not pick up are dropped.
    /// - **Completion**: finishes when upstream has finished and its last value has been taken, or at once when the
    ///   trigger finishes. Fails at once when either fails.
    /// - **Complexity**: constant time per value.
    /// - **Threads**: values are delivered on the thread on which the trigger delivers.
    ///
    /// - Parameter trigger: The publisher whose values cause the most recent value to be published.
    @inlinable public func sample<Trigger: Publisher>(on trigger: Trigger) -> Publishers.SampleOn<Self, Trigger>
    where Trigger.Failure == Failure {
        Publishers.SampleOn(upstream: self, trigger: trigger)
    }
}

extension Publishers {
    /// A publisher of the most recent value of upstream, taken whenever another publisher publishes.
    public struct SampleOn<Upstream: Publisher, Trigger: Publisher>: Publisher
    where Upstream.Failure == Trigger.Failure {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The publisher whose values cause the most recent value to be published.
        public let trigger: Trigger

        /// Creates the publisher that `sample(on:)` returns.
        @inlinable public init(upstream: Upstream, trigger: Trigger) {
            self.upstream = upstream
            self.trigger = trigger
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SamplingConduit<Trigger.Output, Output, Output, Failure>(
                name: "SampleOn", use: .once, AnySubscriber(subscriber)
            ) { $1 }
            conduit.connect(subscriber) { driver, sampled in
                upstream.receive(subscriber: sampled)
                trigger.receive(subscriber: driver)
            }
        }
    }
}

extension Publishers.SampleOn: Sendable where Upstream: Sendable, Trigger: Sendable {}

extension Publishers.SampleOn: Equatable where Upstream: Equatable, Trigger: Equatable {}
