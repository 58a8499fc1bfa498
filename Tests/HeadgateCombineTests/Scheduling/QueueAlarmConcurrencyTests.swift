import Dispatch
import HeadgateCore
import HeadgateEngine
import HeadgateTesting
import Synchronization
import XCTest

@testable import HeadgateCombine

final class QueueAlarmConcurrencyTests: XCTestCase {
    private final class Token {}

    private let queue = DispatchQueue(label: "alarms")

    private func moment(in milliseconds: Int) -> DispatchQueue.SchedulerTimeType {
        queue.now.advanced(by: .milliseconds(milliseconds))
    }

    private let never = DispatchQueue.SchedulerTimeType(.distantFuture)

    func test_isDoneOnceAndNotBeforeItsMoment_7_1_7_2() {
        let moment = moment(in: 20)
        let done = expectation(description: "done")
        let alarm = queue.setAlarm(at: moment, options: nil) { [queue] in
            XCTAssertGreaterThanOrEqual(queue.now, moment)
            done.fulfill()
        }
        wait(for: [done], timeout: 60)
        queue.sync {}
        XCTAssertTrue(alarm.isOver)
        alarm.cancel()
    }

    func test_alarmsForOneMomentAreDoneInTheOrderInWhichTheyWereSet_7_3() {
        let moment = moment(in: 20)
        let seen = Guarded<[Int]>([])
        let done = expectation(description: "done")
        for number in 0..<500 {
            queue.schedule(after: moment) {
                let count = seen.withLock { seen in
                    seen.append(number)
                    return seen.count
                }
                if count == 500 { done.fulfill() }
            }
        }
        wait(for: [done], timeout: 60)
        XCTAssertEqual(seen.withLock { $0 }, Array(0..<500))
    }

    func test_anAlarmThatIsSetLaterAndDueEarlierIsNotKeptWaiting() {
        let late = queue.setAlarm(at: never, options: nil) { XCTFail("never") }
        let done = expectation(description: "done")
        queue.schedule(after: moment(in: 5)) { done.fulfill() }
        wait(for: [done], timeout: 60)
        late.cancel()
    }

    func test_whatTheWorkHoldsIsReleasedWhenItIsCalledOff() {
        weak var held: Token?
        var alarm: (any Alarm)?
        do {
            let token = Token()
            held = token
            alarm = queue.setAlarm(at: never, options: nil) { _ = token }
        }
        XCTAssertNotNil(held)
        XCTAssertEqual(alarm?.isOver, false)
        alarm?.cancel()
        XCTAssertNil(held)
        XCTAssertEqual(alarm?.isOver, true)
    }

    func test_whatTheWorkHoldsIsReleasedWhenItIsDone() {
        let released = expectation(description: "released")
        final class Teller: Sendable {
            let notify: @Sendable () -> Void
            init(_ notify: @escaping @Sendable () -> Void) { self.notify = notify }
            deinit { notify() }
        }
        let teller = Teller { released.fulfill() }
        let alarm = queue.setAlarm(at: moment(in: 1), options: nil) { [teller] in _ = teller }
        _ = consume teller
        wait(for: [released], timeout: 60)
        alarm.cancel()
    }

    func test_alarmsThatWereCalledOffAreForgotten() {
        weak var first: (any Alarm)?
        weak var middle: (any Alarm)?
        for number in 0..<10_000 {
            let alarm = queue.setAlarm(at: never, options: nil) {}
            if number == 0 { first = alarm }
            if number == 5000 { middle = alarm }
            alarm.cancel()
        }
        XCTAssertNil(first)
        XCTAssertNil(middle)
    }

    func test_aGroupIsLeftWhenTheWorkIsDoneAndWhenItIsCalledOff() {
        let group = DispatchGroup()
        let options = DispatchQueue.SchedulerOptions(group: group)
        let alarm = queue.setAlarm(at: never, options: options) {}
        XCTAssertEqual(group.wait(timeout: .now()), .timedOut)
        alarm.cancel()
        alarm.cancel()
        XCTAssertEqual(group.wait(timeout: .now()), .success)
        queue.schedule(after: moment(in: 1), tolerance: 0, options: options) {}
        XCTAssertEqual(group.wait(timeout: .now() + 60), .success)
    }

