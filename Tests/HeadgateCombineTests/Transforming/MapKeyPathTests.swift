import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class MapKeyPathTests: XCTestCase {
    func test_publishesOneProperty() {
        let counts: Publishers.MapKeyPath<Values<[String]>, Int> = Values(["a", "bc"]).map(
            \.count)
        XCTAssertEqual(outcome(of: counts).values, [1, 2])
    }

    func test_publishesTwoProperties() {
        let values = outcome(of: Values(["a", ""]).map(\.count, \.isEmpty)).values
        XCTAssertEqual(values.map(\.0), [1, 0])
        XCTAssertEqual(values.map(\.1), [false, true])
    }

    func test_publishesThreeProperties() {
        let values = outcome(of: Values(["a", ""]).map(\.count, \.isEmpty, \.first)).values
        XCTAssertEqual(values.map(\.0), [1, 0])
        XCTAssertEqual(values.map(\.1), [false, true])
        XCTAssertEqual(values.map(\.2), ["a", nil])
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.map(\.self) }
    }

    func test_isTransparentInALog() {
        XCTAssertEqual(shownName { $0.map(\.self) }, "TestPublisher")
        XCTAssertEqual(shownName { $0.map(\.self, \.self) }, "TestPublisher")
        XCTAssertEqual(shownName { $0.map(\.self, \.self, \.self) }, "TestPublisher")
    }
}
