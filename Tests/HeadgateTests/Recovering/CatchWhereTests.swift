import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class CatchWhereTests: XCTestCase {
    private let upstream = TestPublisher<Int, TestFailure>()
    private let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(4))

    func test_goesOnAfterWhatIsCaughtWithTheDemandThatIsLeft() {
        let other = TestPublisher<Int, TestFailure>()
        upstream.catch(where: { $0 == .first }) { _ in other }.subscribe(subscriber)
        upstream.send(1)
        upstream.fail(.first)
        XCTAssertEqual(other.calls, [.request(.max(3))])
        other.send(2)
        other.fail(.first)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(subscriber.failure, .first, "a failure of the other publisher is not caught")
    }

    func test_passesOtherFailuresOn() {
        upstream.catch(where: { $0 == .first }) { _ in Empty() }.subscribe(subscriber)
        upstream.fail(.second)
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_fallbackGoesOnAfterAnyFailureAndMakesThePublisherThen() {
        nonisolated(unsafe) var made = 0
        @Sendable func other() -> Just<Int> {
            made += 1
            return Just(7)
        }
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.fallback(to: other()).subscribe(subscriber)
        XCTAssertEqual(made, 0)
        upstream.fail(.second)
        XCTAssertEqual(made, 1)
        XCTAssertEqual(subscriber.values, [7])
        XCTAssertTrue(subscriber.hasFinished)
    }
}
