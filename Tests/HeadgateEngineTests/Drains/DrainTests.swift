import TestSupport
import XCTest

import HeadgateCombine
import HeadgateEngine

final class DrainTests: XCTestCase {
    /// A drain that writes down what it does.
    private final class Log {
        let drain = Drain()
        var done: [Int] = []
        var depth = 0
        var deepest = 0
        var onWork: (Log, Int) -> Void = { _, _ in }

        func run(_ work: Int) {
            drain.run { self.perform(work) }
        }

        func perform(_ work: Int) {
            depth += 1
            deepest = max(deepest, depth)
            done.append(work)
            onWork(self, work)
            depth -= 1
        }
    }

    func test_doesWorkAtOnceWithoutAnOwner() {
        let log = Log()
        log.run(1)
        XCTAssertEqual(log.done, [1])
    }

    func test_doesWorkBroughtFromInsideAfterTheWorkInHandInTheOrderOfArrival() {
        let log = Log()
        log.onWork = { log, work in
            if work < 10 { (1...3).forEach { log.run(work * 10 + $0) } }
        }
        log.run(1)
        XCTAssertEqual(log.done, [1, 11, 12, 13])
        XCTAssertEqual(log.deepest, 1)
    }

    func test_doesWorkBroughtWhileWaitingWorkIsDoneAfterAllThatWaits() {
        let log = Log()
        log.onWork = { log, work in
            if work == 1 { [2, 3].forEach(log.run) }
            if work == 2 { [4, 5].forEach(log.run) }
        }
        log.run(1)
        XCTAssertEqual(log.done, [1, 2, 3, 4, 5])
    }

    func test_isFlatForAHundredThousandPiecesOfWorkThatBringTheNext() {
        let log = Log()
        log.onWork = { log, work in
            if work < 100_000 { log.run(work + 1) }
        }
        log.run(1)
        XCTAssertEqual(log.done.count, 100_000)
        XCTAssertEqual(log.deepest, 1)
    }

    func test_isIdleAgainAfterTheLastWork() {
        let log = Log()
        log.onWork = { log, work in
            if work == 1 { log.run(2) }
        }
        log.run(1)
        XCTAssertTrue(log.drain.enter())
        XCTAssertFalse(log.drain.enter())
        XCTAssertTrue(log.drain.leave())
        XCTAssertTrue(log.drain.enter())
        log.drain.leave()
    }

    func test_leavesWorkToTheOwnerWhoDoesItOnLeaving() {
        let log = Log()
        XCTAssertTrue(log.drain.enter())
        log.run(2)
        log.drain.postpone { log.perform(3) }
        XCTAssertEqual(log.done, [])
        XCTAssertFalse(log.drain.leave())
        XCTAssertEqual(log.done, [2, 3])
        XCTAssertTrue(log.drain.enter())
        log.drain.leave()
    }

    func test_aVisitorChangesAnIdleDrainAndNoOther() {
        let drain = Drain()
        var count = 0
        XCTAssertTrue(drain.whileIdle { count += 1 })
        XCTAssertTrue(drain.enter())
        XCTAssertFalse(drain.whileIdle { count += 1 })
        drain.leave()
        XCTAssertTrue(drain.whileIdle { count += 1 })
        XCTAssertEqual(count, 2)
    }

    func test_isInsideADeliveryWhileItOwnsADrain() {
        // On a thread of its own, which has never been inside one.
        onThreads(1) { _ in
            let outer = Drain()
            let inner = Drain()
            XCTAssertFalse(Drain.isInsideDelivery)
            XCTAssertTrue(outer.enter())
            XCTAssertTrue(inner.enter())
            XCTAssertTrue(inner.isOwnedByCaller)
            inner.leave()
            XCTAssertTrue(Drain.isInsideDelivery)
            outer.postpone {}
            outer.leave()
            XCTAssertFalse(Drain.isInsideDelivery)
            XCTAssertFalse(outer.isOwnedByCaller)
        }
    }

    func test_releasesWorkWhenItIsDone() {
        let before = Tracked.count
        let drain = Drain()
        var seen = 0
        let work = Tracked()
        drain.run {
            for _ in 0..<10 { drain.run { [tracked = Tracked()] in withExtendedLifetime(tracked) { seen += 1 } } }
        }
        XCTAssertEqual(seen, 10)
        withExtendedLifetime(work) { XCTAssertEqual(Tracked.count, before + 1) }
    }

    func test_keepsNoRoomForWorkThatWasManyOnce() {
        let drain = Drain()
        XCTAssertTrue(drain.enter())
        for _ in 0..<100 { drain.postpone {} }
        XCTAssertEqual(drain.backlog, 100)
        drain.leave()
        XCTAssertEqual(drain.backlog, 0)
        XCTAssertEqual(drain.jobs.withLock { $0.capacity }, 0)
    }

    func test_losesNothingAndNeverOverlapsWithFourThreads() {
        let log = Log()
        onThreads(4) { thread in
            for number in 0..<5_000 { log.run(thread * 5_000 + number) }
        }
        XCTAssertEqual(log.deepest, 1)
        XCTAssertEqual(log.done.sorted(), Array(0..<20_000))
        for thread in 0..<4 {
            let own = log.done.filter { $0 / 5_000 == thread }
            XCTAssertEqual(own, own.sorted(), "the work of one thread is done in its order")
        }
    }
}
