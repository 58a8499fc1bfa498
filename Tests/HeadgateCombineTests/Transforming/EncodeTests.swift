import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class EncodeTests: XCTestCase {
    /// Writes a value as its description; can't write 2.
    private struct Describer: TopLevelEncoder {
        func encode<T: Encodable>(_ value: T) throws -> String {
            if value as? Int == 2 { throw TestFailure.second }
            return "\(value)"
        }
    }

    func test_publishesWhatTheEncoderMakes() {
        XCTAssertEqual(outcome(of: Values([1, 3]).encode(encoder: Describer())).values, ["1", "3"])
    }

    func test_failsWithWhatTheEncoderThrows() {
        checkThrowing(name: "Encode") { upstream, _ in upstream.encode(encoder: Describer()) }
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.map { $0 * 10 }.encode(encoder: Describer()) }
    }
}
