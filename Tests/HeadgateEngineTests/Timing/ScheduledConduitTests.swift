import HeadgateCombine
import HeadgateEngine
import TestSupport
import XCTest

@testable import HeadgateTesting
@testable import HeadgateVerification

/// What a test does from outside, or has done from inside the delivery of a value.
private enum Move: CaseIterable {
    case send, finish, fail, request, cancel, tick
    case sendThenCancelInside, sendThenSendInside, sendThenRequestInside, sendThenReturnDemand

    static let principal: [Move] = [.send, .finish, .fail, .request, .cancel, .tick]
}

private struct Note: Equatable, CustomStringConvertible {
    var time: Int
    var text: String
    var description: String { "\(text) at \(time)" }
}

/// The operators that the conduit serves, with intervals of two ticks; a tick is a second.
private enum Operator: CaseIterable {
    case receive, delay, debounce, throttleLatest, throttleFirst, collect, collectOrCount

    func connect(
        _ upstream: TestPublisher<(Int, Move), TestFailure>, _ scheduler: TestScheduler
    ) -> AnyPublisher<[(Int, Move)], TestFailure> {
        let single = upstream.map { [$0] }
        return switch self {
        case .receive: single.receive(on: scheduler).eraseToAnyPublisher()
        case .delay: single.delay(for: 2, scheduler: scheduler).eraseToAnyPublisher()
        case .debounce: single.debounce(for: 2, scheduler: scheduler).eraseToAnyPublisher()
        case .throttleLatest: single.throttle(for: 2, scheduler: scheduler, latest: true).eraseToAnyPublisher()
        case .throttleFirst: single.throttle(for: 2, scheduler: scheduler, latest: false).eraseToAnyPublisher()
        case .collect: upstream.collect(.byTime(scheduler, 2)).eraseToAnyPublisher()
        case .collectOrCount: upstream.collect(.byTimeOrCount(scheduler, 2, 2)).eraseToAnyPublisher()
        }
    }
}

/// The operator as it should be: everything that is due is delivered when the scheduler runs.
private struct Model {
    let kind: Operator
    var notes: [Note] = []
    var now = 0
    var demand = 0
    var count = 0
    var isConnected = true
    var isOpen = true
    var waiting: [(due: Int, value: (Int, Move))] = []
    var completion: (due: Int, text: String)?
    var reopening = 0

    init(_ kind: Operator) { self.kind = kind }

    mutating func perform(_ move: Move) {
        switch move {
        case .finish, .fail: end(move)
        case .request: if isOpen { demand += 1 }
        case .cancel: cancel()
        case .tick:
            run()
            now += 1
            run()
        default: send(move)
        }
    }

    mutating func cancel() {
        isOpen = false
        isConnected = false
    }

    mutating func send(_ move: Move) {
        count += 1
        if !isConnected { return }
        let value = (count, move)
        switch kind {
        case .receive: waiting.append((now, value))
        case .delay: waiting.append((now + 2, value))
        case .debounce: waiting = [(now + 2, value)]
        case .throttleLatest, .throttleFirst: throttle(value)
        case .collect, .collectOrCount: waiting.append((now / 2 * 2 + 2, value))
        }
    }

    mutating func throttle(_ value: (Int, Move)) {
        if waiting.isEmpty || kind == .throttleLatest { waiting = [(0, value)] }
    }

    mutating func end(_ move: Move) {
        if !isConnected { return }
        isConnected = false
        let text = move == .fail ? "failure" : "finished"
        switch kind {
        case .receive: completion = (now, text)
        case .delay: completion = (now + 2, text)
        case .throttleLatest where move == .finish, .throttleFirst where move == .finish: completion = (now, text)
        default:
            completion = (now, text)
            if kind == .collect || kind == .collectOrCount, move == .fail { waiting = [] }
            for index in waiting.indices { waiting[index].due = now }
        }
    }

    var isFailing: Bool { completion?.text == "failure" && kind != .receive && kind != .delay }