    func test_anAlarmOnAConcurrentQueueDoesNotHoldUpAnother() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let met = DispatchSemaphore(value: 0)
        let done = expectation(description: "done")
        let moment = moment(in: 5)
        queue.schedule(after: moment) {
            if met.wait(timeout: .now() + 60) == .success { done.fulfill() }
        }
        queue.schedule(after: moment) { met.signal() }
        wait(for: [done], timeout: 90)
    }

    func test_repeatedWorkKeepsItsRhythmNeverOverlapsAndStops_7_4() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let running = Atomic(0)
        let count = Atomic(0)
        let done = expectation(description: "done")
        let start = queue.now
        let token = queue.schedule(after: start, interval: .milliseconds(2)) {
            XCTAssertEqual(running.wrappingAdd(1, ordering: .relaxed).newValue, 1)
            let number = count.wrappingAdd(1, ordering: .relaxed).newValue
            XCTAssertGreaterThanOrEqual(queue.now, start.advanced(by: .milliseconds(2 * (number - 1))))
            running.wrappingSubtract(1, ordering: .relaxed)
            if number == 20 { done.fulfill() }
        }
        wait(for: [done], timeout: 60)
        token.cancel()
        queue.sync(flags: .barrier) {}
        let last = count.load(ordering: .relaxed)
        let later = expectation(description: "later")
        queue.schedule(after: queue.now.advanced(by: .milliseconds(20))) { later.fulfill() }
        wait(for: [later], timeout: 60)
        XCTAssertLessThanOrEqual(count.load(ordering: .relaxed), last + 1)
    }

    func test_repeatedWorkOnAQueueThatIsSuspendedHoldsUpNobodyAndIsDoneOnceForAllItMissed_7_4() {
        let count = Atomic(0)
        let others = DispatchQueue(label: "others")
        queue.suspend()
        let token = queue.schedule(after: moment(in: 1), interval: .milliseconds(1)) {
            count.wrappingAdd(1, ordering: .relaxed)
        }
        let later = expectation(description: "later")
        others.schedule(after: moment(in: 30)) { later.fulfill() }
        wait(for: [later], timeout: 60)
        let seen = Guarded(-1)
        // In the queue after the work that is due.
        let looked = expectation(description: "looked")
        queue.async {
            seen.withLock { $0 = count.load(ordering: .relaxed) }
            looked.fulfill()
        }
        queue.resume()
        wait(for: [looked], timeout: 60)
        XCTAssertEqual(seen.withLock { $0 }, 1)
        // Its rhythm goes on.
        waitUntil { count.load(ordering: .relaxed) > 3 }
        token.cancel()
    }

    func test_manyAlarmsOnAConcurrentQueueDoNotHoldUpEachOther() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let count = 8
        let arrived = Atomic(0)
        let done = expectation(description: "done")
        done.expectedFulfillmentCount = count
        let moment = moment(in: 5)
        for _ in 0..<count {
            queue.schedule(after: moment) {
                // Each waits for all others.
                arrived.wrappingAdd(1, ordering: .relaxed)
                waitUntil { arrived.load(ordering: .relaxed) == count }
                done.fulfill()
            }
        }
        wait(for: [done], timeout: 120)
    }

    func test_alarmsWithAndWithoutOptionsAreDoneInTheOrderInWhichTheyWereSet_7_3() {
        let moment = moment(in: 20)
        let seen = Guarded<[Int]>([])
        let group = DispatchGroup()
        for number in 0..<100 {
            group.enter()
            let options = number % 7 == 3 ? DispatchQueue.SchedulerOptions(qos: .unspecified) : nil
            queue.schedule(after: moment, tolerance: 0, options: options) {
                seen.withLock { $0.append(number) }
                group.leave()
            }
        }
        XCTAssertEqual(group.wait(timeout: .now() + 60), .success)
        XCTAssertEqual(seen.withLock { $0 }, Array(0..<100))
    }

    func test_aToleranceMakesRepeatedWorkLaterByNoMoreAndNeverEarlier() {
        for tolerance: UInt64 in [0, 1, 2, 1000, 1 << 40, .max] {
            let alarm = RepeatingQueueAlarm(on: queue, at: 0, interval: 10, tolerance: tolerance, options: nil) {}
            for date: UInt64 in [0, 1, 1023, 1024, 123_456_789_012, .max - 1, .max] {
                XCTAssertGreaterThanOrEqual(alarm.rounded(date), date)
                XCTAssertLessThanOrEqual(alarm.rounded(date) - date, tolerance)
            }
        }
    }

    func test_repeatedWorkIsDueAgainAtTheNextMultipleOfItsInterval() {
        let alarm = RepeatingQueueAlarm(on: queue, at: 100, interval: 10, tolerance: 0, options: nil) {}
        XCTAssertEqual(alarm.takeDue(at: 100).next, 110)
        alarm.run()
        XCTAssertEqual(alarm.takeDue(at: 147).next, 150, "four were missed")
        XCTAssertNil(alarm.takeDue(at: 150).next, "still submitted")
        XCTAssertFalse(alarm.takeDue(at: 150).isWanted)
    }

    func test_releasingTheTokenOfRepeatedWorkReleasesTheWork() {
        weak var held: Token?
        do {
            let token = Token()
            held = token
            let work = queue.schedule(after: never, interval: .seconds(1)) { _ = token }
            withExtendedLifetime(work) { XCTAssertNotNil(held) }
        }
        XCTAssertNil(held)
    }

    func test_everyAlarmIsDoneOrCalledOffWhateverTheThreads() {
        let done = Atomic(0)
        let calledOff = Atomic(0)
        let group = DispatchGroup()
        let options = DispatchQueue.SchedulerOptions(group: group)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            let queue = DispatchQueue(label: "alarms \(thread)")
            var generator = SeededGenerator(seed: UInt64(thread + 1))
            for _ in 0..<2000 {
                let date = queue.now.advanced(by: .microseconds(.random(in: 0...2000, using: &generator)))
                let alarm = queue.setAlarm(at: date, options: options) { done.wrappingAdd(1, ordering: .relaxed) }
                if Bool.random(using: &generator) {
                    alarm.cancel()
                    calledOff.wrappingAdd(1, ordering: .relaxed)
                }
            }
        }
        XCTAssertEqual(group.wait(timeout: .now() + 60), .success)
        let sum = done.load(ordering: .relaxed) + calledOff.load(ordering: .relaxed)
        XCTAssertGreaterThanOrEqual(sum, 8000)
        XCTAssertGreaterThan(done.load(ordering: .relaxed), 0)
    }
}
