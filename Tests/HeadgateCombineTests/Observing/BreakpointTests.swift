import Foundation
import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class BreakpointTests: XCTestCase {
    func test_stopsTheProcessWhereAClosureSaysSoWhateverCatchesTheSignal() throws {
        for backtraces in [false, true] {
            let outcome = try outcome(ofMistake: "breakpoint", backtraces: backtraces)
            XCTAssertEqual(outcome.reason, .uncaughtSignal)
            XCTAssertEqual(outcome.status, SIGTRAP)
        }
    }

    func test_goesOnWhereADebuggerLetsTheProcessGoOn() throws {
        let outcome = try outcome(ofMistake: "breakpoint under a debugger")
        XCTAssertEqual(outcome.reason, .exit)
        XCTAssertEqual(outcome.status, 0)
        XCTAssertEqual(outcome.output, "value 1\nvalue 2\nvalue 3\n")
    }

    func test_callsEachClosureAndGoesOnWhereNoneSaysStop() {
        var questions: [String] = []
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let upstream = TestPublisher<Int, TestFailure>()
        upstream
            .breakpoint(
                receiveSubscription: {
                    questions.append("subscription \($0)")
                    return false
                },
                receiveOutput: {
                    questions.append("value \($0)")
                    return false
                },
                receiveCompletion: {
                    questions.append("completion \($0)")
                    return false
                }
            )
            .breakpoint()
            .subscribe(subscriber)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(
            questions, ["subscription TestPublisher", "value 1", "completion failure(TestSupport.TestFailure.first)"])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_breakpointOnErrorStopsAtAFailureOnly() {
        let publisher = Fail<Int, TestFailure>(error: .first).breakpointOnError()
        XCTAssertEqual(publisher.receiveCompletion?(.failure(.first)), true)
        XCTAssertEqual(publisher.receiveCompletion?(.finished), false)
        XCTAssertNil(publisher.receiveOutput)
        XCTAssertNil(publisher.receiveSubscription)
    }

    func test_isTransparent() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(2)) { _, _ in .max(1) }
        upstream.breakpoint().subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 1), .max(1))
        upstream.finish()
        XCTAssertEqual(
            subscriber.events,
            [.subscription("TestPublisher"), .request(.max(2)), .value(1), .answer(.max(1)), .completion(.finished)])
        let other = TestSubscriber<Int, Never>.checked(.first(3))
        upstream.breakpoint().subscribe(other)
        other.cancel()
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .answer(.max(1)), .request(.max(3)), .cancel])
    }

    func test_releasesClosuresAndSubscriber() {
        assertReleases { tracked in
            Just(tracked).breakpoint(receiveOutput: { _ in
                _ = tracked
                return false
            })
        }
    }
}
