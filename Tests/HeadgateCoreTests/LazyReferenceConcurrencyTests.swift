import TestSupport
import XCTest

import HeadgateCore

final class LazyReferenceConcurrencyTests: XCTestCase {
    private final class Holder: Sendable {
        let lazy = LazyReference<Tracked>()
        let seen = Guarded<Set<ObjectIdentifier>>([])
    }

    func test_allThreadsSeeOneObjectAndOthersAreReleased() {
        let before = Tracked.count
        for _ in 0..<500 {
            let holder = Holder()
            XCTAssertNil(holder.lazy.existing)
            onThreads(4) { _ in
                let object = holder.lazy.value { Tracked() }
                holder.seen.withLock { _ = $0.insert(ObjectIdentifier(object)) }
            }
            XCTAssertEqual(holder.seen.withLock { $0.count }, 1)
            XCTAssertEqual(holder.seen.withLock { $0.first }, holder.lazy.existing.map { ObjectIdentifier($0) })
            XCTAssertEqual(Tracked.count, before + 1)
        }
        XCTAssertEqual(Tracked.count, before)
    }
}
