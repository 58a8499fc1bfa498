import Headgate
import TestSupport
import XCTest

@testable import HeadgateTesting
import HeadgateVerification

/// The doubles and the clock while threads meet in them.
final class DoublesConcurrencyTests: XCTestCase {
    private func assertConforming(_ report: Verification, file: StaticString = #filePath, line: UInt = #line) {
        report.check(file: file, line: line) { XCTFail($0, file: $1, line: $2) }
    }

    func test_aTestPublisherIsThreadSafe() {
        assertConforming(
            stress(
                publisher: TestPublisher<Int, VerificationFailure>(serving: Array(1...40)), .finite,
                effort: StressEffort(rounds: 300)))
    }

    func test_aLedgerIsThreadSafe() {
        let ledger = DemandLedger()
        assertConforming(stress(operator: { $0.recordingDemand(into: ledger) }, .transparent))
        XCTAssertFalse(ledger.entries.isEmpty)
    }

    func test_aProbeIsThreadSafe() {
        assertConforming(stress(operator: { SubscriptionProbe($0) }, .transparent))
    }

    func test_validatedIsThreadSafeAndRaisesNoAlarm() {
        assertConforming(
            stress(operator: { $0.validated("upstream") { XCTFail("\($0)") } }, .transparent))
    }

    func test_aTestSubscriberListensToSeveralThreads() {
        let subject = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>(.oneByOne)
        subject.subscribe(subscriber)
        onThreads(3) { thread in
            for number in 0..<200 {
                if thread == 0 { subscriber.request(.max(1)) } else { subject.send(number) }
            }
        }
        XCTAssertEqual(subscriber.breaches, [])
        subscriber.cancel()
    }

    func test_severalThreadsScheduleWhileOneMovesTheClock() {
        let scheduler = TestScheduler()
        // Each list is written by the thread that moves the clock.
        var numbers: [[Int]] = [[], [], []]
        onThreads(3) { thread in
            for number in 0..<200 {
                if thread == 0 {
                    scheduler.advance(by: .milliseconds(1))
                } else {
                    scheduler.schedule { numbers[thread].append(number) }
                }
            }
        }
        XCTAssertTrue(scheduler.runUntilIdle())
        XCTAssertEqual(numbers, [[], Array(0..<200), Array(0..<200)])
    }

    func test_aClockWakesTasksOnOtherThreads() async throws {
        let scheduler = TestScheduler()
        let clock = TestClock(scheduler)
        let sleepers = (1...20).map { number in
            Task { try await clock.sleep(for: .seconds(number)) }
        }
        sleepers[3].cancel()
        var results: [Bool] = []
        for sleeper in sleepers {
            // A task falls asleep when it gets to it, so the clock goes on until it is awake again.
            let driver = Task {
                while !Task.isCancelled {
                    scheduler.advance(by: .seconds(1))
                    await Task.yield()
                }
            }
            results.append((try? await sleeper.value) != nil)
            driver.cancel()
            await driver.value
        }
        XCTAssertEqual(results.count { !$0 }, 1)
        XCTAssertFalse(results[3])
    }
}
