import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ReplaceNilTests: XCTestCase {
    func test_publishesAValueInThePlaceOfNil() {
        let replaced: Publishers.Map<Values<[Int?]>, Int> =
            Values([1, nil, 3]).replaceNil(with: 0)
        XCTAssertEqual(outcome(of: replaced).values, [1, 0, 3])
    }
}
