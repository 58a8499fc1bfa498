import Glibc
import HeadgateEngine
import Synchronization
import TestSupport
import XCTest

final class DrainWaitingConcurrencyTests: XCTestCase {
    private final class Shared {
        let drain = Drain()
        let word = Atomic<UInt>(0)
        let isOver = Atomic(false)
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

    func test_anOwnerThatLeavesWakesAParkedCaller() {
        let shared = Shared()
        nonisolated(unsafe) var woken = 0
        for _ in 0..<20 {
            XCTAssertTrue(shared.drain.enter())
            onThreads(2) { thread in
                if thread == 0 {
                    if shared.drain.park(nanoseconds: 100_000_000) { woken += 1 }
                } else {
                    while shared.drain.state.load(ordering: .relaxed) & Drain.parked == 0 { usleep(100) }
                    usleep(2000)
                    shared.drain.leave()
                }
            }
        }
        // Where it was about to sleep, it finds the state changed.
        XCTAssertGreaterThan(woken, 0)
    }

    func test_callersParkOnlyWhereThereIsAnOwner() {
        let drain = Drain()
        XCTAssertFalse(drain.park(nanoseconds: .max))
        XCTAssertTrue(drain.tend { XCTAssertFalse(drain.park(nanoseconds: .max)) })
        XCTAssertTrue(drain.enter())
        drain.leave()
    }

    func test_aThreadParksOnlyWhileTheWordIsWhatItExpects() {
        XCTAssertFalse(Shared().word.park(expecting: 1, nanoseconds: .max))
    }

    func test_aParkedThreadIsWokenOrReturnsInTime() {
        let shared = Shared()
        XCTAssertFalse(shared.word.park(expecting: 0, nanoseconds: 1000))
        onThreads(2) { thread in
            if thread == 0 {
                while !shared.word.park(expecting: 0, nanoseconds: 1_000_000_000) {}
                shared.isOver.store(true, ordering: .relaxed)
            } else {
                while !shared.isOver.load(ordering: .relaxed) {
                    shared.word.wakeOne()
                    sched_yield()
                }
            }
        }
    }

    /// How often the calling thread has given up its processor to wait.
    private static var waitsOfThisThread: Int {
        var usage = rusage()
        // `RUSAGE_THREAD`, which Swift doesn't import.
        getrusage(__rusage_who_t(1), &usage)
        return usage.ru_nvcsw
    }
}
