import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class FirstWithValueTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    func test_theFirstToSendAValueStaysAndTheOthersAreCancelled() {
        let hands = (0..<3).map { _ in Hand() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        hands.firstWithValue().subscribe(subscriber)
        XCTAssertEqual(hands.map(\.requested), [.max(2), .max(2), .max(2)])
        hands[0].fail(.first)
        hands[1].send(1)
        XCTAssertEqual(hands.map(\.cancelCount), [0, 0, 1])
        hands[1].send(2)
        subscriber.request(.max(1))
        XCTAssertEqual(hands.map(\.requested), [.max(2), .max(3), .max(2)])
        hands[1].fail(.second)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_sidesThatFinishWithoutAValueDoNotLookAtEachOther() {
        assertGrowsLinearly(from: 2_000) { count in
            let sides = (0..<count).map { _ in PassthroughSubject<Int, Never>() }
            let subscriber = TestSubscriber<Int, Never>(.unlimited)
            sides.firstWithValue().subscribe(subscriber)
            for side in sides { side.send(completion: .finished) }
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_anEmptySideLosesToAValue() {
        let (first, second) = (Hand(), Hand())
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        first.firstWithValue(second).subscribe(subscriber)
        second.finish()
        XCTAssertNil(subscriber.completion)
        first.send(1)
        first.finish()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_withoutAnyValueTheStreamEndsWithTheLastSide() {
        let endings: [(Subscribers.Completion<TestFailure>, Subscribers.Completion<TestFailure>)] = [
            (.finished, .finished), (.failure(.first), .finished), (.finished, .failure(.second)),
            (.failure(.first), .failure(.second)),
        ]
        let expected: [Subscribers.Completion<TestFailure>] = [
            .finished, .failure(.first), .failure(.second), .failure(.second),
        ]
        for ((one, other), expected) in zip(endings, expected) {
            let (first, second) = (Hand(), Hand())
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.none)
            first.firstWithValue(second).subscribe(subscriber)
            first.send(completion: one)
            XCTAssertNil(subscriber.completion)
            second.send(completion: other)
            XCTAssertEqual(subscriber.completion, expected)
        }
    }

    func test_sidesThatEndWhileTheyAreAttached() {
        let failure = Fail<Int, TestFailure>(error: .first).eraseToAnyPublisher()
        let value = Just(1).setFailureType(to: TestFailure.self).eraseToAnyPublisher()
        let nothing = Empty<Int, TestFailure>().eraseToAnyPublisher()
        let cases: [([AnyPublisher<Int, TestFailure>], [Int], Subscribers.Completion<TestFailure>)] = [
            ([failure, nothing, value], [1], .finished), ([value, failure], [1], .finished),
            ([failure, nothing], [], .failure(.first)), ([nothing, nothing], [], .finished), ([], [], .finished),
        ]
        for (sides, values, completion) in cases {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            sides.firstWithValue().subscribe(subscriber)
            XCTAssertEqual(subscriber.values, values)
            XCTAssertEqual(subscriber.completion, completion)
        }
    }

    func test_cancelReachesAllSides() {
        let hands = (0..<3).map { _ in Hand() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        hands.firstWithValue().subscribe(subscriber)
        hands[0].fail(.first)
        subscriber.cancel()
        XCTAssertEqual(hands.map(\.cancelCount), [0, 1, 1])
    }
}
