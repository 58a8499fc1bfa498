import Foundation
import HeadgateFoundation
import Synchronization
import TestSupport
import XCTest

final class RunLoopSchedulerTests: XCTestCase {
    private typealias Stride = RunLoop.SchedulerTimeType.Stride

    private let loop = RunLoop.current

    func test_runsWorkInTheOrderInWhichItWasScheduled() {
        var log: [Int] = []
        for number in 1...20 { loop.schedule { log.append(number) } }
        XCTAssertEqual(log, [])
        loop.run(until: { log.count == 20 })
        XCTAssertEqual(log, Array(1...20))
    }

    func test_runsWorkForOneMomentInTheOrderInWhichItWasScheduled() {
        for round in 1...10 {
            var log: [Int] = []
            let date = loop.now.advanced(by: .milliseconds(2))
            for number in 1...20 { loop.schedule(after: date) { log.append(number) } }
            loop.run(until: { log.count == 20 })
            XCTAssertEqual(log, Array(1...20), "round \(round)")
        }
    }

    func test_wakesARunLoopThatSleeps() {
        let reached = DispatchSemaphore(value: 0)
        let isOver = Atomic(false)
        nonisolated(unsafe) var sleeper: RunLoop?
        Thread.detachNewThread {
            let loop = RunLoop.current
            sleeper = loop
            // Without anything to wait for it would return.
            loop.add(Timer(timeInterval: 3600, repeats: false) { _ in }, forMode: .default)
            reached.signal()
            while !isOver.load(ordering: .acquiring) { _ = loop.run(mode: .default, before: .distantFuture) }
            reached.signal()
        }
        // Each time but the first, the loop has nothing else to do than to fall asleep again.
        for _ in 0..<20 {
            if reached.wait(timeout: .now() + 60) == .timedOut { return XCTFail("It sleeps on.") }
            sleeper?.schedule { reached.signal() }
        }
        XCTAssertEqual(reached.wait(timeout: .now() + 60), .success)
        // The thread is not to go on beside all that follows.
        sleeper?.schedule { isOver.store(true, ordering: .releasing) }
        XCTAssertEqual(reached.wait(timeout: .now() + 60), .success)
    }

    func test_runsAtItsMoment() {
        let date = loop.now.advanced(by: .milliseconds(10))
        var seen: RunLoop.SchedulerTimeType?
        loop.schedule(after: date, tolerance: .milliseconds(2)) { seen = self.loop.now }
        loop.run(until: { seen != nil })
        // A millisecond for the difference between the clock of timers and the clock of dates.
        XCTAssertGreaterThan(seen.map { date.distance(to: $0).timeInterval } ?? -1, -0.001)
    }

    func test_repeatsUntilCancelled() {
        let before = Tracked.count
        var count = 0
        let timer = loop.schedule(after: loop.now, interval: .milliseconds(1)) { [tracked = Tracked()] in
            _ = tracked
            count += 1
        }
        // One turn of the run loop may bring several runs.
        loop.run(until: { count >= 3 })
        timer.cancel()
        let final = count
        XCTAssertEqual(Tracked.count, before)
        var hasRun = false
        loop.schedule(after: loop.now.advanced(by: .milliseconds(5))) { hasRun = true }
        loop.run(until: { hasRun })
        XCTAssertEqual(count, final)
    }

    func test_releasingTheTokenEndsTheRepetition() {
        let before = Tracked.count
        _ = loop.schedule(after: loop.now, interval: .seconds(60)) { [tracked = Tracked()] in _ = tracked }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_keepsNothingOfWorkThatIsDone() throws {
        func run(_ count: Int) {
            for _ in 0..<count { loop.schedule {} }
            var isDone = false
            loop.schedule(after: loop.now) { isDone = true }
            loop.run(until: { isDone })
        }
        func residentBytes() throws -> Double {
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
            return 4096 * (Double(pages) ?? 0)
        }
        for _ in 0..<5 { run(1_000) }
        let before = try residentBytes()
        for _ in 0..<20 { run(1_000) }
        XCTAssertLessThan(try (residentBytes() - before) / 20_000, 100, "bytes that stay of each piece of work")
    }

    func test_workMayRunTheLoopItself() {
        var log: [String] = []
        loop.schedule(after: loop.now) { [loop] in
            log.append("outer")
            var isDone = false
            loop.schedule(after: loop.now) { isDone = true }
            loop.run(until: { isDone })
            log.append("outer ends")
        }
        loop.run(until: { log.count == 2 })
        XCTAssertEqual(log, ["outer", "outer ends"])
    }

    func test_aLoopThatRunsUntilItHasNothingToDoComesToItsEnd() {
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let loop = RunLoop.current
            loop.schedule {}
            loop.run()
            ended.signal()
        }
        XCTAssertEqual(ended.wait(timeout: .now() + 60), .success)
    }

    func test_momentsAndLengthsFitTogether() {
        let now = loop.now
        XCTAssertEqual(now.advanced(by: 2).date.timeIntervalSince(now.date), 2, accuracy: 1e-6)
        XCTAssertEqual(now.distance(to: now.advanced(by: -2)).timeInterval, -2, accuracy: 1e-6)
        XCTAssertLessThan(now, now.advanced(by: 1))
        XCTAssertEqual(loop.minimumTolerance, 0)
    }

    func test_lengthsAreSeconds() {
        XCTAssertEqual((2.5 as Stride).magnitude, 2.5)
        XCTAssertEqual(Stride.seconds(2), 2)
        XCTAssertEqual(Stride.milliseconds(2500), 2.5)
        XCTAssertEqual(Stride.microseconds(2_500_000), 2.5)
        XCTAssertEqual(Stride.nanoseconds(2_500_000_000), 2.5)
        XCTAssertEqual(Stride(exactly: 3), 3)
        XCTAssertNil(Stride(exactly: Int.max))
        XCTAssertEqual((2 as Stride) * 3 - 1 + 4, 9)
        XCTAssertLessThan(Stride(-1), 0)
    }

    func test_momentsAndLengthsSurviveCoding() throws {
        let now = loop.now
        let data = try JSONEncoder().encode([now])
        let decoded = try JSONDecoder().decode([RunLoop.SchedulerTimeType].self, from: data)
        XCTAssertEqual(now.distance(to: decoded[0]).timeInterval, 0, accuracy: 1e-6)
        let lengths = try JSONDecoder().decode([Stride].self, from: JSONEncoder().encode([Stride(1.5)]))
        XCTAssertEqual(lengths, [1.5])
    }

    func test_lengthsAreWrittenAsCombineWritesThem() throws {
        let text = String(decoding: try JSONEncoder().encode(Stride(1.5)), as: UTF8.self)
        XCTAssertEqual(text, #"{"magnitude":1.5}"#)
    }
}
