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
