import HeadgateEngine
import Synchronization
import TestSupport
import XCTest

final class DrainBacklogConcurrencyTests: XCTestCase {
    private final class Shared {
        let drain = Drain()
        let senders = Atomic(3)
        let least = Atomic<Int32>(0)

        func look() { least.min(drain.backlog.load(ordering: .relaxed), ordering: .relaxed) }
    }

    /// A waiting sender computes how long it may wait from the number of enqueued cells.
    func test_theNumberOfEnqueuedCellsIsNeverNegative() {
        let shared = Shared()
        onThreads(4) { thread in
            if thread == 0 {
                while shared.senders.load(ordering: .relaxed) > 0 {
                    if shared.drain.enter() { shared.drain.leave() }
                    shared.look()
                }
            } else {
                for _ in 0..<600_000 {
                    shared.drain.postpone { shared.look() }
                    shared.look()
                }
                shared.senders.subtract(1, ordering: .relaxed)
            }
        }
        XCTAssertEqual(shared.least.load(ordering: .relaxed), 0)
        XCTAssertEqual(shared.drain.backlog.load(ordering: .relaxed), 0)
    }
}
