import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

final class SortedConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        Pairing(
            connect: { SortedConduit.connect($0, by: { Model.key($0) < Model.key($1) }, to: $1) },
            makeModel: { Model() }
        )
        .explore(upTo: 5)
    }

    func test_sortsAnyNumberOfPublishersAsSortingAllTheirValuesDoes() {
        var generator = SeededGenerator(seed: 1)
        for count in 1...40 {
            let lists = (0..<count).map { list in
                (0..<Int.random(in: 0...12, using: &generator)).map { _ in Int.random(in: 0..<15, using: &generator) }
                    .sorted().enumerated().map { Item(key: $1, list: list, place: $0) }
            }
            // Equal values stay in the order of the lists.
            let expected = lists.joined().sorted { ($0.key, $0.list, $0.place) < ($1.key, $1.list, $1.place) }
            for script in [DemandScript.unlimited, .oneByOne, .oneByOneReentrantly] {
                let subscriber = TestSubscriber<Item, Never>.checked(script)
                SortedConduit.connect(lists.map(\.publisher), by: { $0.key < $1.key }, to: subscriber)
                XCTAssertEqual(subscriber.values, expected, "\(count) lists, \(script)")
                XCTAssertTrue(subscriber.hasFinished)
            }
        }
    }

    func test_comparesALogarithmicNumberOfTimesPerValue() {
        for count in [16, 256, 4_096] {
            var comparisons = 0
            let lists = (0..<count).map { list in (0..<4).map { $0 * count + (list * 7_919) % count }.publisher }
            let subscriber = CountingSubscriber<Int, Never>()
            SortedConduit.connect(
                lists,
                by: {
                    comparisons += 1
                    return $0 < $1
                }, to: subscriber)
            XCTAssertEqual(subscriber.count, 4 * count)
            let depth = count.bitWidth - count.leadingZeroBitCount
            XCTAssertLessThanOrEqual(comparisons, 4 * count * 3 * depth, "\(count) publishers")
        }
    }

    func test_requestsFromNoOtherOnceOneHasFailedAtItsRequest() {
        let failing = TestPublisher<Int, TestFailure> { publisher, _ in publisher.fail(.first) }
        let other = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        SortedConduit.connect([failing, other], by: <, to: subscriber)
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(other.calls, [.cancel])
    }

    func test_requestsNothingOnceTheDemandIsUsedUp() {
        let first = TestPublisher<Int, TestFailure> { publisher, _ in publisher.send(1) }
        let second = TestPublisher<Int, TestFailure> { publisher, _ in
            publisher.send(2)
            first.finish()
        }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        SortedConduit.connect([first, second], by: <, to: subscriber)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual([first, second].map(\.requested), [.max(1), .max(1)])
    }

    func test_whatAnswersAtOnceTakesTurnsWithWhatDoesNot() {
        for script in [DemandScript.unlimited, .oneByOne, .oneByOneReentrantly] {
            let hand = TestPublisher<Int, TestFailure>()
            let quick = [1, 2, 4, 7].publisher.setFailureType(to: TestFailure.self).eraseToAnyPublisher()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(script)
            SortedConduit.connect([quick, hand.eraseToAnyPublisher()], by: <, to: subscriber)
            XCTAssertEqual(hand.requested, .max(1))
            hand.send(3)
            XCTAssertEqual(subscriber.values, [1, 2, 3], "\(script)")
            XCTAssertEqual(hand.requested, .max(2))
            hand.send(5)
            XCTAssertEqual(subscriber.values, [1, 2, 3, 4, 5], "\(script)")
            hand.finish()
            XCTAssertEqual(subscriber.values, [1, 2, 3, 4, 5, 7], "\(script)")
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_aValueComesBeforeTheFailureThatFollowsIt() {
        let failing = FailingSequence(values: [1, 2])
        for (others, expected) in [([0, 5, 6], [0, 1, 2]), ([3, 5, 6], [1, 2]), ([0, 1, 1], [0, 1, 1])] {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            let others = others.publisher.setFailureType(to: TestFailure.self).eraseToAnyPublisher()
            SortedConduit.connect([failing.eraseToAnyPublisher(), others], by: <, to: subscriber)
            XCTAssertEqual(subscriber.values, expected)
            XCTAssertEqual(subscriber.failure, .first)
        }
    }

    func test_aFailureIsHandledThoughThereIsNoDemandForTheValueBeforeIt() {
        let failing = FailingSequence(values: [1, 2])
        let others = [0, 5].publisher.setFailureType(to: TestFailure.self)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        SortedConduit.connect([failing.eraseToAnyPublisher(), others.eraseToAnyPublisher()], by: <, to: subscriber)
        XCTAssertEqual(subscriber.values, [0, 1])
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [0, 1, 2])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_canBeCancelledByAnUpstreamThatItPulls() {
        let subscriber = TestSubscriber<Int, Never>.checked(.none)
        let quick = (0..<10).publisher.map { number in
            if number == 5 { subscriber.cancel() }
            return number
        }
        SortedConduit.connect(
            [quick.eraseToAnyPublisher(), [100].publisher.eraseToAnyPublisher()], by: <, to: subscriber)
        subscriber.request(.unlimited)
        XCTAssertEqual(subscriber.values, [0, 1, 2, 3, 4])
        XCTAssertNil(subscriber.completion)
    }

    func test_whoWaitsIsLetInWhileItPulls() {
        let hand = TestPublisher<Int, TestFailure>()
        let endless = repeatElement(0, count: 100_000).publisher.setFailureType(to: TestFailure.self)
        var count = 0
        let sink = SortedPublisher(publishers: [endless.eraseToAnyPublisher(), hand.eraseToAnyPublisher()])
            .sink(receiveCompletion: { _ in }) { _ in
                count += 1
                if count == 1000 { onThreads(1) { _ in hand.fail(.first) } }
            }
        hand.send(1)
        XCTAssertEqual(count, 1000)
        sink.cancel()
    }

    /// The values of an array, and a failure.
    private struct FailingSequence: Publisher {
        typealias Output = Int

        typealias Failure = TestFailure

        let values: [Int]

        func receive(subscriber: some Subscriber<Int, TestFailure>) {
            values.connect(to: subscriber, completion: .failure(.first), label: "Failing" as StaticString)
        }
    }

    private struct SortedPublisher: Publisher {
        typealias Output = Int

        typealias Failure = TestFailure

        let publishers: [AnyPublisher<Int, TestFailure>]

        func receive(subscriber: some Subscriber<Int, TestFailure>) {
            SortedConduit.connect(publishers, by: <, to: subscriber)
        }
    }

    private struct Item: Equatable {
        let key: Int
        let list: Int
        let place: Int
    }

    /// What merging two sorted publishers is, written down without regard to speed.
    private final class Model: DrainModel {
        private var heads: [Int?] = [nil, nil]
        private var isRequested = [false, false]

        init() { super.init(countsDemandAtOnce: true) }

        /// What the values of the stage are sorted by: 1 and 2 of either publisher before 3 and 4.
        static func key(_ value: Int) -> Int { (value % 10 - 1) / 2 }

        override func take(_ value: Int, from side: Int) -> Subscribers.Demand {
            if heads[side] != nil { return .none }
            isRequested[side] = false
            heads[side] = value
            serve(.none)
            return .none
        }

        override func finished(_ side: Int) { serve(.none) }

        private func isLacking(_ side: Int) -> Bool { heads[side] == nil && !hasEnded[side] }

        override func nextRequest() -> (side: Int, demand: Subscribers.Demand)? {
            guard demand > .none, !isClosed, let side = (0...1).first(where: { isLacking($0) && !isRequested[$0] })
            else { return nil }
            isRequested[side] = true
            return (side, .max(1))
        }

        override func serve(_ more: Subscribers.Demand) {
            while !looksOver {
                if (0...1).contains(where: isLacking) { return }
                let sides = (0...1).filter { heads[$0] != nil }
                guard let next = sides.min(by: { Model.key(heads[$0]!) < Model.key(heads[$1]!) }) else {
                    return finish(.finished)
                }
                guard let value = heads[next], demand > .none else { return }
                heads[next] = nil
                _ = deliver(value)
            }
        }
    }
}
