import HeadgateCombine
import XCTest

final class ImmediateSchedulerTests: XCTestCase {
    private let scheduler = ImmediateScheduler.shared

    func test_runsEverythingBeforeScheduleReturns() {
        var log: [Int] = []
        scheduler.schedule { log.append(1) }
        log.append(2)
        scheduler.schedule(after: scheduler.now.advanced(by: .seconds(60))) { log.append(3) }
        log.append(4)
        XCTAssertEqual(log, [1, 2, 3, 4])
    }

    func test_runsRepeatedWorkOnce() {
        var count = 0
        let timer = scheduler.schedule(after: scheduler.now, interval: 1) { count += 1 }
        timer.cancel()
        XCTAssertEqual(count, 1)
    }

    func test_knowsOneMoment() {
        let now = scheduler.now
        XCTAssertEqual(now.advanced(by: .seconds(5)), now)
        XCTAssertEqual(now.distance(to: now), 0)
        XCTAssertEqual(scheduler.minimumTolerance, 0)
    }

    func test_countsStridesAsNumbers() throws {
        typealias Stride = ImmediateScheduler.SchedulerTimeType.Stride
        var stride: Stride = 7
        stride += 2
        stride -= 3
        stride *= 4
        XCTAssertEqual(stride, Stride(24))
        XCTAssertEqual((2.9 as Stride).magnitude, 2)
        XCTAssertLessThan(Stride(-1), 0)
        XCTAssertEqual(Stride.seconds(3), 0)
        XCTAssertEqual(Stride.seconds(3.5) + .milliseconds(1) + .microseconds(1) + .nanoseconds(1), 0)
        XCTAssertEqual(Stride(exactly: UInt8(9)), 9)
        XCTAssertNil(Stride(exactly: UInt.max))
    }
}
