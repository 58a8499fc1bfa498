import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import Synchronization
import TestSupport
import XCTest

/// What a test does to the conduit, from outside or from inside a delivery.
private enum Move: CaseIterable {
    case push, finish, request, cancel
    case pushThenRequestInside, pushThenCancelInside
    case pushThenReturnDemand, pushThenPushInside, pushThenFinishInside

    /// Without what is done from inside, except for requesting and cancelling.
    static let principal: [Move] = [.push, .finish, .request, .cancel, .pushThenRequestInside, .pushThenCancelInside]
}

private enum Note: Equatable {
    case start, stop, value(Int), finished, overlap
}

/// The conduit as it should be, on one thread.
private struct Model {
    enum Work {
        case value(Int, Move)
        case finish
        case stop
    }

    var notes: [Note] = []
    var demand = 0
    var remaining: Int
    var isRunning = false
    var isOpen = true
    var waiting: [Work] = []
    var count = 0

    init(limit: Int) { remaining = limit }

    mutating func perform(_ move: Move) {
        switch move {
        case .finish: waiting.append(.finish)
        case .request: request()
        case .cancel: cancel()
        default: push(move)
        }
        while !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .value(let value, let move): deliver(value, move)
            case .finish: end(isCancelled: false)
            case .stop: end(isCancelled: true)
            }
        }
    }

    mutating func push(_ move: Move) {
        count += 1
        waiting.append(.value(count, move))
    }

    mutating func request() {
        guard isOpen else { return }
        demand += 1
        if !isRunning { notes.append(.start) }
        isRunning = true
    }

    mutating func cancel() {
        if isOpen { waiting.append(.stop) }
        isOpen = false
    }

    mutating func deliver(_ value: Int, _ move: Move) {
        guard isOpen, demand > 0 else { return }
        demand -= 1
        notes.append(.value(value))
        switch move {
        case .pushThenRequestInside, .pushThenReturnDemand: demand += 1
        case .pushThenCancelInside: cancel()
        case .pushThenPushInside: push(.push)
        case .pushThenFinishInside: waiting.append(.finish)
        default: break
        }
        remaining -= 1
        if remaining == 0 { end(isCancelled: !isOpen) }
    }

    mutating func end(isCancelled: Bool) {
        if isRunning { notes.append(.stop) }
        isRunning = false
        if isOpen, !isCancelled { notes.append(.finished) }
        isOpen = false
    }
}

/// The conduit itself, and a subscriber that does what the last move says.
private final class Rig: Subscriber {
    var notes: [Note] = []
    var move = Move.push
    var count = 0
    var isReceiving = false
    var subscription: (any Subscription)?
    weak var conduit: PushConduit<(Int, Move), Never>?

    static func make(limit: Subscribers.Demand) -> Rig {
        let rig = Rig()
        let conduit = PushConduit<(Int, Move), Never>(name: "Test", limit: limit, to: rig) { [unowned rig] _ in
            rig.notes.append(.start)
            return { rig.notes.append(.stop) }
        }
        rig.conduit = conduit
        rig.receive(subscription: conduit)
        return rig
    }

    func perform(_ move: Move) {
        switch move {
        case .finish: conduit?.finish(.finished)
        case .request: subscription?.request(.max(1))
        case .cancel: subscription?.cancel()
        default: push(move)
        }
    }

    func push(_ move: Move) {
        count += 1
        conduit?.push((count, move))
    }

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: (Int, Move)) -> Subscribers.Demand {
        if isReceiving { notes.append(.overlap) }
        isReceiving = true
        defer { isReceiving = false }
        notes.append(.value(input.0))
        switch input.1 {
        case .pushThenRequestInside: subscription?.request(.max(1))
        case .pushThenCancelInside: subscription?.cancel()
        case .pushThenPushInside: push(.push)
        case .pushThenFinishInside: conduit?.finish(.finished)
        case .pushThenReturnDemand: return .max(1)
        default: break
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
        if isReceiving { notes.append(.overlap) }
        notes.append(.finished)
    }
}

