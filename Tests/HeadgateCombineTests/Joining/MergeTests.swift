import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class MergeTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    func test_publishesValuesAsTheyCome() {
        let a = Hand()
        let b = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        a.merge(with: b.map { $0 }).subscribe(subscriber)
        XCTAssertEqual([a.calls, b.calls], [[.request(.unlimited)], [.request(.unlimited)]])
        a.send(1)
        b.send(2)
        a.finish()
        b.send(3)
        b.finish()
        XCTAssertEqual(
            subscriber.events,
            [.subscription("Merge"), .request(.unlimited), .value(1), .value(2), .value(3), .completion(.finished)])
    }

    func test_oneValueOfEachWaitsForDemandAndTheyTakeTurns() {
        let a = Hand()
        let b = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        a.merge(with: b).subscribe(subscriber)
        XCTAssertEqual([a.requested, b.requested], [.none, .none])
        subscriber.request(1)
        XCTAssertEqual([a.requested, b.requested], [.max(1), .max(1)])
        a.send(1)
        b.send(2)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual([a.requested, b.requested], [.max(1), .max(1)], "nothing is requested without demand")
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual([a.requested, b.requested], [.max(1), .max(1)])
        subscriber.request(2)
        XCTAssertEqual([a.requested, b.requested], [.max(2), .max(2)])
        a.send(3)
        b.send(4)
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4])
    }

    /// What the subscriber answers to a value that has waited is demand for one value: of those that are about to be
    /// requested from, the second isn't if the first uses it up.
    func test_demandThatAWaitingValueBringsIsRequestedOnce() {
        let hand = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        hand.merge(with: [2, 3].publisher.setFailureType(to: TestFailure.self)).filter { $0 != 1 }
            .subscribe(subscriber)
        hand.send(1)
        XCTAssertEqual(subscriber.values, [2])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [2, 3])
        XCTAssertEqual(hand.requested, .max(1))
    }

    /// And none is if another waiting value uses it up.
    func test_demandThatAWaitingValueBringsIsForTheNextThatWaits() {
        let hands = [Hand(), Hand()]
        var requests: [Subscribers.Demand] = []
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        hands[0].merge(
            with: hands[1],
            [2, 3].publisher.setFailureType(to: TestFailure.self)
                .handleEvents(receiveRequest: { requests.append($0) })
        ).filter { $0 != 1 }.subscribe(subscriber)
        hands[0].send(1)
        hands[1].send(4)
        XCTAssertEqual(subscriber.values, [2])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [2, 4])
        XCTAssertEqual(requests, [.max(1)])
        XCTAssertEqual(hands.map(\.requested), [.max(1), .max(1)])
    }

    func test_aFailureCancelsTheOthersAtOnce() {
        let hands = (0..<5).map { _ in Hand() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        Publishers.MergeMany(hands).subscribe(subscriber)
        hands[0].send(1)
        hands[2].send(completion: .failure(.second))
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(subscriber.values, [])
        XCTAssertEqual(hands.map(\.cancelCount), [1, 1, 0, 1, 1])
    }

    func test_aPublisherThatFailsAtOnceOvertakesTheValuesOfTheOthers() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        [1, 2].publisher.setFailureType(to: TestFailure.self).merge(with: Fail(error: .first)).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_mergesUpToEight() {
        func just(_ value: Int) -> AnyPublisher<Int, Never> { [value].publisher.eraseToAnyPublisher() }
        let s = [0].publisher
        let publishers: [AnyPublisher<Int, Never>] = [
            s.merge(with: just(1)).eraseToAnyPublisher(),
            s.merge(with: just(1), just(2)).eraseToAnyPublisher(),
            s.merge(with: just(1), just(2), just(3)).eraseToAnyPublisher(),
            s.merge(with: just(1), just(2), just(3), just(4)).eraseToAnyPublisher(),
            s.merge(with: just(1), just(2), just(3), just(4), just(5)).eraseToAnyPublisher(),
            s.merge(with: just(1), just(2), just(3), just(4), just(5), just(6)).eraseToAnyPublisher(),
            s.merge(with: just(1), just(2), just(3), just(4), just(5), just(6), just(7)).eraseToAnyPublisher(),
        ]
        for (index, publisher) in publishers.enumerated() {
            for demand in [Subscribers.Demand.unlimited, .max(1)] {
                let subscriber = TestSubscriber<Int, Never>.checked(requesting: demand) { _, _ in .max(1) }
                publisher.subscribe(subscriber)
                XCTAssertEqual(subscriber.values, Array(0...index + 1))
                XCTAssertTrue(subscriber.hasFinished)
            }
        }
    }

    func test_widensOneByOneAndAllAtOnce() {
        let j = { (value: Int) in [value].publisher.map { $0 } }
        typealias J = Publishers.Map<Publishers.Sequence<[Int], Never>, Int>
        let s = [0].publisher
        let two = s.merge(with: j(1))
        let three: Publishers.Merge3<Publishers.Sequence<[Int], Never>, J, J> = two.merge(with: j(2))
        let four = three.merge(with: j(3))
        let five = four.merge(with: j(4))
        let six = five.merge(with: j(5))
        let seven = six.merge(with: j(6))
        let eight: Publishers.Merge8<Publishers.Sequence<[Int], Never>, J, J, J, J, J, J, J> = seven.merge(with: j(7))
        let atOnce: Publishers.Merge8<Publishers.Sequence<[Int], Never>, J, J, J, J, J, J, J> =
            two.merge(with: j(2), j(3), j(4), j(5), j(6), j(7))
        for publisher in [eight, atOnce, six.merge(with: j(6), j(7)), four.merge(with: j(4), j(5), j(6), j(7))] {
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            publisher.subscribe(subscriber)
            XCTAssertEqual(subscriber.values, Array(0..<8))
        }
    }

    func test_mergesPublishersOfOneType() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        let two: Publishers.MergeMany<Publishers.Sequence<[Int], Never>> = [1].publisher.merge(with: [2].publisher)
        two.merge(with: [3].publisher).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_mergeOfNothingFinishesAtOnce() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        Publishers.MergeMany<Publishers.Sequence<[Int], Never>>().subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Merge"), .completion(.finished)])
    }

    func test_losesNothingFromFourThreads() {
        let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        Publishers.MergeMany(subjects).subscribe(subscriber)
        onThreads(4) { index in
            for value in 0..<2_000 { subjects[index].send(value) }
            subjects[index].send(completion: .finished)
        }
        XCTAssertEqual(subscriber.values.count, 8_000)
        XCTAssertEqual(subscriber.values.sorted(), (0..<2_000).flatMap { [$0, $0, $0, $0] })
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_reentrantSendsKeepOneOrderAndAreFlat() {
        let a = PassthroughSubject<Int, Never>()
        let b = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { _, value in
            if value < 20_000 { (value.isMultiple(of: 2) ? a : b).send(value + 1) }
            return .none
        }
        a.merge(with: b).subscribe(subscriber)
        a.send(0)
        XCTAssertEqual(subscriber.values, Array(0...20_000))
    }
}
