import HeadgateCore

extension Publisher {
    /// Forwards everything unchanged, and records demand and deliveries in a ledger.
    ///
    /// ```
    /// self              --1-----2--|
    /// demand            ^1----^*----
    /// recordingDemand   --1-----2--|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let ledger = DemandLedger()
    /// (1...3).publisher.recordingDemand(into: ledger, as: "source").subscribe(TestSubscriber<Int, Never>(.first(1)))
    /// print(ledger)
    /// // source: requested 1, outstanding 1
    /// // source: delivered 1, outstanding 0
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives, and recorded there.
    /// - **Complexity**: one line in the ledger per event.
    ///
    /// - Parameters:
    ///   - ledger: The ledger to write to.
    ///   - edge: The name of this edge in the ledger.
    public func recordingDemand(into ledger: DemandLedger, as edge: String = "") -> Publishers.RecordingDemand<Self> {
        Publishers.RecordingDemand(upstream: self, ledger: ledger, edge: edge)
    }
}

extension Publishers {
    /// A publisher that forwards everything and records demand and deliveries in a ledger.
    public struct RecordingDemand<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The observed publisher.
        public let upstream: Upstream

        /// The ledger to write to.
        public let ledger: DemandLedger

        /// The name of this edge in the ledger.
        public let edge: String

        /// Creates the publisher that `recordingDemand(into:as:)` returns.
        public init(upstream: Upstream, ledger: DemandLedger, edge: String) {
            self.upstream = upstream
            self.ledger = ledger
            self.edge = edge
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let monitor = Guarded(ContractMonitor())
            upstream.subscribe(
                ReportingSubscriber(AnySubscriber(subscriber)) { [ledger, edge] event in
                    let outstanding = monitor.withLock { monitor in
                        _ = monitor.note(event)
                        return monitor.outstanding
                    }
                    let action: DemandLedger.Entry.Action
                    switch event {
                    case .subscription, .answer(.none): return
                    case .request(let demand): action = .requested(demand)
                    case .value(let value): action = .delivered("\(value)")
                    case .answer(let demand): action = .answered(demand)
                    case .completion(.finished): action = .finished
                    case .completion(.failure(let error)): action = .failed("\(error)")
                    case .cancel: action = .cancelled
                    }
                    ledger.add(action, edge: edge, outstanding: outstanding)
                })
        }
    }
}
