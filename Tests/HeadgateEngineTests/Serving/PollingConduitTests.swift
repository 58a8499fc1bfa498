import Headgate
import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

/// Runs jobs when the test says so.
private final class ManualQueue: PollingQueue {
    private let jobs = Guarded<[@Sendable () -> Void]>([])

    func run(_ work: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(work) } }

    func runLater(_ work: @escaping @Sendable () -> Void) { run(work) }

    func run(afterMilliseconds time: Int, _ work: @escaping @Sendable () -> Void) { run(work) }

    func runJobs() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
    }
}

/// A source of what the test adds to its stock.
private final class Stock: Pollable, Sendable {
    struct State {
        var items: [Poll<Int>] = []
        var hasFailed = false
        var polls = 0
        var onReady: (() -> Void)?
    }

    let state = Guarded(State())

    func add(_ item: Poll<Int>?) {
        let onReady = state.withLock { state in
            if let item { state.items.append(item) } else { state.hasFailed = true }
            return state.onReady.take()
        }
        onReady?()
    }

    func poll() throws(TestFailure) -> Poll<Int> {
        let (item, hasFailed) = state.withLock { state -> (Poll<Int>?, Bool) in
            state.polls += 1
            return (state.items.isEmpty ? nil : state.items.removeFirst(), state.hasFailed)
        }
        if let item { return item }
        if hasFailed { throw .first }
        return .pending
    }

    func waiting(on queue: ManualQueue) -> PollingWait { { onReady in self.state.withLock { $0.onReady = onReady } } }
}

private enum Action: CaseIterable {
    case value, last, finish, fail, postpone
    case request, cancel
}

/// What such a conduit is to do, in the plainest words.
private struct Model {
    typealias Event = Probe<Int, TestFailure>.Event

    let reaction: Probe<Int, TestFailure>.Reaction
    var items: [Action] = []
    var hasFailed = false
    var demand = 0
    var isOpen = true
    var events: [Event] = []

    mutating func happen(_ action: Action) {
        switch action {
        case .value, .last, .finish, .postpone: items.append(action)
        case .fail: hasFailed = true
        case .request: demand += 1
        case .cancel: isOpen = false
        }
        while isOpen, demand > 0 {
            if items.isEmpty, hasFailed {
                events.append(.failed("first"))
                isOpen = false
            }
            if items.isEmpty { return }
            let item = items.removeFirst()
            if item == .value || item == .last {
                demand -= 1
                events.append(.value(7))
                switch reaction {
                case .nothing: break
                case .request, .answer: demand += 1
                case .cancel: isOpen = false
                }
            }
            if isOpen, item == .last || item == .finish {
                events.append(.finished)
                isOpen = false
            }
        }
    }
}

final class PollingConduitTests: XCTestCase {
    private func run(
        _ sequence: [Action], _ reaction: Probe<Int, TestFailure>.Reaction
    ) throws -> ScriptFrontier<Action>.Standing {
        let queue = ManualQueue()
        let stock = Stock()
        let probe = Probe<Int, TestFailure>()
        probe.reaction = reaction
        var model = Model(reaction: reaction)
        var cancellations = 0
        PollingConduit<Stock>(
            name: "Stock", on: queue, to: AnySubscriber(probe), onCancel: { cancellations += 1 }, open: { stock }
        ).send(to: probe)
        func happen(_ action: Action) {
            model.happen(action)
            switch action {
            case .value: stock.add(.value(7))
            case .last: stock.add(.last(7))
            case .finish: stock.add(.finished)
            case .postpone: stock.add(.postponed)
            case .fail: stock.add(nil)
            case .request: probe.request()
            case .cancel: probe.cancel()
            }
            queue.runJobs()
        }
        sequence.forEach(happen)
        let isOpen = model.isOpen
        if !isOpen { Action.allCases.forEach(happen) }
        probe.release()
        try expect("events", probe.events, model.events)
        let isCancelled = !isOpen && model.events.last != .finished && model.events.last != .failed("first")
        try expect("cancellations", cancellations, isCancelled ? 1 : 0)
        return isOpen ? .open : .over
    }

    func test_everyOrderOfEventsComesToWhatTheModelSays() {
        for reaction in Probe<Int, TestFailure>.Reaction.allCases {
            explore(Action.allCases, upTo: 5) { try run($0, reaction) }
        }
    }

    /// Each wait costs what the first does: neither memory nor the stack grows with their number.
    func test_waitsAHundredThousandTimes() {
        let count = 100_000
        let queue = ManualQueue()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let stock = Stock()
        let conduit = PollingConduit<Stock>(name: "Stock", on: queue, to: AnySubscriber(subscriber)) {
            () throws(TestFailure) in stock
        }
        conduit.send(to: subscriber)
        queue.runJobs()
        for value in 0..<count {
            stock.add(.value(value))
            queue.runJobs()
        }
        XCTAssertEqual(subscriber.values.count, count)
        subscriber.cancel()
        queue.runJobs()
    }

    func test_opensAndPollsNothingWithoutDemand() {
        let queue = ManualQueue()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        let stock = Stock()
        var openings = 0
        PollingConduit<Stock>(name: "Stock", on: queue, to: AnySubscriber(subscriber)) { () throws(TestFailure) in
            openings += 1
            return stock
        }.send(to: subscriber)
        for _ in 0..<3 { stock.add(.value(7)) }
        queue.runJobs()
        XCTAssertEqual(openings, 0)
        subscriber.request(2)
        queue.runJobs()
        XCTAssertEqual(openings, 1)
        XCTAssertEqual(stock.state.withLock { $0.polls }, 2)
        XCTAssertEqual(subscriber.values, [7, 7])
        subscriber.cancel()
    }

    func test_failsWhenTheSourceDoesNotOpen() {
        let queue = ManualQueue()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        PollingConduit<Stock>(name: "Stock", on: queue, to: AnySubscriber(subscriber)) {
            () throws(TestFailure) in throw .second
        }.send(to: subscriber)
        queue.runJobs()
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_releasesTheSourceWhenCancelledWhileItWaits() {
        let queue = ManualQueue()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        weak var released: Stock?
        do {
            let stock = Stock()
            released = stock
            PollingConduit<Stock>(name: "Stock", on: queue, to: AnySubscriber(subscriber)) { [stock] in stock }
                .send(to: subscriber)
        }
        queue.runJobs()
        XCTAssertNotNil(released)
        subscriber.cancel()
        queue.runJobs()
        XCTAssertNil(released)
    }
}
