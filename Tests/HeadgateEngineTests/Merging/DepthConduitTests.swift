import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class DepthConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        for isReentrant in [false, true] {
            explore(
                Act.allCases, upTo: 4, after: [[], [.request, .value, .request], [.requestEverything, .value]],
                atLeast: 1_000
            ) { try compare($0, isReentrant: isReentrant) }
        }
    }

    func test_aSecondSubscriptionToThePublisherMadeOfAValueIsCancelled() {
        let subscriptions = [LoggingSubscription(), LoggingSubscription()]
        let root = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        DepthConduit.connect(
            root, to: subscriber, place: { _, depth in depth == 0 ? .inner : .leaf },
            attach: { _, inlet in
                for subscription in subscriptions { inlet.receive(subscription: subscription) }
            })
        root.send(1)
        XCTAssertEqual(subscriptions.map(\.calls), [["request max(1)"], ["cancel"]])
        subscriber.cancel()
        XCTAssertEqual(subscriptions.map(\.calls), [["request max(1)", "cancel"], ["cancel"]])
    }

    func test_cancellingBeforeThePublisherOfAValueIsMadeReleasesTheValue() {
        let before = Tracked.count
        do {
            var cancel = {}
            let root = TestPublisher<Tracked, TestFailure> { root, _ in
                root.send(Tracked())
                cancel()
            }
            let subscriber = TestSubscriber<Tracked, TestFailure>(requesting: .max(1))
            cancel = { [unowned subscriber] in subscriber.cancel() }
            DepthConduit.connect(
                root, to: subscriber, place: { _, _ in .inner },
                attach: { _, _ in XCTFail("the stream has been cancelled") })
            XCTAssertEqual(subscriber.values.count, 1)
        }
        XCTAssertEqual(Tracked.count, before)
    }

    /// What the root, the deepest publisher that is going, the next above it, and the subscriber can do.
    private enum Act: CaseIterable {
        case value, finish, failure, upperFinish, rootFinish, rootFailure, request, requestEverything, cancel
    }

    private typealias Hand = TestPublisher<Int, TestFailure>

    /// At this depth values are leaves.
    private static let limit = 2

    /// How many publishers a script can open at most.
    private static let most = 12

    private func compare(_ script: [Act], isReentrant: Bool) throws -> ScriptFrontier<Act>.Standing {
        var early = false
        var outstanding: () -> Subscribers.Demand = { .none }
        let hands = (0..<Self.most).map { _ in
            Hand { _, _ in if outstanding() == .none { early = true } }
        }
        var opened = 1
        var director: Director<Act>?
        let subscriber = TestSubscriber<Int, TestFailure>(requesting: .none) { _, value in
            director?.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        defer {
            director = nil
            outstanding = { .none }
        }
        outstanding = { subscriber.outstanding }
        let stage = Stage(
            isConnected: { hands[$0].isConnected }, requested: { hands[$0].requested },
            send: { hands[$0].send($1) }, end: { hands[$0].send(completion: $1) },
            request: { subscriber.request($0) }, cancel: { subscriber.cancel() })
        director = Director(script, isReentrant: isReentrant) { stage.act($0) }
        DepthConduit.connect(
            hands[0], to: subscriber,
            place: { value, depth in
                depth < Self.limit ? .inner : value.isMultiple(of: 5) ? .failure(.second) : .leaf
            },
            attach: {
                opened += 1
                hands[opened - 1].receive(subscriber: $1)
            })
        director?.run()

        let model = Model(sides: Self.most, countsDemandAtOnce: true)
        let modelStage = Stage(
            isConnected: { model.isConnected[$0] }, requested: { model.requested[$0] },
            send: { model.send($1, from: $0) }, end: { model.end($0, $1) },
            request: { model.request($0) }, cancel: { model.cancel() })
        let modelDirector = Director(script, isReentrant: isReentrant) { modelStage.act($0) }
        model.onDelivery = { value in
            modelDirector.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        modelDirector.run()

        try expect("heard", Array(subscriber.received.dropFirst()), model.received)
        try expect("requested", hands.map(\.requested), model.requested)
        try expect("cancelled", hands.map(\.cancelCount), model.cancelCounts)
        try expect("opened", opened, model.opened)
        try expect("breaches", subscriber.breaches, [])
        try expect("requested while nothing was outstanding", early, false)
        return model.isOver ? .over : modelStage.lastActDidSomething ? .open : .pruned
    }

    /// Publishers that keep to the contract: they send what was requested, numbers that go on from one to the next.
    private final class Stage {
        var lastActDidSomething = false

        private let isConnected: (Int) -> Bool
        private let requested: (Int) -> Subscribers.Demand
        private let send: (Int, Int) -> Void
        private let end: (Int, Subscribers.Completion<TestFailure>) -> Void
        private let request: (Subscribers.Demand) -> Void
        private let cancel: () -> Void
        private var number = 0
        private var sent = Array(repeating: 0, count: DepthConduitTests.most)
        private var sending: Set<Int> = []

        init(
            isConnected: @escaping (Int) -> Bool, requested: @escaping (Int) -> Subscribers.Demand,
            send: @escaping (Int, Int) -> Void,
            end: @escaping (Int, Subscribers.Completion<TestFailure>) -> Void,
            request: @escaping (Subscribers.Demand) -> Void, cancel: @escaping () -> Void
        ) {
            self.isConnected = isConnected
            self.requested = requested
            self.send = send
            self.end = end
            self.request = request
            self.cancel = cancel
        }

        func act(_ act: Act) {
            lastActDidSomething = true
            let going = sent.indices.filter { isConnected($0) }
            switch act {
            case .value: sendNext(going.last)
            case .finish: end(going.last, with: .finished)
            case .failure: end(going.last, with: .failure(.first))
            case .upperFinish: end(going.dropLast().last, with: .finished)
            case .rootFinish: end(going.count > 1 ? 0 : nil, with: .finished)
            case .rootFailure: end(going.count > 1 ? 0 : nil, with: .failure(.first))
            case .request: request(.max(1))
            case .requestEverything: request(.unlimited)
            case .cancel: cancel()
            }
        }

        private func sendNext(_ side: Int?) {
            guard let side, !sending.contains(side), requested(side) > sent[side] else {
                lastActDidSomething = false
                return
            }
            number += 1
            sent[side] += 1
            sending.insert(side)
            send(side, number)
            sending.remove(side)
        }

        private func end(_ side: Int?, with completion: Subscribers.Completion<TestFailure>) {
            if let side, !sending.contains(side), isConnected(side) {
                end(side, completion)
            } else {
                lastActDidSomething = false
            }
        }
    }

    /// What going through a tree depth first is, written down without regard to speed.
    private final class Model: DrainModel {
        /// How many publishers have been subscribed to.
        var opened = 1

        /// The publishers that are going, or above one that is, with their depths; the deepest is last, without a number
        /// until it is subscribed to.
        private var levels: [(side: Int?, depth: Int)] = [(0, 0)]
        private var isRequested: Set<Int> = []

        override init(sides: Int, countsDemandAtOnce: Bool) {
            super.init(sides: sides, countsDemandAtOnce: countsDemandAtOnce)
            isConnected = (0..<sides).map { $0 == 0 }
        }

        override func isAttached(_ side: Int) -> Bool { side < opened }

        override func take(_ value: Int, from side: Int) -> Subscribers.Demand {
            isRequested.remove(side)
            guard let depth = levels.last?.depth, demand > .none || isClosed else { return .none }
            if depth == DepthConduitTests.limit, value.isMultiple(of: 5) {
                finish(.failure(.second))
                return .none
            }
            _ = deliver(value)
            if looksOver || depth == DepthConduitTests.limit { return .none }
            levels.append((nil, depth + 1))
            makeRequest(DepthConduitTests.most, .max(1))
            return .none
        }

        override func request(_ demand: Subscribers.Demand, fromOther side: Int) {
            if isClosed { return }
            levels[levels.count - 1].side = opened
            isConnected[opened] = true
            opened += 1
        }

        override func nextRequest() -> (side: Int, demand: Subscribers.Demand)? {
            guard demand > .none, !isClosed, let side = levels.last?.side, isRequested.insert(side).inserted else {
                return nil
            }
            return (side, .max(1))
        }

        override func finished(_ side: Int) {
            while let side = levels.last?.side, hasEnded[side] { levels.removeLast() }
            if levels.isEmpty { finish(.finished) }
        }
    }
}