    mutating func run() {
        while isOpen {
            let size = kind == .collect ? waiting.count : kind == .collectOrCount ? min(2, waiting.count) : 1
            let isThrottled = (kind == .throttleLatest || kind == .throttleFirst) && !isFailing
            if kind == .debounce, completion == nil, demand == 0, let first = waiting.first, first.due <= now {
                waiting = []
            }
            if let first = waiting.first, demand > 0 {
                if isThrottled, reopening > now { return }
                guard first.due <= now || (kind == .collectOrCount && size == 2) else { return }
                demand -= 1
                let values = waiting.prefix(size).map(\.value)
                waiting.removeFirst(size)
                if !isFailing { reopening = now + 2 }
                notes.append(Note(time: now, text: "\(values.map(\.0))"))
                for value in values { react(to: value.1) }
            } else if let completion, completion.due <= now, waiting.isEmpty || isFailing {
                notes.append(Note(time: now, text: completion.text))
                isOpen = false
            } else {
                return
            }
        }
    }

    mutating func react(to move: Move) {
        switch move {
        case .sendThenCancelInside: cancel()
        case .sendThenSendInside: send(.send)
        case .sendThenRequestInside, .sendThenReturnDemand: if isOpen { demand += 1 }
        default: break
        }
    }
}

private final class Rig {
    let scheduler = TestScheduler()
    let upstream = TestPublisher<(Int, Move), TestFailure>()
    private(set) lazy var subscriber = TestSubscriber<[(Int, Move)], TestFailure>(requesting: .none) {
        [unowned self] _, values in
        notes.append(Note(time: now, text: "\(values.map(\.0))"))
        return values.reduce(.none) { $0 + react(to: $1.1) }
    } onCompletion: { [unowned self] _, completion in
        notes.append(Note(time: now, text: completion == .finished ? "finished" : "failure"))
    }
    var notes: [Note] = []
    var count = 0

    var now: Int { scheduler.now.nanoseconds / 1_000_000_000 }

    init(_ kind: Operator) { kind.connect(upstream, scheduler).subscribe(subscriber) }

    func react(to move: Move) -> Subscribers.Demand {
        switch move {
        case .sendThenCancelInside: subscriber.cancel()
        case .sendThenSendInside: perform(.send)
        case .sendThenRequestInside: subscriber.request(1)
        case .sendThenReturnDemand: return .max(1)
        default: break
        }
        return .none
    }

    func perform(_ move: Move) {
        switch move {
        case .finish: upstream.finish()
        case .fail: upstream.fail(.first)
        case .request: subscriber.request(1)
        case .cancel: subscriber.cancel()
        case .tick: scheduler.advance(by: 1)
        default:
            count += 1
            upstream.force((count, move))
        }
    }
}

final class ScheduledConduitTests: XCTestCase {
    private func check(_ kind: Operator, _ moves: [Move]) throws -> ScriptFrontier<Move>.Standing {
        let rig = Rig(kind)
        var model = Model(kind)
        for move in moves + Array(repeating: .tick, count: 6) {
            rig.perform(move)
            model.perform(move)
        }
        try expect("\(kind)", rig.notes, model.notes)
        try expect("breaches of \(kind)", rig.subscriber.breaches, [])
        try expect("timers left by \(kind)", rig.scheduler.unfinished.count, 0)
        return .open
    }

    func test_deliversEveryOrderOfEventsAsTheModelSays() {
        for kind in Operator.allCases {
            explore(Move.principal, upTo: 5, atLeast: 9_331) { try check(kind, $0) }
        }
    }

    func test_deliversEveryOrderOfWhatIsDoneInsideADeliveryAsTheModelSays() {
        for kind in Operator.allCases {
            explore(Move.allCases, upTo: 3, after: [[.request]], atLeast: 1_111) { try check(kind, $0) }
        }
    }

    func test_cancellingWhileTheAlarmIsBeingSetLeavesNoTimer() {
        for kind in Operator.allCases where kind != .receive {
            let rig = Rig(kind)
            // The stream is over before it knows of the alarm, which it has to cancel all the same.
            rig.scheduler.actionInSchedule.arrange { rig.subscriber.cancel() }
            if kind == .throttleFirst || kind == .throttleLatest {
                for _ in 0..<2 {
                    rig.subscriber.request(1)
                    rig.upstream.send((1, .send))
                }
            }
            rig.perform(.send)
            rig.scheduler.actionInSchedule.forget()
            rig.scheduler.runDue()
            XCTAssertEqual(rig.upstream.cancelCount, 1, "\(kind)")
            XCTAssertEqual(rig.scheduler.unfinished, [], "\(kind)")
        }
    }
}
