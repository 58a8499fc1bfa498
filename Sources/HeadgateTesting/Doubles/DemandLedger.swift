import Headgate
import HeadgateEngine
import HeadgateCore

/// An account of who asked and who delivered, on as many edges of a chain as the test likes.
///
/// ```swift
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
    // All state is behind the lock.

    /// One line of the ledger.
    public struct Entry: Hashable, Sendable, CustomStringConvertible {
        /// What happened.
        public enum Action: Hashable, Sendable {
            /// The subscriber asked by `request(_:)`.
            case requested(Subscribers.Demand)

            /// The subscriber asked in answer to a value.
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

        /// What may be delivered on that edge after it.
        public let outstanding: Subscribers.Demand

        /// The moment on the ledger's clock.
        public let time: TestTime

        /// The line as text, as in `source: requested 1, outstanding 1`; an edge without a name has none in front.
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

    /// Makes an empty ledger.
    ///
    /// - Parameter clock: The scheduler whose time is written down; where it is missing, every moment is zero.
    public init(clock: TestScheduler? = nil) { self.clock = clock }

    /// Every line, in the order in which things happened.
    public var entries: [Entry] { lines.withLock { $0 } }

    /// The lines of one edge.
    public func entries(of edge: String) -> [Entry] { entries.filter { $0.edge == edge } }

    /// Everything that was asked for on an edge, by requests and answers.
    public func requested(on edge: String) -> Subscribers.Demand {
        entries(of: edge).reduce(.none) {
            switch $1.action {
            case .requested(let demand), .answered(let demand): $0 + demand
            default: $0
            }
        }
    }

    /// How many values were delivered on an edge.
    public func delivered(on edge: String) -> Int {
        entries(of: edge).count { if case .delivered = $0.action { true } else { false } }
    }

    /// What may still be delivered on an edge.
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
    var figure: String { max.map { "\($0)" } ?? "unlimited" }
}
