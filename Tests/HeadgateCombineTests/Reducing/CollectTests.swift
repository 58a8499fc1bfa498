import HeadgateCombine
import TestSupport
import XCTest

final class CollectTests: XCTestCase {
    func test_publishesOneArrayOfAllValues() {
        XCTAssertEqual(outcome(of: Values(1...3).collect()).values, [[1, 2, 3]])
    }

    func test_publishesAnEmptyArrayOfNoValues() {
        let recorder = outcome(of: Values([Int]()).collect())
        XCTAssertEqual(recorder.values, [[]])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_keepsTheRulesOfFolds() {
        checkFold(name: "Collect") { $0.collect() }
    }

    func test_letsGoOfTheValuesWhenCancelled() {
        let before = Tracked.count
        let upstream = HandPublisher<Tracked, TestFailure>()
        do {
            let recorder = Recorder<[Tracked], TestFailure>()
            upstream.collect().subscribe(recorder)
            upstream.send(Tracked())
            XCTAssertEqual(Tracked.count, before + 1)
            recorder.cancel()
        }
        XCTAssertEqual(Tracked.count, before)
    }
}
