import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class FlatMapFailuresTests: XCTestCase {
    private func run(
        _ failures: Publishers.FailureTiming, _ act: (PassthroughSubject<Int, TestFailure>, any Subscription) -> Void
    ) -> [String] {
        let source = PassthroughSubject<Int, TestFailure>()
        var received: [String] = []
        var subscription: any Subscription = Subscriptions.empty
        source.flatMap(failures: failures) { [$0, $0 * 10].publisher.setFailureType(to: TestFailure.self) }
            .subscribe(
                AnySubscriber(
                    receiveSubscription: { subscription = $0 },
                    receiveValue: {
                        received.append("\($0)")
                        return .none
                    }, receiveCompletion: { received.append($0 == .finished ? "finished" : "failure") }))
        subscription.request(.max(1))
        act(source, subscription)
        return received
    }

    func test_dropsWhatWaitsWhenItFailsAtOnce() {
        let received = run(.atOnce) { source, subscription in
            source.send(1)
            source.send(2)
            source.send(completion: .failure(.first))
            subscription.request(.unlimited)
        }
        XCTAssertEqual(received, ["1", "failure"])
    }

    func test_deliversWhatWaitsBeforeItFails() {
        let inners = (0..<2).map { _ in TestPublisher<Int, TestFailure>() }
        let source = PassthroughSubject<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        source.flatMap(failures: .afterValues) { inners[$0] }.subscribe(subscriber)
        for index in 0..<2 { source.send(index) }
        for index in 0..<2 { inners[index].send(index) }
        source.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.values, [0])
        XCTAssertNil(subscriber.completion, "a value waits")
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [0, 1])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_failsAtOnceWhereNothingWaits() {
        XCTAssertEqual(run(.afterValues) { source, _ in source.send(completion: .failure(.first)) }, ["failure"])
    }

    func test_cancelsTheOthersWhenOneFails() {
        let slow = TestPublisher<Int, TestFailure>()
        let source = PassthroughSubject<AnyPublisher<Int, TestFailure>, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        source.flatMap(failures: .afterValues) { $0 }.subscribe(subscriber)
        source.send(slow.eraseToAnyPublisher())
        source.send(Fail(error: .first).eraseToAnyPublisher())
        XCTAssertEqual(slow.cancelCount, 1)
        XCTAssertEqual(subscriber.failure, .first)
    }
}
