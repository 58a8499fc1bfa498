import Headgate
import HeadgateTesting
import TestSupport
import XCTest

extension Publisher where Output == String {
    /// The parts between commas.
    fileprivate func parts() -> some Publisher<String, Failure> {
        map { $0.map(String.init).publisher }
            .flatMap { $0 }
            .step(state: "") { rest, letter -> String? in
                if letter != "," {
                    rest += letter
                    return nil
                }
                defer { rest = "" }
                return rest
            } atEnd: {
                $0.isEmpty ? nil : $0
            }
    }
}

final class StepAtEndTests: XCTestCase {
    func test_publishesWhatIsLeftAtTheEnd() {
        for (chunks, expected) in [
            (["a,b", ",c"], ["a", "b", "c"]), (["a,"], ["a"]), ([], []), (["a"], ["a"]),
        ] {
            let subscriber = TestSubscriber<String, Never>.checked(.oneByOne)
            chunks.publisher.parts().subscribe(subscriber)
            XCTAssertEqual(subscriber.values, expected)
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_requestsAnotherValueForEachThatIsDroppedAndKeepsTheLastUntilItIsRequested() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.step(state: 0) { sum, value -> Int? in
            sum += value
            return sum.isMultiple(of: 2) ? sum : nil
        } atEnd: {
            -$0
        }
        .subscribe(subscriber)
        XCTAssertEqual(upstream.outstanding, .max(1))
        upstream.send(1)
        XCTAssertEqual(upstream.outstanding, .max(1))
        upstream.send(1)
        XCTAssertEqual(upstream.outstanding, .none)
        XCTAssertEqual(subscriber.values, [2])
        upstream.finish()
        XCTAssertNil(subscriber.completion)
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [2, -2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aFailureComesAtOnce() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.step(state: 0) { sum, value -> Int? in
            sum += value
            return nil
        } atEnd: {
            $0
        }
        .subscribe(subscriber)
        upstream.send(1)
        upstream.fail(.first)
        XCTAssertEqual(subscriber.values, [])
        XCTAssertEqual(subscriber.failure, .first)
    }
}
