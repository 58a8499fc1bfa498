import HeadgateCombine
import TestSupport
import XCTest

final class SequenceTests: XCTestCase {
    func test_publishesTheElementsAndFinishesBehindTheLast() {
        let recorder = Recorder<Int, Never>(demand: .max(3))
        [1, 2, 3].publisher.subscribe(recorder)
        XCTAssertEqual(
            recorder.events,
            [.subscription("[1, 2, 3]"), .value(1), .value(2), .value(3), .completion(.finished)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_publishesOneByOne() {
        let recorder = Recorder<Int, Never>()
        (1...3).publisher.subscribe(recorder)
        for count in 0..<3 {
            XCTAssertEqual(recorder.values.count, count)
            recorder.request(1)
        }
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_finishesAtOnceWithoutElements() {
        let recorder = Recorder<Int, Never>()
        [Int]().publisher.subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Empty"), .completion(.finished)])
    }

    func test_readsAnEndlessSequenceOnlyAsFarAsIsAsked() {
        let recorder = Recorder<Int, Never>(demand: .max(5))
        (1...).publisher.subscribe(recorder)
        XCTAssertEqual(recorder.values, [1, 2, 3, 4, 5])
        XCTAssertNil(recorder.completion)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_givesEachSubscriberItsOwnIteration() {
        let publisher = (1...3).publisher
        let first = Recorder<Int, Never>(demand: .max(1))
        let second = Recorder<Int, Never>(demand: .unlimited)
        publisher.subscribe(first)
        publisher.subscribe(second)
        XCTAssertEqual(first.values, [1])
        XCTAssertEqual(second.values, [1, 2, 3])
    }

    func test_letsGoOfElementsAndSubscriberHoweverItEnds() {
        // The subscription is named after the sequence, and so keeps that for as long as it is kept itself.
        assertLetsGo(keepsSubscription: false) { [$0, $0].publisher }
    }

    func test_isEqualWhereTheSequenceIs() {
        XCTAssertEqual([1, 2].publisher, Publishers.Sequence(sequence: [1, 2]))
        XCTAssertNotEqual([1, 2].publisher, [2, 1].publisher)
    }
}
