import HeadgateCore
import TestSupport
import XCTest

final class CombineIdentifierTests: XCTestCase {
    private final class Thing: CustomCombineIdentifierConvertible {}

    func test_isLikeNoOther() {
        let things = (0..<100).map { _ in Thing() }
        let identifiers = (0..<100).map { _ in CombineIdentifier() } + things.map { CombineIdentifier($0) }
        XCTAssertEqual(Set(identifiers).count, 200)
    }

    func test_isLikeNoOtherWhateverTheThread() {
        // Each thread writes to a place of its own.
        let places = UnsafeMutableBufferPointer<[CombineIdentifier]>.allocate(capacity: 8)
        places.initialize(repeating: [])
        onThreads(8) { index in
            places[index] = (0..<500).map { _ in CombineIdentifier() }
        }
        XCTAssertEqual(Set(places.joined()).count, 4000)
        places.deinitialize()
        places.deallocate()
    }

    func test_isTheSameForTheSameObject() {
        let thing = Thing()
        XCTAssertEqual(CombineIdentifier(thing), CombineIdentifier(thing))
        XCTAssertEqual(thing.combineIdentifier, CombineIdentifier(thing))
        XCTAssertEqual(thing.combineIdentifier.hashValue, CombineIdentifier(thing).hashValue)
    }

    func test_isDescribedInHexadecimal() {
        let text = CombineIdentifier().description
        XCTAssertTrue(text.hasPrefix("0x"))
        XCTAssertNotNil(UInt(text.dropFirst(2), radix: 16))
    }
}
