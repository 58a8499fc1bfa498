import Foundation
import HeadgateFoundation
import Synchronization
import TestSupport
import XCTest

final class OperationQueueSchedulerTests: XCTestCase {
    private let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }()

    private func wait(_ semaphore: DispatchSemaphore, line: UInt = #line) {
        XCTAssertEqual(semaphore.wait(timeout: .now() + 60), .success, line: line)
    }

    func test_runsWorkAsOperationsInOrder() {
        nonisolated(unsafe) var log: [Int] = []
        for number in 1...20 { queue.schedule { log.append(number) } }
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertEqual(log, Array(1...20))
    }

    func test_runsAfterAMoment() {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var current: OperationQueue?
        queue.schedule(after: queue.now.advanced(by: .milliseconds(5))) {
            current = OperationQueue.current
            done.signal()
        }
        wait(done)
        XCTAssertTrue(current === queue)
    }

    func test_runsWorkForOneMomentInTheOrderInWhichItWasScheduled() {
        for round in 1...10 {
            let done = DispatchSemaphore(value: 0)
            nonisolated(unsafe) var log: [Int] = []
            let date = queue.now.advanced(by: .milliseconds(2))
            for number in 1...20 {
                queue.schedule(after: date) {
                    log.append(number)
                    if log.count == 20 { done.signal() }
                }
            }
            wait(done)
            XCTAssertEqual(log, Array(1...20), "round \(round)")
        }
    }

    func test_repeatsUntilCancelled() {
        let before = Tracked.count
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var count = 0
        let timer = queue.schedule(after: queue.now, interval: .milliseconds(1)) { [tracked = Tracked()] in
            _ = tracked
            count += 1
            if count == 3 { done.signal() }
        }
        wait(done)
        timer.cancel()
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertEqual(Tracked.count, before)
        let total = count
        queue.schedule { done.signal() }
        wait(done)
        XCTAssertEqual(count, total)
    }

    func test_leavesRunsOutWhileTheQueueIsNotServed() {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var count = 0
        queue.isSuspended = true
        let timer = queue.schedule(after: queue.now, interval: .milliseconds(1)) { count += 1 }
        // Another clock with the same interval has ticked several times.
        let other = OperationQueue()
        other.maxConcurrentOperationCount = 1
        nonisolated(unsafe) var ticks = 0
        let clock = other.schedule(after: other.now, interval: .milliseconds(1)) {
            ticks += 1
            if ticks == 10 { done.signal() }
        }
        wait(done)
        clock.cancel()
        XCTAssertLessThanOrEqual(queue.operationCount, 1)
        timer.cancel()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertEqual(count, 0)
    }

    func test_repeatedWorkNeverOverlaps() {
        let concurrent = OperationQueue()
        let done = DispatchSemaphore(value: 0)
        let inside = Atomic(0)
        let overlaps = Atomic(0)
        let count = Atomic(0)
        let timer = concurrent.schedule(after: concurrent.now, interval: .microseconds(50)) {
            if inside.add(1, ordering: .relaxed).oldValue > 0 { overlaps.add(1, ordering: .relaxed) }
            for _ in 0..<1000 { count.add(1, ordering: .relaxed) }
            if count.load(ordering: .relaxed) == 20_000 { done.signal() }
            inside.subtract(1, ordering: .relaxed)
        }
        wait(done)
        timer.cancel()
        concurrent.waitUntilAllOperationsAreFinished()
        XCTAssertEqual(overlaps.load(ordering: .relaxed), 0)
    }

    func test_itsTimesAreTypesOfTheirOwn() {
        // Both extensions below would collide if they were not.
        XCTAssertEqual(OperationQueue.SchedulerTimeType(Date(timeIntervalSince1970: 0)).clientsName, "queue")
        XCTAssertEqual(RunLoop.SchedulerTimeType(Date(timeIntervalSince1970: 0)).clientsName, "loop")
        XCTAssertEqual((2.5 as OperationQueue.SchedulerTimeType.Stride).timeInterval, 2.5)
    }

    func test_momentsAndLengthsSurviveCoding() throws {
        let now = OperationQueue.main.now
        let copy = try JSONDecoder().decode(OperationQueue.SchedulerTimeType.self, from: JSONEncoder().encode(now))
        XCTAssertEqual(now.distance(to: copy).timeInterval, 0, accuracy: 1e-6)
        let length = String(
            decoding: try JSONEncoder().encode(1.5 as OperationQueue.SchedulerTimeType.Stride), as: UTF8.self)
        XCTAssertEqual(length, #"{"magnitude":1.5}"#)
    }
}

extension OperationQueue.SchedulerTimeType {
    fileprivate var clientsName: String { "queue" }
}

extension RunLoop.SchedulerTimeType {
    fileprivate var clientsName: String { "loop" }
}

final class OperationQueueSchedulerConcurrencyTests: XCTestCase {
    func test_noQueuesWorkRunsBeforeItsMomentHoweverBusyTheMachineIs() {
        let early = Atomic(0)
        let done = Atomic(0)
        let isDone = DispatchSemaphore(value: 0)
        let count = Scale.reduced(40_000)
        onThreads(4) { thread in
            let queue = OperationQueue()
            for number in 0..<count {
                let moment = queue.now.advanced(by: .microseconds(20 * (number % 500)))
                queue.schedule(after: moment) {
                    if queue.now < moment { early.add(1, ordering: .relaxed) }
                    if done.add(1, ordering: .relaxed).newValue == 4 * count { isDone.signal() }
                }
            }
        }
        XCTAssertEqual(isDone.wait(timeout: .now() + 60), .success)
        XCTAssertEqual(early.load(ordering: .relaxed), 0)
    }
}
