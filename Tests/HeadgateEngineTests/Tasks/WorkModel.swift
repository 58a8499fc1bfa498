import Headgate
import HeadgateCombine
import HeadgateEngine
import TestSupport

/// What upstream, the tasks, and the subscriber of a `WorkConduit` can do.
enum WorkAct: CaseIterable {
    case request, requestEverything, cancel
    case value, finish, fail
    /// A task takes the next value.
    case take
    /// The work on the value that was taken first, or last, succeeds, drops the value, or fails.
    case firstSucceeds, lastSucceeds, firstDrops, lastDrops, firstFails, lastFails
    /// Upstream and the subscriber release what they have of the conduit.
    case vanish
}

/// What comes of processing a value.
enum WorkOutcome {
    case value(Int)
    case skip
    case failure(TestFailure)
}

/// What a `WorkConduit` has to deliver and to request, computed from lists without the state of a delivery.
struct WorkModel {
    typealias Event = Probe<Int, TestFailure>.Event

    let limit: Int
    let isOrdered: Bool
    let worksAhead: Bool

    private(set) var sent = 0
    private(set) var waiting: [Int] = []
    private(set) var working: [Int] = []
    private(set) var requested = Subscribers.Demand.none
    private var outcomes: [Int: WorkOutcome] = [:]
    /// The number whose turn it is.
    private var turn = 0
    private var settledCount = 0
    private var values: [Int] = []
    private var droppedCount = 0
    private var ending: Event?
    private var failure: Event?
    private var eventsAtCancellation: [Event]?
    private(set) var hasVanished = false

    init(limit: Int, isOrdered: Bool, worksAhead: Bool) {
        self.limit = limit
        self.isOrdered = isOrdered
        self.worksAhead = worksAhead
    }

    var isUpstreamOpen: Bool { ending == nil }

    /// How many results the subscriber has received.
    private var deliveredCount: Int { min(values.count, requested.max ?? values.count) }

    private var hasDeliveredAll: Bool { deliveredCount == values.count }

    /// Whether no more work begins.
    var takesNoMore: Bool { isOver || failure != nil }

    /// Whether nothing more happens.
    var isOver: Bool {
        if eventsAtCancellation != nil { return true }
        if hasVanished, let limit = requested.max, deliveredCount == limit { return true }
        return hasDeliveredAll && (failure != nil || settledCount == sent && !isAwaited)
    }

    /// Whether upstream may send more.
    private var isAwaited: Bool { isUpstreamOpen && !hasVanished }

    /// What the subscriber has to have received when no delivery is in progress.
    var events: [Event] {
        if let eventsAtCancellation { return eventsAtCancellation }
        let delivered = values.prefix(deliveredCount).map(Event.value)
        if !hasDeliveredAll { return delivered }
        if let failure { return delivered + [failure] }
        return settledCount == sent ? delivered + [ending].compactMap { $0 } : delivered
    }

    /// What has to have been requested from upstream when no delivery is in progress, unless everything has ended.
    var requestedFromUpstream: Subscribers.Demand {
        let ahead = worksAhead ? (requested == .none ? 0 : limit) : min(limit, (requested - values.count).max ?? limit)
        return .max(deliveredCount + droppedCount + ahead)
    }

    mutating func request(_ demand: Subscribers.Demand) { if !isOver { requested += demand } }

    mutating func send() {
        waiting.append(sent)
        sent += 1
    }

    mutating func end(_ event: Event) { if !isOver { ending = event } }

    mutating func take() -> Int {
        working.append(waiting.removeFirst())
        return working[working.count - 1]
    }

    mutating func complete(_ number: Int, _ result: WorkOutcome) {
        working.removeAll { $0 == number }
        if takesNoMore { return }
        if case .failure(let error) = result {
            failure = .failed("\(error)")
        } else if isOrdered {
            outcomes[number] = result
            while let result = outcomes.removeValue(forKey: turn) {
                settle(result)
                turn += 1
            }
        } else {
            settle(result)
        }
    }

    private mutating func settle(_ result: WorkOutcome) {
        settledCount += 1
        if case .value(let value) = result { values.append(value) } else { droppedCount += 1 }
    }

    mutating func cancel(after events: [Event]) {
        let hasEnded = events.contains {
            if case .value = $0 { false } else { true }
        }
        if !hasEnded, eventsAtCancellation == nil { eventsAtCancellation = events }
    }

    mutating func vanish() { hasVanished = true }
}
