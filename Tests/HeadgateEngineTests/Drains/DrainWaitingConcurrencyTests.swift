import Glibc
import HeadgateEngine
import Synchronization
import TestSupport
import XCTest

final class DrainWaitingConcurrencyTests: XCTestCase {
    private final class Shared {
        let drain = Drain()
        let performed = Atomic(0)
    }

    /// A sender that looked for its turn every fifty microseconds was awake a hundred times per send.
    func test_aSenderToASlowSinkSleepsUntilItsTurn() {
        let shared = Shared()
        let waits = Atomic(0)
        onThreads(4) { _ in
            for _ in 0..<15 {
                shared.drain.run {
                    usleep(5000)
                    shared.performed.add(1, ordering: .relaxed)
                }
            }
            waits.add(Self.waitsOfThisThread, ordering: .relaxed)
        }
        XCTAssertEqual(shared.performed.load(ordering: .relaxed), 60)
        // One is the sink's.
        XCTAssertLessThan(waits.load(ordering: .relaxed), 60 * 6)
    }

    /// Without wake-ups, each round would take a tenth of a second.
    func test_everySenderThatSleepsIsWokenByTheOwnerThatLeaves() {
        let shared = Shared()
        let begun = ContinuousClock.now
        for _ in 0..<20 {
            shared.performed.store(0, ordering: .relaxed)
            onThreads(4) { thread in
                if thread == 0 {
                    XCTAssertTrue(shared.drain.enter())
                    for _ in 0..<99 { shared.drain.postpone {} }
                    shared.performed.store(1, ordering: .relaxed)
                    while shared.drain.state.load(ordering: .relaxed) & Drain.parked == 0 { usleep(100) }
                    usleep(1000)
                    shared.drain.leave()
                } else {
                    while shared.performed.load(ordering: .relaxed) == 0 { usleep(100) }
                    if shared.drain.waitForTurn() { shared.drain.leave() }
                }
            }
        }
        XCTAssertLessThan(ContinuousClock.now - begun, .seconds(1))
    }

    /// How often the calling thread has given up its processor to wait.
    private static var waitsOfThisThread: Int {
        var usage = rusage()
        // `RUSAGE_THREAD`, which Swift doesn't import.
        getrusage(__rusage_who_t(1), &usage)
        return usage.ru_nvcsw
    }
}
