import Dispatch
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import HeadgateTesting
import Synchronization
import XCTest

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
        let seen = Mutex<[Int]>([])
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
            let tell: @Sendable () -> Void
            init(_ tell: @escaping @Sendable () -> Void) { self.tell = tell }
            deinit { tell() }
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
