import HeadgateCore

/// A record of demand and deliveries on any number of edges of a chain.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// let ledger = DemandLedger()
/// let subscriber = TestSubscriber<Int, Never>(.first(1))
/// (1...4).publisher
///     .recordingDemand(into: ledger, as: "source")
///     .filter { $0.isMultiple(of: 2) }
///     .recordingDemand(into: ledger, as: "filter")
///     .subscribe(subscriber)
/// print(ledger)
/// // filter: requested 1, outstanding 1
/// // source: requested 1, outstanding 1
/// // source: delivered 1, outstanding 0
/// // source: answered 1, outstanding 1
/// // source: delivered 2, outstanding 0
/// // filter: delivered 2, outstanding 0
/// ```
public final class DemandLedger: CustomStringConvertible, @unchecked Sendable {
    // All state is guarded by the lock.

    /// One line of the ledger.
    public struct Entry: Hashable, Sendable, CustomStringConvertible {
        /// What happened.
        public enum Action: Hashable, Sendable {
            /// The subscriber called `request(_:)`.
            case requested(Subscribers.Demand)

            /// The subscriber returned more demand for a value.
            case answered(Subscribers.Demand)

            /// The publisher delivered a value, shown as text.
            case delivered(String)

            /// The publisher finished.
            case finished

            /// The publisher failed with an error, shown as text.
            case failed(String)

            /// The subscriber cancelled.
            case cancelled
        }

        /// The name of the edge.
        public let edge: String

        /// What happened.
        public let action: Action

        /// The outstanding demand on that edge afterwards.
        public let outstanding: Subscribers.Demand

        /// The time on the ledger's clock.
        public let time: TestTime

        /// The line as text, such as `source: requested 1, outstanding 1`; without a prefix for an edge without a name.
        public var description: String {
            let deed =
                switch action {
                case .requested(let demand): "requested \(demand.figure), outstanding \(outstanding.figure)"
                case .answered(let demand): "answered \(demand.figure), outstanding \(outstanding.figure)"
                case .delivered(let value): "delivered \(value), outstanding \(outstanding.figure)"
                case .finished: "finished"
                case .failed(let error): "failed with \(error)"
                case .cancelled: "cancelled"
                }
            return edge.isEmpty ? deed : "\(edge): \(deed)"
        }
    }

    private let lines = Guarded<[Entry]>([])
    private let clock: TestScheduler?

    /// Creates an empty ledger.
    ///
    /// - Parameter clock: The scheduler whose time is recorded; without one, every time is zero.
    public init(clock: TestScheduler? = nil) { self.clock = clock }

    /// All lines in order.
    public var entries: [Entry] { lines.withLock { $0 } }

    /// The lines of one edge.
    public func entries(of edge: String) -> [Entry] { entries.filter { $0.edge == edge } }

    /// The total demand on an edge, by requests and answers.
    public func requested(on edge: String) -> Subscribers.Demand {
        entries(of: edge).reduce(.none) {
            switch $1.action {
            case .requested(let demand), .answered(let demand): $0 + demand
            default: $0
            }
        }
    }

    /// The number of values delivered on an edge.
    public func delivered(on edge: String) -> Int {
        entries(of: edge).count { if case .delivered = $0.action { true } else { false } }
    }

    /// The outstanding demand on an edge.
    public func outstanding(on edge: String) -> Subscribers.Demand { entries(of: edge).last?.outstanding ?? .none }

    /// The lines as text.
    public var description: String { entries.map(\.description).joined(separator: "\n") }

    func add(_ action: Entry.Action, edge: String, outstanding: Subscribers.Demand) {
        let time = clock?.now ?? .zero
        lines.withLock { $0.append(Entry(edge: edge, action: action, outstanding: outstanding, time: time)) }
    }
}

extension Subscribers.Demand {
    /// The count, or `unlimited`.
    package var figure: String { max.map { "\($0)" } ?? "unlimited" }
}
