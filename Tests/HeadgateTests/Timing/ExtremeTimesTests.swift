import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// Lengths of time that are nothing, less, and for ever, and clocks that stand still, wherever an operator takes a time.
final class ExtremeTimesTests: XCTestCase {
    private typealias Length = TestTime.Stride

    /// What an operator makes of a hundred values, if the time moves on for long.
    private func run<P: Publisher>(
        at start: Length = .seconds(1), moves: Bool = true,
        _ make: (Publishers.Sequence<Range<Int>, Never>, TestScheduler) -> P
    ) -> TestSubscriber<P.Output, P.Failure> {
        let scheduler = TestScheduler()
        scheduler.advance(by: start)
        let subscriber = TestSubscriber<P.Output, P.Failure>.checked(.unlimited)
        make((0..<100).publisher, scheduler).subscribe(subscriber)
        if moves { scheduler.advance(by: .seconds(1000)) } else { scheduler.runDue() }
        return subscriber
    }

    func test_noTimeAtAllLetsEverythingThrough() {
        let all = Array(0..<100)
        XCTAssertEqual(run { $0.interval(.zero, scheduler: $1) }.values, all)
        XCTAssertEqual(run { $0.rateLimit(1, per: .zero, scheduler: $1) }.values, all)
        XCTAssertEqual(run { $0.delaySubscription(for: .zero, scheduler: $1) }.values, all)
        XCTAssertEqual(run { $0.batch(count: 7, within: .zero, scheduler: $1) }.values.flatMap { $0 }, all)
        XCTAssertEqual(run { $0.share(replay: 3, for: .zero, scheduler: $1) }.values, all)
        XCTAssertEqual(run { $0.cached(for: .zero, scheduler: $1) }.values, all)
        XCTAssertEqual(
            run {
                $0.groupBy(limit: 200, idleTimeout: .zero, scheduler: $1, whenFull: .finishIdlest) { $0 }.flatMap { $0 }
            }.values, all)
        XCTAssertEqual(
            run { $0.window(within: .zero, scheduler: $1, unread: .hold).concatMap { $0 } }.values, all)
    }

    func test_forEverIsForEver() {
        let all = Array(0..<100)
        let never = Length.nanoseconds(.max)
        XCTAssertEqual(run { $0.interval(never, scheduler: $1) }.values, [0])
        XCTAssertEqual(run { $0.rateLimit(3, per: never, scheduler: $1) }.values, [0, 1, 2])
        XCTAssertEqual(run { $0.batch(count: 7, within: never, scheduler: $1) }.values.flatMap { $0 }, all)
        XCTAssertEqual(run { $0.onStall(for: never, scheduler: $1) { _ in XCTFail("stalled") } }.values, all)
    }

    func test_aMomentBeyondTheGreatestThereIsIsNeverReached() {
        let all = Array(0..<100)
        let never = Length.nanoseconds(.max)
        XCTAssertEqual(run { $0.share(replay: 3, for: never, scheduler: $1) }.values, all)
        XCTAssertEqual(run { $0.cached(for: never, scheduler: $1) }.values, all)
        XCTAssertEqual(
            run { upstream, scheduler in
                upstream.setFailureType(to: TestFailure.self)
                    .timeout(first: never, between: never, total: never, scheduler: scheduler) { _ in .first }
            }.values, all)
        XCTAssertEqual(run { $0.delaySubscription(for: never, scheduler: $1) }.values, [])
        XCTAssertEqual(run { $0.delay(for: never, scheduler: $1) }.values, [])
        XCTAssertEqual(
            run { $0.append(Empty(completeImmediately: false)).debounce(for: never, scheduler: $1) }.values, [])
        XCTAssertEqual(run { $0.timeout(never, scheduler: $1) }.values, all)
        XCTAssertEqual(run { $0.throttle(for: never, scheduler: $1, latest: true) }.values, [99])
        XCTAssertEqual(run { $0.collect(.byTime($1, never)) }.values, [all])
    }

    func test_whereTheClockStandsStillNothingIsLostAndNothingHangs() {
        let all = Array(0..<100)
        XCTAssertEqual(run(moves: false) { $0.interval(.seconds(1), scheduler: $1) }.values, [0])
        XCTAssertEqual(run(moves: false) { $0.rateLimit(4, per: .seconds(1), scheduler: $1) }.values, [0, 1, 2, 3])
        XCTAssertEqual(run(moves: false) { $0.batch(count: 7, within: .seconds(1), scheduler: $1) }.values.count, 15)
        XCTAssertEqual(
            run(moves: false) { $0.window(within: .seconds(1), scheduler: $1, unread: .hold).concatMap { $0 } }.values,
            all)
        XCTAssertEqual(run(moves: false) { $0.share(replay: 3, for: .seconds(1), scheduler: $1) }.values, all)
        XCTAssertEqual(run(moves: false) { $0.cached(for: .seconds(1), scheduler: $1) }.values, all)
        XCTAssertEqual(run(moves: false) { $0.onStall(for: .seconds(1), scheduler: $1) { _ in } }.values, all)
        let failing = Fail<Int, TestFailure>(error: .first)
        let scheduler = TestScheduler()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        failing.retry(.constant(.seconds(1), retries: 3), scheduler: scheduler).subscribe(subscriber)
        scheduler.runDue()
        XCTAssertNil(subscriber.completion, "the pause is not over")
        subscriber.cancel()
    }
}
