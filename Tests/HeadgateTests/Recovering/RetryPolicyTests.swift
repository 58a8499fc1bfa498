import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// Always answers the same.
private struct Constant: RandomNumberGenerator {
    let number: UInt64

    func next() -> UInt64 { number }
}

final class RetryPolicyTests: XCTestCase {
    private func delays(_ policy: RetryPolicy, drawing number: UInt64, _ count: Int = 8) -> [Duration] {
        var schedule = RetrySchedule(policy)
        var generator = Constant(number: number)
        return (0..<count).compactMap { _ in schedule.next(using: &generator) }
    }

    private func exponential(
        _ jitter: RetryPolicy.Jitter, cap: Duration = .seconds(10), retries: Int? = 6
    ) -> RetryPolicy {
        .exponential(initial: .seconds(1), factor: 2, cap: cap, jitter: jitter, retries: retries)
    }

    func test_anExponentialBackOffGrowsByItsFactorUpToItsCapAndEndsAfterItsRetries() {
        XCTAssertEqual(delays(exponential(.none), drawing: 0), [1, 2, 4, 8, 10, 10].map { .seconds($0) })
    }

    func test_anExponentialBackOffMayBeginWithNoDelay() {
        let policy = RetryPolicy.exponential(initial: .zero, factor: 1, cap: .zero, jitter: .none, retries: 2)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        Fail<Int, TestFailure>(error: .first).retry(policy, scheduler: TestScheduler()).subscribe(subscriber)
        XCTAssertEqual(delays(policy, drawing: 0), [.zero, .zero])
    }

    func test_aConstantBackOffStaysTheSameAndAnImmediateOneIsNone() {
        XCTAssertEqual(
            delays(.constant(.milliseconds(5), retries: 2), drawing: 0), [.milliseconds(5), .milliseconds(5)])
        XCTAssertEqual(delays(.immediate(retries: 2), drawing: .max), [.zero, .zero])
        XCTAssertEqual(delays(.immediate(retries: 0), drawing: 0), [])
        XCTAssertEqual(delays(.immediate(retries: nil), drawing: 0, 100).count, 100)
    }

    func test_jitterReachesFromItsLeastToItsMostAndNoFurther() {
        let (least, most) = (UInt64.min, UInt64.max)
        XCTAssertEqual(delays(exponential(.full), drawing: least, 4), [.zero, .zero, .zero, .zero])
        XCTAssertEqual(delays(exponential(.full), drawing: most, 4), [1, 2, 4, 8].map { .seconds($0) })
        XCTAssertEqual(delays(exponential(.equal), drawing: least, 4), [0.5, 1, 2, 4].map { .seconds($0) })
        XCTAssertEqual(delays(exponential(.equal), drawing: most, 4), [1, 2, 4, 8].map { .seconds($0) })
        XCTAssertEqual(delays(exponential(.decorrelated), drawing: least, 4), [1, 1, 1, 1].map { .seconds($0) })
        XCTAssertEqual(delays(exponential(.decorrelated), drawing: most, 4), [3, 9, 10, 10].map { .seconds($0) })
    }

    func test_hugeNumbersStayNumbers() {
        let huge = RetryPolicy.exponential(
            initial: .seconds(Int64.max), factor: .greatestFiniteMagnitude, cap: .seconds(Int64.max), jitter: .none,
            retries: nil)
        XCTAssertEqual(delays(huge, drawing: 0, 3).count, 3)
        XCTAssertGreaterThan(delays(huge, drawing: 0, 1)[0], .seconds(86_400 * 365 * 99))
        XCTAssertEqual(delays(exponential(.none, cap: .zero), drawing: 0), Array(repeating: .zero, count: 6))
        let slow = RetryPolicy.exponential(
            initial: .nanoseconds(1), factor: 1, cap: .seconds(1), jitter: .none, retries: nil)
        var schedule = RetrySchedule(slow)
        for _ in 0..<100_000 { XCTAssertEqual(schedule.next(), .nanoseconds(1)) }
    }

    func test_aResetBeginsAnew() {
        var schedule = RetrySchedule(exponential(.none, retries: 2))
        XCTAssertEqual(schedule.next(), .seconds(1))
        XCTAssertEqual(schedule.next(), .seconds(2))
        XCTAssertNil(schedule.next())
        schedule.reset()
        XCTAssertEqual(schedule.retries, 0)
        XCTAssertEqual(schedule.next(), .seconds(1))
    }

    func test_saysWhatItIs() {
        XCTAssertEqual(
            "\(exponential(.full))", "6 retries after 1.0 seconds times 2.0 each, at most 10.0 seconds, full jitter")
        XCTAssertEqual("\(RetryPolicy.immediate(retries: 1))", "1 retry at once")
        XCTAssertEqual(
            "\(RetryPolicy.constant(.seconds(1), retries: nil).resetting(afterValues: 1).resetting(after: .seconds(2)))",
            "any number of retries after 1.0 seconds each, anew after 1 value, anew after 2.0 seconds")
    }

    func test_isAValue() {
        XCTAssertEqual(exponential(.full), exponential(.full))
        XCTAssertNotEqual(exponential(.full), exponential(.full).resetting(afterValues: 3))
        XCTAssertEqual(Set([exponential(.full), exponential(.full), exponential(.none)]).count, 2)
    }
}
