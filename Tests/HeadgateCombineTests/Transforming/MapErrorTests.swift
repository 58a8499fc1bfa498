import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class MapErrorTests: XCTestCase {
    private struct Wrapped: Error, Equatable {
        let reason: TestFailure
    }

    func test_translatesTheFailureAndNothingElse() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, Wrapped>.checked(.unlimited)
        upstream.mapError { Wrapped(reason: $0) }.subscribe(subscriber)
        upstream.send(1)
        upstream.send(completion: .failure(.second))
        XCTAssertEqual(
            subscriber.events,
            [
                .subscription("TestPublisher"), .request(.unlimited), .value(1),
                .completion(.failure(Wrapped(reason: .second))),
            ])
    }

    func test_translatesWhatAStepBeforeItThrows() {
        let subscriber = outcome(
            of: Values(1...2).tryMap { _ -> Int in throw TestFailure.second }.mapError {
                Wrapped(reason: $0 as? TestFailure ?? .first)
            })
        XCTAssertEqual(subscriber.failure, Wrapped(reason: .second))
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.mapError { $0 } }
        checkStep { Publishers.MapError(upstream: $0, { $0 as any Error }) }
    }
}
