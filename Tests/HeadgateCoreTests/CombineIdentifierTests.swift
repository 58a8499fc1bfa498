import Dispatch
import HeadgateCore
import Synchronization
import XCTest

final class CombineIdentifierTests: XCTestCase {
    private final class Thing: CustomCombineIdentifierConvertible {}

    func test_isLikeNoOther() {
        let things = (0..<100).map { _ in Thing() }
        let identifiers = (0..<100).map { _ in CombineIdentifier() } + things.map { CombineIdentifier($0) }
        XCTAssertEqual(Set(identifiers).count, 200)
    }

    func test_isLikeNoOtherWhateverTheThread() {
        let identifiers = Mutex<Set<CombineIdentifier>>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let made = (0..<500).map { _ in CombineIdentifier() }
            identifiers.withLock { $0.formUnion(made) }
        }
        XCTAssertEqual(identifiers.withLock { $0.count }, 4000)
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
