import TestSupport
import XCTest

import HeadgateCombine
import HeadgateEngine

final class SerialDrainTests: XCTestCase {
    /// A drain that writes down what it does.
    private final class Log {
        let drain = SerialDrain<Int>()
        var done: [Int] = []
        var depth = 0
        var deepest = 0
        var onWork: (Log, Int) -> Void = { _, _ in }

        func run(_ work: Int) {
            drain.run(work) { perform($0) }
        }

        func perform(_ work: Int) {
            depth += 1
            deepest = max(deepest, depth)
            done.append(work)
            onWork(self, work)
            depth -= 1
        }
    }

    func test_doesWorkAtOnceWhereNobodyIsInside() {
        let log = Log()
        log.run(1)
        XCTAssertEqual(log.done, [1])
    }

    func test_doesWorkBroughtFromInsideBehindTheWorkInHandInTheOrderOfArrival() {
        let log = Log()
        log.onWork = { log, work in
            if work < 10 { (1...3).forEach { log.run(work * 10 + $0) } }
        }
        log.run(1)
        XCTAssertEqual(log.done, [1, 11, 12, 13])
        XCTAssertEqual(log.deepest, 1)
    }

    func test_doesWorkBroughtWhileWaitingWorkIsDoneBehindAllThatWaits() {
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

    func test_isIdleAgainBehindTheLastWork() {
        let log = Log()
        log.onWork = { log, work in
            if work == 1 { log.run(2) }
        }
        log.run(1)
        XCTAssertTrue(log.drain.enter())
        XCTAssertFalse(log.drain.enter())
        XCTAssertTrue(log.drain.exit())
        XCTAssertTrue(log.drain.enter())
    }

    func test_leavesWorkToTheOwnerWhoDoesItOnFinishing() {
        let log = Log()
        XCTAssertTrue(log.drain.admit(1))
        XCTAssertFalse(log.drain.admit(2))
        XCTAssertFalse(log.drain.admit(3))
        XCTAssertFalse(log.drain.exit())
        log.drain.finish(log.perform)
        XCTAssertEqual(log.done, [2, 3])
        XCTAssertTrue(log.drain.enter())
    }

    func test_dropsWorkWhenItIsDone() {
        let before = Tracked.count
        let drain = SerialDrain<Tracked>()
        var seen = 0
        drain.run(Tracked()) { _ in
            if seen == 0 { (0..<10).forEach { _ in _ = drain.admit(Tracked()) } }
            seen += 1
        }
        XCTAssertEqual(seen, 11)
        XCTAssertEqual(Tracked.count, before)
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
