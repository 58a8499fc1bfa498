import Dispatch
import Foundation
import HeadgateCombine
import TestSupport
import XCTest

final class DispatchQueueSchedulerTests: XCTestCase {
    private typealias Stride = DispatchQueue.SchedulerTimeType.Stride

    private let queue = DispatchQueue(label: "DispatchQueueSchedulerTests")

    /// Waits far longer than anything here takes, so that only what never comes fails.
    private func wait(_ semaphore: DispatchSemaphore, line: UInt = #line) {
        XCTAssertEqual(semaphore.wait(timeout: .now() + 60), .success, line: line)
    }

    func test_runsWorkInTheOrderInWhichItWasScheduled() {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var log: [Int] = []
        for number in 1...100 { queue.schedule { log.append(number) } }
        queue.schedule { done.signal() }
        wait(done)
        XCTAssertEqual(log, Array(1...100))
    }

    func test_runsOnTheQueue() {
        let key = DispatchSpecificKey<String>()
        queue.setSpecific(key: key, value: "here")
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var places: [String?] = []
        queue.schedule { places.append(DispatchQueue.getSpecific(key: key)) }
        queue.schedule(after: queue.now) { places.append(DispatchQueue.getSpecific(key: key)) }
        let timer = queue.schedule(after: queue.now.advanced(by: .milliseconds(1)), interval: .seconds(3600)) {
            places.append(DispatchQueue.getSpecific(key: key))
            done.signal()
        }
        wait(done)
        timer.cancel()
        XCTAssertEqual(places.last, "here")
        XCTAssertEqual(Set(places), ["here"])
    }

    func test_neverRunsBeforeItsMoment() {
        let done = DispatchSemaphore(value: 0)
        let date = queue.now.advanced(by: .milliseconds(15))
        nonisolated(unsafe) var isEarly = true
        queue.schedule(after: date, tolerance: .milliseconds(5)) { [queue] in
            isEarly = queue.now < date
            done.signal()
        }
        wait(done)
        XCTAssertFalse(isEarly)
    }

    func test_keepsTheGroupUntilTheWorkIsDone() {
        let group = DispatchGroup()
        nonisolated(unsafe) var count = 0
        let options = DispatchQueue.SchedulerOptions(qos: .utility, group: group)
        queue.schedule(options: options) { count += 1 }
        queue.schedule(after: queue.now.advanced(by: .milliseconds(2)), tolerance: 0, options: options) { count += 1 }
        XCTAssertEqual(group.wait(timeout: .now() + 60), .success)
        XCTAssertEqual(count, 2)
    }

    func test_repeatsUntilCancelled() {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var count = 0
        nonisolated(unsafe) var timer: (any Cancellable)?
        queue.sync {
            timer = queue.schedule(after: queue.now, interval: .milliseconds(1)) {
                count += 1
                if count == 3 {
                    timer?.cancel()
                    done.signal()
                }
            }
        }
        wait(done)
        queue.sync {}
        XCTAssertEqual(count, 3)
    }

    func test_releasesRepeatedWorkAtOnceWhenCancelled() {
        let before = Tracked.count
        let timer = queue.schedule(after: queue.now.advanced(by: .seconds(3600)), interval: .seconds(3600)) {
            [tracked = Tracked()] in _ = tracked
        }
        XCTAssertEqual(Tracked.count, before + 1)
        queue.sync { timer.cancel() }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_releasingTheTokenEndsTheRepetition() {
        let before = Tracked.count
        var timer: (any Cancellable)? = queue.schedule(
            after: queue.now.advanced(by: .seconds(3600)), interval: .seconds(3600)
        ) { [tracked = Tracked()] in _ = tracked }
        XCTAssertNotNil(timer)
        timer = nil
        XCTAssertEqual(Tracked.count, before)
    }

    func test_cancelledWorkDoesNotRunOnASuspendedQueue() {
        nonisolated(unsafe) var count = 0
        queue.suspend()
        let timer = queue.schedule(after: queue.now, interval: .milliseconds(1)) { count += 1 }
        timer.cancel()
        queue.resume()
        queue.sync {}
        XCTAssertEqual(count, 0)
    }

    func test_momentsAndLengthsFitTogether() {
        let now = queue.now
        XCTAssertEqual(now.distance(to: now.advanced(by: .milliseconds(5))), .milliseconds(5))
        XCTAssertEqual(now.advanced(by: .milliseconds(5)).distance(to: now), .milliseconds(-5))
        XCTAssertLessThan(now, now.advanced(by: .nanoseconds(1)))
        XCTAssertGreaterThan(now, now.advanced(by: -1))
        XCTAssertEqual(now.advanced(by: .nanoseconds(.max)).dispatchTime, .distantFuture)
        XCTAssertEqual(queue.minimumTolerance, 0)
    }

    func test_lengthsAreNanoseconds() {
        XCTAssertEqual((2 as Stride).magnitude, 2_000_000_000)
        XCTAssertEqual((0.5 as Stride).magnitude, 500_000_000)
        XCTAssertEqual(Stride.seconds(1.5), .milliseconds(1500))
        XCTAssertEqual(Stride.milliseconds(1), .microseconds(1000))
        XCTAssertEqual(Stride.microseconds(1), .nanoseconds(1000))
        XCTAssertEqual(Stride(exactly: UInt8(3)), 3)
        XCTAssertNil(Stride(exactly: UInt.max))
        XCTAssertNil(Stride(exactly: Int.max / 1000))
        XCTAssertEqual(Stride.nanoseconds(3) * .nanoseconds(4), .nanoseconds(12))
        XCTAssertEqual(Stride(.milliseconds(3)).timeInterval, .nanoseconds(3_000_000))
        XCTAssertEqual(Stride(.never).timeInterval, .never)
    }

    func test_lengthsTooGreatAreAsLongAsCanBe() {
        let longest = Stride.nanoseconds(.max)
        let shortest = Stride.nanoseconds(.min)
        XCTAssertEqual(Stride.seconds(Int.max), longest)
        XCTAssertEqual(Stride.seconds(Int.min), shortest)
        XCTAssertEqual(Stride.seconds(Double.infinity), longest)
        XCTAssertEqual(Stride.seconds(-Double.infinity), shortest)
        XCTAssertEqual(Stride.seconds(1e300), longest)
        XCTAssertEqual(longest + 1, longest)
        XCTAssertEqual(shortest - 1, shortest)
        XCTAssertEqual(-shortest, longest)
        XCTAssertEqual(longest * longest, longest)
        XCTAssertEqual(longest * shortest, shortest)
    }

    func test_momentsAndLengthsSurviveCoding() throws {
        let now = queue.now
        let encoder = JSONEncoder()
        let decoder = JSONDecoder()
        XCTAssertEqual(
            try decoder.decode([DispatchQueue.SchedulerTimeType].self, from: encoder.encode([now])), [now])
        XCTAssertEqual(try decoder.decode([Stride].self, from: encoder.encode([Stride.seconds(-2)])), [.seconds(-2)])
    }

    func test_lengthsAreWrittenAsCombineWritesThem() throws {
        let text = String(decoding: try JSONEncoder().encode(Stride.seconds(1)), as: UTF8.self)
        XCTAssertEqual(text, #"{"_nanoseconds":1000000000}"#)
    }
}
