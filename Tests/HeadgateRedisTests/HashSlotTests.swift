import HeadgateCore
import HeadgateSystem
import XCTest

@testable import HeadgateRedis

final class HashSlotTests: XCTestCase {
    func test_aKeyThatBeginsWithAnotherIsInItsSlot() {
        for key: Bytes in ["orders", "{orders}.eu", "a}b", "a{}b", "}", "{}", "{a", "a}{b}", ""] {
            let pieces = key.inItsSlot + [":headgate-look:", "{group}"]
            let other = Bytes(joining: pieces, count: pieces.reduce(0) { $0 + $1.count })
            XCTAssertEqual(HashSlot(of: other), HashSlot(of: key), "\(key)")
        }
    }
}
