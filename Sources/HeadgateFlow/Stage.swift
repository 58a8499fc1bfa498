import HeadgateEngine

extension Publisher {
    /// Forwards everything, and shows in a flow how values and demand pass here.
    ///
    /// ```
    /// self      1---2---3---|
    /// stage     1---2---3---|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateFlow
    /// import HeadgateTesting
    ///
    /// let flow = Flow("numbers")
    /// let subscriber = TestSubscriber<Int, Never>(.first(2))
    /// (1...9).publisher.stage("numbers", in: flow).subscribe(subscriber)
    /// let stage = flow.snapshot.stages[0]
    /// print(stage.values, stage.demand, stage.now[.held] ?? 0)
    /// // 2 max(0) 1
    /// ```
    ///
    /// A stage sees the section after it through its deliveries and requests, and the one before it through what it
    /// waits for. Put one after each part that may be slow: what reads, what computes, what moves values to another
    /// queue.
    ///
    /// - **Demand** and **Completion**: forwarded.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives. The sums may be read on
    ///   any thread meanwhile.
    /// - **Complexity**: constant time per value, a few dozen instructions, and no allocation; also between fused
    ///   operators. A flow with a scheduler reads its clock twice per value, and one that is being recorded describes
    ///   each value.
    ///
    /// - Parameters:
    ///   - name: The name of the stage. Stages of one name in one flow are one stage: their streams add up.
    ///   - flow: The flow that shows the stage.
    @inlinable public func stage(_ name: String, in flow: Flow) -> Publishers.Staged<Self> {
        Publishers.Staged(upstream: self, name: name, flow: flow)
    }
}

extension Publishers {
    /// A publisher that forwards everything, and shows it in a flow.
    public struct Staged<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The name of the stage.
        public let name: String

        /// The flow that shows the stage.
        public let flow: Flow

        @usableFromInline let account: StageAccount

        /// Creates the publisher that `stage(_:in:)` returns.
        @inlinable public init(upstream: Upstream, name: String, flow: Flow) {
            self.upstream = upstream
            self.name = name
            self.flow = flow
            account = flow.stage(name)
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            StageConduit(account, subscriber).attach(to: upstream)
        }
    }
}

extension Publishers.Staged: Sendable where Upstream: Sendable {}

extension StageAccount: SelfDescribing {
    /// The name and the counts of all streams so far.
    package var description: String { Flow.Stage(reading).description }
}
