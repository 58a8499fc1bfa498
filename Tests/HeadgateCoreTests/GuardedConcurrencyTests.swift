import TestSupport
import XCTest

import HeadgateCore

/// What is under the lock is used by one thread at a time, and ThreadSanitizer can see that it is.
final class GuardedConcurrencyTests: XCTestCase {
    private final class Shared {
        let guarded = Guarded(Plain())
    }

    /// Not atomic, so that two threads at a time would lose count.
    private final class Plain {
        var count = 0
    }

    func test_whatThreadsChangeUnderTheLockIsNotLost() {
        let shared = Shared()
        onThreads(2) { _ in
            for _ in 0..<10_000 { shared.guarded.withLock { $0.count += 1 } }
        }
        XCTAssertEqual(shared.guarded.withLock { $0.count }, 20_000)
    }
}
