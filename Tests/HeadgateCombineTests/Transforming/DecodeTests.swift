import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class DecodeTests: XCTestCase {
    /// Reads a number as one of the requested type; can't read 2.
    private struct Reader: TopLevelDecoder {
        func decode<T: Decodable>(_ type: T.Type, from number: Int) throws -> T {
            guard number != 2, let value = "\(number)" as? T else { throw TestFailure.second }
            return value
        }
    }

    func test_publishesWhatTheDecoderMakes() {
        let texts: Publishers.Decode<Values<[Int]>, String, Reader> =
            Values([1, 3]).decode(type: String.self, decoder: Reader())
        XCTAssertEqual(outcome(of: texts).values, ["1", "3"])
    }

    func test_failsWithWhatTheDecoderThrows() {
        checkThrowing(name: "Decode") { upstream, _ in upstream.decode(type: String.self, decoder: Reader()) }
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.map { $0 * 10 }.decode(type: String.self, decoder: Reader()) }
    }
}
