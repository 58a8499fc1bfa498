import HeadgateCombine
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// `merge` and `flatMap` when demand comes back with values, while several threads send and one of them from inside a
/// delivery.
final class MergeDemandConcurrencyTests: XCTestCase {
    private static let count = 20_000

    func test_aMergeWhoseSubscriberAnswersEachValueWithDemandGoesOn() {
        for _ in 0..<10 {
            check { first, second in first.merge(with: second).eraseToAnyPublisher() }
        }
    }

    func test_aFlatMapWhoseSubscriberAnswersEachValueWithDemandGoesOn() {
        for _ in 0..<10 {
            check { first, second in [first, second].publisher.flatMap { $0 }.eraseToAnyPublisher() }
        }
    }

    /// Sends to one subject directly, and to the other from inside the deliveries of a third.
    private func check(
        _ join: (PassthroughSubject<Int, Never>, PassthroughSubject<Int, Never>) -> AnyPublisher<Int, Never>
    ) {
        let direct = PassthroughSubject<Int, Never>()
        let relayed = PassthroughSubject<Int, Never>()
        let source = PassthroughSubject<Int, Never>()
        let received = Atomic(0)
        // Always one unit of demand: each value is answered with the next.
        let subscriber = AnySubscriber<Int, Never>(
            receiveSubscription: { $0.request(.max(1)) },
            receiveValue: { _ in
                received.add(1, ordering: .relaxed)
                return .max(1)
            })
        join(direct, relayed).subscribe(subscriber)
        let relay = source.sink { relayed.send($0) }
        onThreads(2) { thread in
            for value in 0..<Self.count { (thread == 0 ? direct : source).send(value) }
        }
        let before = received.load(ordering: .relaxed)
        for value in 0..<10 { direct.send(value) }
        XCTAssertEqual(received.load(ordering: .relaxed), before + 10, "nothing is stuck")
        relay.cancel()
    }
}
