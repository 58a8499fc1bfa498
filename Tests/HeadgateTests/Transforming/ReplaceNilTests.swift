import Headgate
import TestSupport
import XCTest

final class ReplaceNilTests: XCTestCase {
    func test_publishesAValueInThePlaceOfNil() {
        let replaced: Publishers.Map<Publishers.Sequence<[Int?], Never>, Int> =
            [1, nil, 3].publisher.replaceNil(with: 0)
        XCTAssertEqual(outcome(of: replaced).values, [1, 0, 3])
    }
}
