import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class FlatMapLatestFailureTests: XCTestCase {
    private func check<P: Publisher>(
        _ publisher: P, _ completion: Subscribers.Completion<P.Failure>, line: UInt = #line
    ) where P.Output == Int, P.Failure: Equatable {
        let subscriber = TestSubscriber<Int, P.Failure>.checked(.unlimited)
        publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [10, 20], line: line)
        XCTAssertEqual(subscriber.completion, completion, line: line)
    }

    func test_followsThePublishersWhicheverMayFail() {
        let safe = [1, 2].publisher
        let failing = safe.setFailureType(to: TestFailure.self).append(Fail(error: TestFailure.first))
        check(failing.flatMapLatest { Just($0 * 10).setFailureType(to: TestFailure.self) }, .failure(.first))
        check(failing.flatMapLatest { Just($0 * 10) }, .failure(.first))
        check(safe.flatMapLatest { Just($0 * 10).setFailureType(to: TestFailure.self) }, .finished)
        check(safe.flatMapLatest { Just($0 * 10) }, .finished)
    }

    func test_leavesAPublisherForTheNext() {
        let upstream = PassthroughSubject<Int, Never>()
        let inners = (0..<2).map { _ in TestPublisher<Int, Never>() }
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.flatMapLatest { inners[$0] }.subscribe(subscriber)
        upstream.send(0)
        inners[0].send(1)
        upstream.send(1)
        inners[1].send(2)
        XCTAssertEqual(inners.map(\.cancelCount), [1, 0])
        XCTAssertEqual(subscriber.values, [1, 2])
    }
}
