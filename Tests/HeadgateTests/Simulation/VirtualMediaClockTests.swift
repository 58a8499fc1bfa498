import Headgate
import TestSupport
import XCTest

final class VirtualMediaClockTests: XCTestCase {
    private let clock = VirtualMediaClock()

    func test_runsEachAlarmAtItsMomentAndInOrder() {
        nonisolated(unsafe) var log: [[Int]] = []
        let alarms = [30, 10, 20, 10, 0].enumerated().map { number, moment in
            clock.schedule(at: moment) { [clock] in log.append([number, clock.now]) }
        }
        clock.advance(by: 25e-9)
        XCTAssertEqual(log, [[4, 0], [1, 10], [3, 10], [2, 20]])
        XCTAssertEqual(clock.now, 25)
        clock.advance(by: 0)
        XCTAssertEqual(log.count, 4)
        XCTAssertEqual(alarms.count, 5)
    }

    func test_anAlarmThatIsCancelledOrReleasedStaysSilent() {
        let before = Tracked.count
        nonisolated(unsafe) var count = 0
        let first = clock.schedule(at: 1) { [tracked = Tracked()] in
            _ = tracked
            count += 1
        }
        _ = clock.schedule(at: 1) { [tracked = Tracked()] in
            _ = tracked
            count += 1
        }
        first.cancel()
        XCTAssertEqual(Tracked.count, before)
        clock.advance(by: 1)
        XCTAssertEqual(count, 0)
    }

    func test_runsWhatIsScheduledMeanwhile() {
        nonisolated(unsafe) var moments: [Int] = []
        nonisolated(unsafe) var next: (any Cancellable)?
        let first = clock.schedule(at: 1_000_000_000) { [clock] in
            next = clock.schedule(at: 1_500_000_000) { moments.append(clock.now) }
        }
        clock.advance(by: 2)
        XCTAssertEqual(moments, [1_500_000_000])
        first.cancel()
        next?.cancel()
    }
}
