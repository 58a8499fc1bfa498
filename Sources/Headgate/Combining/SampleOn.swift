import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the most recent value whenever another publisher publishes something, each value at most once.
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
    /// - **Demand**: passed on to the trigger, which is requested one more value from for each that finds nothing new.
    ///   This publisher is requested everything from; what the trigger does not pick up is dropped, which is what sampling
    ///   means.
    /// - **Completion**: finishes when this publisher has finished and its last value has been picked up, or at once when
    ///   the trigger finishes. Fails at once when either fails.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter trigger: The publisher whose values are the moments at which a value is taken.
    @inlinable public func sample<Trigger: Publisher>(on trigger: Trigger) -> Publishers.SampleOn<Self, Trigger>
    where Trigger.Failure == Failure {
        Publishers.SampleOn(upstream: self, trigger: trigger)
    }
}

extension Publishers {
    /// A publisher of the most recent value of a publisher, taken whenever another one publishes something.
    public struct SampleOn<Upstream: Publisher, Trigger: Publisher>: Publisher
    where Upstream.Failure == Trigger.Failure {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of both publishers.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are taken.
        public let upstream: Upstream

        /// The publisher whose values are the moments at which one is taken.
        public let trigger: Trigger

        /// Makes the publisher that `sample(on:)` returns.
        @inlinable public init(upstream: Upstream, trigger: Trigger) {
            self.upstream = upstream
            self.trigger = trigger
        }

        /// Connects a subscriber to both publishers.
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

extension Publishers.SampleOn: StrictlySendable where Upstream: StrictlySendable, Trigger: StrictlySendable {}

extension Publishers.SampleOn: Equatable where Upstream: Equatable, Trigger: Equatable {}
