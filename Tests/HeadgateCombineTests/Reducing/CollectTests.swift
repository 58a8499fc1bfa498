import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class CollectTests: XCTestCase {
    func test_publishesOneArrayOfAllValues() {
        XCTAssertEqual(outcome(of: Values(1...3).collect()).values, [[1, 2, 3]])
    }

    func test_publishesAnEmptyArrayOfNoValues() {
        let subscriber = outcome(of: Values([Int]()).collect())
        XCTAssertEqual(subscriber.values, [[]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_collectsASequence() {
        for count in [0, 1, 1000] {
            XCTAssertEqual(outcome(of: (0..<count).publisher.collect()).values, [Array(0..<count)])
        }
        XCTAssertEqual(outcome(of: (0..<9).lazy.filter { $0 > 6 }.publisher.collect()).values, [[7, 8]])
    }

    func test_collectsASequenceOnlyWhenItIsRequested() {
        let subscriber = TestSubscriber<[Int], Never>.checked()
        (0..<3).publisher.collect().subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [])
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [[0, 1, 2]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_deliversNothingIfItIsCancelledWhileASequenceIsRead() {
        let subscriber = TestSubscriber<[Int], Never>.checked()
        let numbers = (0..<3).lazy.map { number -> Int in
            if number == 1 { subscriber.cancel() }
            return number
        }
        numbers.publisher.collect().subscribe(subscriber)
        subscriber.request(.unlimited)
        XCTAssertEqual(subscriber.values, [])
        XCTAssertFalse(subscriber.hasFinished)
    }

    func test_keepsTheRulesOfFolds() {
        checkFold(name: "Collect") { $0.collect() }
    }

    func test_releasesTheValuesWhenCancelled() {
        let before = Tracked.count
        let upstream = TestPublisher<Tracked, TestFailure>()
        do {
            let subscriber = TestSubscriber<[Tracked], TestFailure>.checked()
            upstream.collect().subscribe(subscriber)
            upstream.send(Tracked())
            XCTAssertEqual(Tracked.count, before + 1)
            subscriber.cancel()
        }
        XCTAssertEqual(Tracked.count, before)
    }
}
