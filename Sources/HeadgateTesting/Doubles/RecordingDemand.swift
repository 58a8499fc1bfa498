import Headgate
import HeadgateEngine
import HeadgateCore

extension Publisher {
    /// Passes everything on as it is, and writes into a ledger who asked and who delivered.
    ///
    /// ```
    /// self              --1-----2--|
    /// demand            ^1----^*----
    /// recordingDemand   --1-----2--|
    /// ```
    ///
    /// See ``DemandLedger`` for an example.
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: a line in the ledger for every event.
    ///
    /// - Parameters:
    ///   - ledger: What to write into.
    ///   - edge: The name of this edge in the ledger.
    public func recordingDemand(into ledger: DemandLedger, as edge: String = "") -> Publishers.RecordingDemand<Self> {
        Publishers.RecordingDemand(upstream: self, ledger: ledger, edge: edge)
    }
}

extension Publishers {
    /// A publisher that passes everything on and writes into a ledger who asked and who delivered.
    public struct RecordingDemand<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is looked at.
        public let upstream: Upstream

        /// What is written into.
        public let ledger: DemandLedger

        /// The name of this edge in the ledger.
        public let edge: String

        /// Makes the publisher that `recordingDemand(into:as:)` returns.
        public init(upstream: Upstream, ledger: DemandLedger, edge: String) {
            self.upstream = upstream
            self.ledger = ledger
            self.edge = edge
        }

        /// Connects a subscriber.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let clerk = LedgerClerk<Output, Failure>(ledger: ledger, edge: edge)
            upstream.subscribe(Tap(AnySubscriber(subscriber), observer: clerk))
        }
    }
}

/// Keeps the account of one subscriber.
private final class LedgerClerk<Value, Failure: Error>: TapObserver {
    private let ledger: DemandLedger
    private let edge: String
    private let outstanding = Guarded(Subscribers.Demand.none)

    init(ledger: DemandLedger, edge: String) {
        self.ledger = ledger
        self.edge = edge
    }

    func note(_ event: StreamEvent<Value, Failure>) {
        switch event {
        case .subscription: break
        case .request(let demand): add(.requested(demand)) { $0 += demand }
        case .value(let value): add(.delivered("\(value)")) { $0 -= 1 }
        case .answer(.none): break
        case .answer(let demand): add(.answered(demand)) { $0 += demand }
        case .completion(.finished): add(.finished) { _ in }
        case .completion(.failure(let error)): add(.failed("\(error)")) { _ in }
        case .cancel: add(.cancelled) { _ in }
        }
    }

    private func add(_ action: DemandLedger.Entry.Action, _ change: (inout Subscribers.Demand) -> Void) {
        let now = outstanding.withLock { demand in
            change(&demand)
            return demand
        }
        ledger.add(action, edge: edge, outstanding: now)
    }
}
