import HeadgateCombine
import TestSupport
import XCTest

final class MapErrorTests: XCTestCase {
    private struct Wrapped: Error, Equatable {
        let reason: TestFailure
    }

    func test_translatesTheFailureAndNothingElse() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, Wrapped>(demand: .unlimited)
        upstream.mapError { Wrapped(reason: $0) }.subscribe(recorder)
        upstream.send(1)
        upstream.send(completion: .failure(.second))
        XCTAssertEqual(
            recorder.events,
            [.subscription("HandPublisher"), .value(1), .completion(.failure(Wrapped(reason: .second)))])
    }

    func test_translatesWhatAStepBeforeItThrows() {
        let recorder = outcome(
            of: Values(1...2).tryMap { _ -> Int in throw TestFailure.second }.mapError {
                Wrapped(reason: $0 as? TestFailure ?? .first)
            })
        XCTAssertEqual(recorder.failure, Wrapped(reason: .second))
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.mapError { $0 } }
        checkStep { Publishers.MapError(upstream: $0, { $0 as any Error }) }
    }
}