final class PushConduitTests: XCTestCase {
    /// Plays every script to the conduit and to its model.
    private func playAll(_ moves: [Move], upTo length: Int, limit: Int, line: UInt = #line) {
        explore(moves, upTo: length, line: line) { script in
            var model = Model(limit: limit)
            let rig = Rig.make(limit: .max(limit))
            for move in script {
                model.perform(move)
                rig.perform(move)
            }
            try expect("notes", rig.notes, model.notes)
            rig.subscription = nil
            if rig.conduit != nil { throw Difference("somebody keeps the conduit") }
            let starts = model.notes.count { $0 == .start }
            try expect("stops of the source", rig.notes.count { $0 == .stop }, starts)
            return .open
        }
    }

    func test_keepsToTheModelInEveryOrderOfSixMoves() {
        playAll(Move.principal, upTo: 6, limit: 1000)
    }

    func test_keepsToTheModelInEveryOrderOfFiveMovesWithALimit() {
        playAll(Move.principal, upTo: 5, limit: 1)
        playAll(Move.principal, upTo: 5, limit: 2)
    }

    func test_keepsToTheModelInEveryOrderOfFourMovesWithWorkFromInside() {
        playAll(Move.allCases, upTo: 4, limit: 1000)
        playAll(Move.allCases, upTo: 4, limit: 1)
        playAll(Move.allCases, upTo: 4, limit: 2)
    }

    /// A source whose pushing end is in the hands of the test.
    private final class Hand {
        weak var conduit: PushConduit<Int, TestFailure>?
        var starts = 0
        var stops = 0
        var onStart: () -> Void = {}

        func connect<S: Subscriber>(_ subscriber: S, limit: Subscribers.Demand = .unlimited)
        where S.Input == Int, S.Failure == TestFailure {
            let conduit = PushConduit<Int, TestFailure>(name: "Hand", limit: limit, to: subscriber) { _ in
                self.starts += 1
                self.onStart()
                return { self.stops += 1 }
            }
            self.conduit = conduit
            subscriber.receive(subscription: conduit)
        }
    }

    func test_showsItsName() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        Hand().connect(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Hand")])
    }

    func test_startsAtTheFirstDemandOnly() {
        let hand = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        hand.connect(subscriber)
        subscriber.request(.none)
        XCTAssertEqual(hand.starts, 0)
        subscriber.request(1)
        subscriber.request(.unlimited)
        XCTAssertEqual(hand.starts, 1)
    }

    func test_passesFailureOnWithoutDemand() {
        let hand = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        hand.connect(subscriber)
        hand.conduit?.finish(.failure(.first))
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual([hand.starts, hand.stops], [0, 0])
    }

