import HeadgateCombine
import TestSupport
import XCTest

final class OptionalTests: XCTestCase {
    func test_publishesTheValueOnDemandAndFinishesBehindIt() {
        let recorder = Recorder<Int, Never>()
        Optional(7).publisher.subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Optional")])
        recorder.request(1)
        XCTAssertEqual(recorder.events, [.subscription("Optional"), .value(7), .completion(.finished)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_finishesAtOnceWithoutAValue() {
        let recorder = Recorder<Int, Never>()
        Int("seven").publisher.subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Empty"), .completion(.finished)])
    }

    func test_letsGoOfValueAndSubscriberHoweverItEnds() {
        assertLetsGo { Optional($0).publisher }
    }

    func test_isEqualWhereTheOptionalIs() {
        XCTAssertEqual(Optional(1).publisher, Optional.Publisher(1))
        XCTAssertNotEqual(Optional(1).publisher, Optional.Publisher(nil))
        XCTAssertEqual(Optional<Int>.Publisher(1).output, 1)
    }

    func test_canBeExtended() {
        XCTAssertTrue(Optional(1).publisher.isMarked)
    }
}

private protocol Marked {}

extension Marked {
    var isMarked: Bool { true }
}

extension Optional.Publisher: Marked {}
