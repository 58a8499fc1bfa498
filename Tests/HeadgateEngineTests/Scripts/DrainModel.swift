import HeadgateCombine
import HeadgateTesting
import TestSupport

/// The part that the models of conduits have in common, written down without regard to speed: one event is handled at
/// a time, and requests are made when nothing is left to handle.
class DrainModel {
    typealias Completion = Subscribers.Completion<TestFailure>

    /// What the subscriber has received.
    final var received: [StreamEvent<Int, TestFailure>] = []

    /// What has been requested from each publisher.
    final var requested: [Subscribers.Demand]

    final var cancelCounts: [Int]

    /// Whether each publisher has a subscriber.
    final var isConnected: [Bool]

    /// Whether the conduit listens to each publisher no more.
    final var hasEnded: [Bool]

    final var isOver = false
    final var demand = Subscribers.Demand.none

    /// Whether the subscriber has cancelled or received the completion.
    final var isClosed = false

    /// Whether demand counts from the request on, even if that is made inside a delivery.
    ///
    /// Then the conduit serves only if there was none before, or if it is unlimited now.
    private let countsDemandAtOnce: Bool

    final var onDelivery: (Int) -> Subscribers.Demand = { _ in .none }

    private var waiting: [() -> Void] = []
    private(set) final var isBusy = false
    private(set) final var requests: [(side: Int, demand: Subscribers.Demand)] = []
    private(set) final var isRequesting = false

    init(sides: Int = 2, countsDemandAtOnce: Bool = false) {
        self.countsDemandAtOnce = countsDemandAtOnce
        requested = Array(repeating: .none, count: sides)
        cancelCounts = Array(repeating: 0, count: sides)
        isConnected = Array(repeating: true, count: sides)
        hasEnded = Array(repeating: false, count: sides)
    }

    // What each conduit does in its own way.

    /// Receives a value.
    ///
    /// - Returns: The demand for the publisher that sent it.
    func take(_ value: Int, from side: Int) -> Subscribers.Demand { .none }

    /// Called when a publisher has finished.
    func finished(_ side: Int) {}

    /// Called when a publisher has failed.
    func failed(_ side: Int, _ completion: Completion) { finish(completion) }

    /// Called with new demand, which has been added.
    func serve(_ more: Subscribers.Demand) {}

    /// Chooses a request that is made when nothing else is left to do.
    func nextRequest() -> (side: Int, demand: Subscribers.Demand)? { nil }

    /// Makes a request to what is no publisher of the script.
    func request(_ demand: Subscribers.Demand, fromOther side: Int) {}

    // The events.

    final func send(_ value: Int, from side: Int) {
        if isBusy { return waiting.append { [self] in makeRequest(side, takeUnlessEnded(value, from: side)) } }
        var more = Subscribers.Demand.none
        perform { [self] in more = takeUnlessEnded(value, from: side) }
        requested[side] += more
    }

    private func takeUnlessEnded(_ value: Int, from side: Int) -> Subscribers.Demand {
        looksOver || hasEnded[side] ? .none : take(value, from: side)
    }

    final func end(_ side: Int, _ completion: Completion) {
        isConnected[side] = false
        perform { [self] in
            if looksOver || hasEnded[side] { return }
            hasEnded[side] = true
            if completion == .finished { finished(side) } else { failed(side, completion) }
        }
    }

    final func request(_ more: Subscribers.Demand) {
        if isClosed { return }
        if countsDemandAtOnce {
            let before = demand
            demand += more
            if before == .none || before != .unlimited && demand == .unlimited {
                perform { [self] in
                    if !looksOver { serve(more) }
                }
            }
            return
        }
        perform { [self] in
            if looksOver { return }
            demand += more
            serve(more)
        }
    }

    final func cancel() {
        if isClosed { return }
        isClosed = true
        perform { [self] in finish(nil) }
    }

    // What the conduits do.

    /// Whether the stream is over; if the subscriber has cancelled, it is from now on.
    final var looksOver: Bool {
        if isClosed { finish(nil) }
        return isOver
    }

    final func perform(_ work: @escaping () -> Void) {
        waiting.append(work)
        if isBusy { return }
        isBusy = true
        while !waiting.isEmpty { waiting.removeFirst()() }
        isBusy = false
        if isRequesting { return }
        isRequesting = true
        while true {
            while !requests.isEmpty {
                let (side, more) = requests.removeFirst()
                if side >= requested.count {
                    request(more, fromOther: side)
                } else if !hasEnded[side] {
                    requested[side] += more
                }
            }
            guard requests.isEmpty, !isOver, let next = nextRequest() else { break }
            makeRequest(next.side, next.demand)
        }
        isRequesting = false
    }

    /// Does something only if nothing else is being handled.
    final func performIfIdle(_ work: @escaping () -> Void) {
        if !isBusy { perform(work) }
    }

    /// Requests from a publisher when nothing is left to handle, unless the stream is over by then.
    final func makeRequest(_ side: Int, _ demand: Subscribers.Demand) {
        if demand == .none || isOver { return }
        if side < hasEnded.count, hasEnded[side] { return }
        if let index = requests.firstIndex(where: { $0.side == side }) {
            requests[index].demand += demand
        } else {
            requests.append((side, demand))
        }
    }

    /// Delivers a value if there is demand.
    ///
    /// - Returns: The demand that the subscriber returns; `nil` if there was none for this value.
    final func deliver(_ value: Int) -> Subscribers.Demand? {
        if demand == .none || isClosed { return nil }
        demand -= 1
        received.append(.value(value))
        let more = onDelivery(value)
        demand += more
        return more
    }

    final func cancel(_ side: Int) {
        if !hasEnded[side], isAttached(side) {
            cancelCounts[side] += 1
            isConnected[side] = false
        }
        hasEnded[side] = true
    }

    /// Whether the conduit has the subscription of a publisher.
    func isAttached(_ side: Int) -> Bool { true }

    final func finish(_ completion: Completion?) {
        if isOver { return }
        isOver = true
        requests = []
        for side in hasEnded.indices { cancel(side) }
        if let completion, !isClosed { received.append(.completion(completion)) }
        isClosed = true
    }
}