    func test_deliversWhatIsPushedWhileStarting() {
        let hand = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        hand.onStart = {
            hand.conduit?.push(1)
            hand.conduit?.push(2)
            hand.conduit?.push(3)
            hand.conduit?.finish(.finished)
        }
        hand.connect(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual([hand.starts, hand.stops], [1, 1])
    }

    func test_cancelWhileStartingStopsTheSource() {
        let hand = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        hand.connect(subscriber)
        hand.onStart = {
            subscriber.cancel()
            hand.conduit?.push(1)
        }
        subscriber.request(.unlimited)
        XCTAssertEqual([hand.starts, hand.stops], [1, 1])
        XCTAssertEqual(subscriber.values, [])
    }

    func test_releasesTheSubscriberAndTheSourceHoweverItEnds() {
        let before = Tracked.count
        for way in ["finish", "failure", "limit", "cancel", "cancel before the start", "drop", "drop before the start"]
        {
            var subscription: (any Subscription)?
            weak var conduit: PushConduit<Int, TestFailure>?
            do {
                let seen = Tracked()
                let subscriber = AnySubscriber<Int, TestFailure>(
                    receiveSubscription: { subscription = $0 },
                    receiveValue: { [seen] _ in
                        _ = seen
                        return .none
                    },
                    receiveCompletion: { [seen] _ in _ = seen })
                let made = PushConduit<Int, TestFailure>(
                    name: "Test", limit: way == "limit" ? .max(1) : .unlimited, to: subscriber
                ) { [tracked = Tracked()] _ in { [held = Tracked()] in _ = (tracked, held) } }
                subscriber.receive(subscription: made)
                conduit = made
            }
            XCTAssertEqual(Tracked.count, before + 2, way)
            if !way.hasSuffix("before the start") {
                subscription?.request(.unlimited)
                XCTAssertEqual(Tracked.count, before + 3, way)
            }
            switch way {
            case "finish": conduit?.finish(.finished)
            case "failure": conduit?.finish(.failure(.second))
            case "limit": conduit?.push(1)
            case "cancel", "cancel before the start": subscription?.cancel()
            default: subscription = nil
            }
            XCTAssertEqual(Tracked.count, before, way)
            subscription = nil
            XCTAssertNil(conduit, way)
        }
    }

    func test_nothingOverlapsAndNothingIsLostWhenTwoThreadsPush() {
        let count = 20_000
        let inside = Atomic(0)
        let overlaps = Atomic(0)
        var values = [0, 0]
        var isInOrder = true
        let subscriber = AnySubscriber<Int, TestFailure>(
            receiveSubscription: { $0.request(.unlimited) },
            receiveValue: { value in
                if inside.add(1, ordering: .relaxed).oldValue != 0 { overlaps.add(1, ordering: .relaxed) }
                let (thread, number) = value.quotientAndRemainder(dividingBy: count)
                if values[thread] != number { isInOrder = false }
                values[thread] += 1
                inside.subtract(1, ordering: .relaxed)
                return .none
            })
        let conduit = PushConduit<Int, TestFailure>(name: "Test", to: subscriber) { _ in {} }
        subscriber.receive(subscription: conduit)
        onThreads(2) { thread in
            for number in 0..<count { conduit.push(thread * count + number) }
        }
        XCTAssertEqual(values, [count, count])
        XCTAssertTrue(isInOrder)
        XCTAssertEqual(overlaps.load(ordering: .relaxed), 0)
    }

    func test_stopsOnceWhenThreadsRaceToPushRequestAndCancel() {
        for round in 0..<300 {
            let starts = Atomic(0)
            let stops = Atomic(0)
            let received = Atomic(0)
            let subscriber = AnySubscriber<Int, TestFailure>(
                receiveSubscription: { _ in },
                receiveValue: { _ in
                    received.add(1, ordering: .relaxed)
                    return .none
                })
            let conduit = PushConduit<Int, TestFailure>(name: "Test", to: subscriber) { _ in
                starts.add(1, ordering: .relaxed)
                return { stops.add(1, ordering: .relaxed) }
            }
            onThreads(3) { thread in
                for number in 0..<20 {
                    switch thread {
                    case 0: conduit.push(number)
                    case 1: conduit.request(.max(1))
                    default: if number == round % 20 { conduit.cancel() }
                    }
                }
            }
            let total = received.load(ordering: .relaxed)
            conduit.push(20)
            XCTAssertEqual(received.load(ordering: .relaxed), total)
            XCTAssertLessThanOrEqual(total, 20)
            XCTAssertLessThanOrEqual(starts.load(ordering: .relaxed), 1)
            XCTAssertEqual(starts.load(ordering: .relaxed), stops.load(ordering: .relaxed))
        }
    }

    func test_endlessRequestsFromInsideAreFlat() {
        let hand = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1)) { subscriber, value in
            subscriber.request(1)
            hand.conduit?.push(value + 1)
            if value == 100_000 { subscriber.cancel() }
        }
        hand.connect(subscriber)
        hand.conduit?.push(1)
        XCTAssertEqual(subscriber.values.count, 100_000)
    }
}
