import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ZipTests: XCTestCase {
    func test_pairsValuesInOrder() {
        let subscriber = TestSubscriber<String, Never>.checked(.unlimited)
        [1, 2, 3].publisher.zip("ab".publisher) { "\($0)\($1)" }.subscribe(subscriber)
        XCTAssertEqual(
            subscriber.events,
            [.subscription("Zip"), .request(.unlimited), .value("1a"), .value("2b"), .completion(.finished)])
    }

    func test_finishesWithAnEndlessSideOnEitherSide() {
        let endless = sequence(first: 2) { $0 }.publisher
        for publisher in [
            [1, 2, 3, 4].publisher.zip(endless).map { $0.0 * $0.1 }.eraseToAnyPublisher(),
            endless.zip([1, 2, 3, 4].publisher) { $0 * $1 }.eraseToAnyPublisher(),
        ] {
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            publisher.subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [2, 4, 6, 8])
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_servesDemandOneByOne() {
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOne)
        (1...100).publisher.zip((1...100).publisher) { $0 + $1 }.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, (1...100).map { $0 * 2 })
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aValueAfterTheEndCompletesNoRow() {
        let first = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        let second = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        first.zip(second) { $0 * 10 + $1 }.subscribe(subscriber)
        first.send(1)
        first.finish()
        first.force(2)
        second.send(1)
        XCTAssertEqual(subscriber.values, [11])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_isFlatWhenDemandComesFromInsideDeliveries() {
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOneReentrantly)
        let count = Scale.reduced(100_000)
        (0..<count).publisher.zip((0..<count).publisher) { $0 - $1 }.subscribe(subscriber)
        XCTAssertEqual(subscriber.values.count, count)
    }

    func test_forwardsDemandToBothSides() {
        let a = TestPublisher<Int, Never>()
        let b = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(2))
        a.zip(b) { $0 + $1 }.subscribe(subscriber)
        subscriber.request(3)
        XCTAssertEqual(a.calls, [.request(.max(2)), .request(.max(3))])
        XCTAssertEqual(b.calls, [.request(.max(2)), .request(.max(3))])
    }

    func test_doesNotCancelTheSideThatHasEnded() {
        let a = TestPublisher<Int, TestFailure>()
        let b = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        a.zip(b) { $0 + $1 }.subscribe(subscriber)
        a.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(a.cancelCount, 0)
        XCTAssertEqual(b.cancelCount, 1)
    }

    func test_releasesEverythingAtTheEndAndAtCancel() {
        let before = Tracked.count
        for end in 0..<3 {
            let a = TestPublisher<Tracked, TestFailure>()
            let b = TestPublisher<Tracked, TestFailure>()
            var subscriber: TestSubscriber<Int, TestFailure>? = TestSubscriber.checked(.unlimited)
            weak let weakSubscriber = subscriber
            let tracked = Tracked()
            subscriber.map { a.zip(b) { [tracked] _, _ in tracked === tracked ? 1 : 0 }.subscribe($0) }
            a.send(Tracked())
            switch end {
            case 0: b.finish()
            case 1: b.send(completion: .failure(.first))
            default: subscriber?.cancel()
            }
            subscriber = nil
            XCTAssertNil(weakSubscriber)
            XCTAssertFalse(a.isConnected)
        }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_zipsThreeAndFour() {
        let triples = TestSubscriber<[Int], Never>.checked(.oneByOne)
        [1, 2].publisher.zip([3, 4, 5].publisher, [6, 7].publisher) { [$0, $1, $2] }.subscribe(triples)
        XCTAssertEqual(triples.values, [[1, 3, 6], [2, 4, 7]])
        XCTAssertTrue(triples.hasFinished)

        let quadruples = TestSubscriber<[Int], Never>.checked(.unlimited)
        [1, 2].publisher.zip([3, 4].publisher, [5, 6].publisher, [7, 8, 9].publisher) { [$0, $1, $2, $3] }
            .subscribe(quadruples)
        XCTAssertEqual(quadruples.values, [[1, 3, 5, 7], [2, 4, 6, 8]])
        XCTAssertTrue(quadruples.hasFinished)
    }

    func test_aFailureAmongFourCancelsTheOtherThree() {
        let sides = (0..<4).map { _ in TestPublisher<Int, TestFailure>() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        sides[0].zip(sides[1], sides[2], sides[3]) { $0 + $1 + $2 + $3 }.subscribe(subscriber)
        sides[2].send(completion: .failure(.second))
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(sides.map(\.cancelCount), [1, 1, 0, 1])
    }

    func test_pairsOfTwoDelayedSidesArriveThoughTheSidesHaveEndedAndNothingArrivesAfterCancel() {
        let before = Tracked.count
        let scheduler = TestScheduler()
        func delayedPairs() -> some Publisher<Tracked, Never> {
            (1...3).publisher.delay(for: 1, scheduler: scheduler)
                .zip((1...2).publisher.delay(for: 2, scheduler: scheduler)) { _, _ in Tracked() }
        }
        var pairs = 0
        var endings = 0
        let served = delayedPairs().sink(receiveCompletion: { _ in endings += 1 }, receiveValue: { _ in pairs += 1 })
        scheduler.runUntilIdle()
        XCTAssertEqual([pairs, endings], [2, 1])
        let cancelled = delayedPairs().sink(receiveCompletion: { _ in endings += 1 }, receiveValue: { _ in pairs += 1 })
        scheduler.advance(by: 1)
        cancelled.cancel()
        scheduler.runUntilIdle()
        XCTAssertEqual([pairs, endings], [2, 1])
        XCTAssertEqual(Tracked.count, before)
        served.cancel()
    }
}
