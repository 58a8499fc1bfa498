import Headgate
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class UnfoldTests: XCTestCase {
    func test_callsTheClosureOnceForEachValueThatIsRequested() {
        var calls = 0
        let numbers = Publishers.unfold(0) { state -> Int? in
            calls += 1
            state += 1
            return state
        }
        let subscriber = TestSubscriber<Int, Never>.checked()
        numbers.subscribe(subscriber)
        XCTAssertEqual(calls, 0)
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(calls, 2)
        subscriber.cancel()
        subscriber.request(.max(2))
        XCTAssertEqual(calls, 2)
    }

    func test_finishesWhenThereIsNoMore() {
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
        Publishers.unfold(2) { left -> Int? in
            defer { left -= 1 }
            return left > 0 ? left : nil
        }.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [2, 1])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_failsWithTheErrorThatIsThrownAndCallsNoMore() {
        var calls = 0
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(5))
        Publishers.unfold(0) { (state: inout Int) throws(TestFailure) -> Int? in
            calls += 1
            state += 1
            if state == 3 { throw .first }
            return state
        }.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(calls, 3)
    }

    func test_everySubscriberBeginsWithTheInitialState() {
        let numbers = Publishers.unfold(7) { state -> Int? in
            defer { state += 1 }
            return state
        }
        for _ in 1...2 {
            let subscriber = TestSubscriber<Int, Never>.checked(.first(2))
            numbers.subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [7, 8])
        }
    }

    func test_theFifthVersionOfTheCountdownHoldsTheContract() {
        func countdown(from start: Int) -> some Publisher<Int, Never> {
            Publishers.unfold(start) { left -> Int? in
                defer { left -= 1 }
                return left > 0 ? left : nil
            }
        }
        let verification = verify(publisher: countdown(from: 3), .finite)
            .excusing(.completesAfterLastValue, because: "it has to be read")
        XCTAssertTrue(verification.isConforming, "\(verification)")
    }

    func test_servesAMillionFlat() {
        var count = 0
        let listener = Publishers.unfold(0) { state -> Int? in
            state += 1
            return state > Scale.reduced(1_000_000) ? nil : state
        }.sink { _ in count += 1 }
        XCTAssertEqual(count, Scale.reduced(1_000_000))
        withExtendedLifetime(listener) {}
    }

    func test_releasesItsState() {
        assertReleases { tracked in
            Publishers.unfold((tracked, 0)) { state -> Int? in
                state.1 += 1
                return state.1 > 3 ? nil : state.1
            }
        }
    }
}
