import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class SuccessionConduitTests: XCTestCase {
    func test_concatenateDoesWhatTheModelDoesInEveryOrderOfEvents() {
        check(goesOnWhen: { $0 == .finished }) { $0[0].append($0[1]).append($0[2]).eraseToAnyPublisher() }
    }

    func test_catchDoesWhatTheModelDoesInEveryOrderOfEvents() {
        check(goesOnWhen: { $0 != .finished }) { hands in
            hands[0].catch { _ in hands[1].catch { _ in hands[2] } }.eraseToAnyPublisher()
        }
    }

    func test_retryDoesWhatTheModelDoesInEveryOrderOfEvents() {
        check(goesOnWhen: { $0 != .finished }) { hands in
            var attempt = 0
            return Attempts { () -> TestPublisher<Int, TestFailure> in
                attempt += 1
                return hands[attempt - 1]
            }
            .retry(2).eraseToAnyPublisher()
        }
    }

    private enum Act: CaseIterable {
        case firstValue, firstFinish, firstFailure, secondValue, secondFinish, secondFailure
        case thirdValue, thirdFinish, thirdFailure, request, cancel
    }

    private typealias Hand = TestPublisher<Int, TestFailure>

    private func check(
        goesOnWhen: @escaping (Subscribers.Completion<TestFailure>) -> Bool,
        make: ([Hand]) -> AnyPublisher<Int, TestFailure>
    ) {
        for isReentrant in [false, true] {
            explore(Act.allCases, upTo: 6, atLeast: 400) { try compare($0, isReentrant, goesOnWhen, make) }
        }
    }

    private func compare(
        _ script: [Act], _ isReentrant: Bool, _ goesOnWhen: @escaping (Subscribers.Completion<TestFailure>) -> Bool,
        _ make: ([Hand]) -> AnyPublisher<Int, TestFailure>
    ) throws -> ScriptFrontier<Act>.Standing {
        let hands = [Hand(), Hand(), Hand()]
        var sent = [0, 0, 0]
        var isDelivering = false
        var director: Director<Act>?
        defer { director = nil }
        let subscriber = TestSubscriber<Int, TestFailure>(requesting: .none) { _, value in
            isDelivering = true
            director?.delivery()
            isDelivering = false
            return Self.answer(to: value)
        }
        // Upstreams keep to the contract: they send what was requested, and nothing from inside a delivery.
        func send(_ index: Int) {
            if isDelivering || hands[index].outstanding == .none { return }
            sent[index] += 1
            hands[index].send(index * 10 + sent[index])
        }
        func end(_ index: Int, _ completion: Subscribers.Completion<TestFailure>) {
            if !isDelivering { hands[index].send(completion: completion) }
        }
        director = Director(script, isReentrant: isReentrant) { act in
            switch act {
            case .firstValue: send(0)
            case .firstFinish: end(0, .finished)
            case .firstFailure: end(0, .failure(.first))
            case .secondValue: send(1)
            case .secondFinish: end(1, .finished)
            case .secondFailure: end(1, .failure(.second))
            case .thirdValue: send(2)
            case .thirdFinish: end(2, .finished)
            case .thirdFailure: end(2, .failure(.second))
            case .request: subscriber.request(1)
            case .cancel: subscriber.cancel()
            }
        }
        make(hands).subscribe(subscriber)
        director?.run()

        let model = Model(goesOnWhen: goesOnWhen)
        let modelDirector = Director(script, isReentrant: isReentrant) { model.act($0) }
        model.onDelivery = { modelDirector.delivery() }
        modelDirector.run()

        try expect("heard", Array(subscriber.received.dropFirst()), model.received)
        try expect("calls", hands.map(\.calls), model.calls)
        try expect("subscriptions", hands.map(\.subscriptionCount), (0...2).map { $0 <= model.turn ? 1 : 0 })
        try expect("breaches", subscriber.breaches, [])
        // What begins with an act that did nothing is the same as what begins without it.
        return model.isOver ? .over : model.lastActDidSomething ? .open : .pruned
    }

    /// The demand that is returned for a value: one for the first of each publisher.
    private static func answer(to value: Int) -> Subscribers.Demand { value % 10 == 1 ? .max(1) : .none }

    /// What a succession of three is, written down without regard to speed.
    private final class Model {
        var received: [StreamEvent<Int, TestFailure>] = []
        var calls: [[Hand.Call]] = [[], [], []]
        var turn = 0
        var isOver = false
        var lastActDidSomething = false
        var onDelivery: () -> Void = {}

        private let goesOnWhen: (Subscribers.Completion<TestFailure>) -> Bool
        private var demand = 0
        private var sent = [0, 0, 0]
        private var isDelivering = false

        init(goesOnWhen: @escaping (Subscribers.Completion<TestFailure>) -> Bool) { self.goesOnWhen = goesOnWhen }

        func act(_ act: Act) {
            if isOver { return }
            lastActDidSomething = false
            switch act {
            case .firstValue: send(0)
            case .firstFinish: end(0, .finished)
            case .firstFailure: end(0, .failure(.first))
            case .secondValue: send(1)
            case .secondFinish: end(1, .finished)
            case .secondFailure: end(1, .failure(.second))
            case .thirdValue: send(2)
            case .thirdFinish: end(2, .finished)
            case .thirdFailure: end(2, .failure(.second))
            case .request:
                demand += 1
                lastActDidSomething = true
                calls[turn].append(.request(.max(1)))
            case .cancel:
                isOver = true
                calls[turn].append(.cancel)
            }
        }

        private func send(_ index: Int) {
            if isDelivering || turn != index || demand == 0 { return }
            demand -= 1
            lastActDidSomething = true
            sent[index] += 1
            received.append(.value(index * 10 + sent[index]))
            isDelivering = true
            onDelivery()
            isDelivering = false
            let more = SuccessionConduitTests.answer(to: index * 10 + sent[index])
            if more > .none {
                demand += 1
                calls[index].append(.answer(more))
            }
        }

        private func end(_ index: Int, _ completion: Subscribers.Completion<TestFailure>) {
            if isDelivering || turn != index { return }
            lastActDidSomething = true
            if turn < 2, goesOnWhen(completion) {
                turn += 1
                if demand > 0 { calls[turn].append(.request(.max(demand))) }
            } else {
                isOver = true
                received.append(.completion(completion))
            }
        }
    }
}
