import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class ExpandTests: XCTestCase {
    /// A tree in which the children of 1 are 10 to 12, those of 10 are 100 to 102, and so on, three deep.
    private func children(of number: Int) -> Publishers.Sequence<ClosedRange<Int>, TestFailure> {
        (number < 100 ? number * 10...number * 10 + 2 : 1...1).publisher.setFailureType(to: TestFailure.self)
    }

    private func tree(_ number: Int) -> AnyPublisher<Int, TestFailure> {
        number < 100 ? children(of: number).eraseToAnyPublisher() : Empty().eraseToAnyPublisher()
    }

    private func reference(_ order: Publishers.ExpansionOrder, _ roots: [Int]) -> [Int] {
        var values: [Int] = []
        var waiting = roots
        while !waiting.isEmpty {
            let number = waiting.removeFirst()
            values.append(number)
            let next = number < 100 ? Array(number * 10...number * 10 + 2) : []
            waiting = order == .breadthFirst ? waiting + next : next + waiting
        }
        return values
    }

    func test_goesThroughATreeInTheOrderThatIsNamed() {
        for order in Publishers.ExpansionOrder.allCases {
            for script in [DemandScript.unlimited, .oneByOne, .oneByOneReentrantly] {
                let subscriber = TestSubscriber<Int, TestFailure>.checked(script)
                [1, 2].publisher.setFailureType(to: TestFailure.self)
                    .expand(order, limit: 100, whenFull: .skip) { self.tree($0) }
                    .subscribe(subscriber)
                XCTAssertEqual(subscriber.values, reference(order, [1, 2]), "\(order)")
                XCTAssertTrue(subscriber.hasFinished)
            }
        }
    }

    func test_makesAPublisherOnlyWhenItsTurnComes() {
        for order in Publishers.ExpansionOrder.allCases {
            var made: [Int] = []
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
            Just(1).setFailureType(to: TestFailure.self)
                .expand(order, limit: 10, whenFull: .skip) { number in
                    made.append(number)
                    return self.tree(number)
                }
                .subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [1, 10])
            XCTAssertEqual(made.first, 1)
            // Depth first, one value is requested ahead at each depth.
            if order == .breadthFirst { XCTAssertEqual(made, [1]) }
            subscriber.cancel()
        }
    }

    func test_whereThereIsNoRoomTheStreamFails() {
        for order in Publishers.ExpansionOrder.allCases {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            Just(1).setFailureType(to: TestFailure.self)
                .expand(order, limit: 2, whenFull: .fail { .first }) { self.tree($0) }
                .subscribe(subscriber)
            XCTAssertEqual(subscriber.failure, .first)
            XCTAssertEqual(subscriber.values, order == .breadthFirst ? [1, 10, 11] : [1, 10])
        }
    }

    func test_whereThereIsNoRoomValuesAreNotExpandedAndThatIsTold() {
        var skipped: [Int] = []
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        Just(1).setFailureType(to: TestFailure.self)
            .expand(.breadthFirst, limit: 2, whenFull: .skip, onSkip: { skipped.append($0) }) { self.tree($0) }
            .subscribe(subscriber)
        XCTAssertEqual(skipped.first, 12)
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertTrue(subscriber.values.contains(12))
        XCTAssertFalse(subscriber.values.contains(120))
    }

    func test_depthIsWhatIsLimitedDepthFirst() {
        var skipped: [Int] = []
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        Just(1).setFailureType(to: TestFailure.self)
            .expand(.depthFirst, limit: 1, whenFull: .skip, onSkip: { skipped.append($0) }) { self.tree($0) }
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 10, 11, 12])
        XCTAssertEqual(skipped, [10, 11, 12])
    }

    func test_failuresOfUpstreamAndOfPublishersEndIt() {
        for order in Publishers.ExpansionOrder.allCases {
            let upstream = TestPublisher<Int, TestFailure>()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            upstream.expand(order, limit: 4, whenFull: .skip) { _ in Fail(error: .second) }.subscribe(subscriber)
            upstream.send(1)
            upstream.fail(.first)
            XCTAssertEqual(subscriber.values, [1])
            XCTAssertEqual(subscriber.failure, order == .breadthFirst ? .first : .second)
        }
    }

    func test_cancelReachesThePublisherThatIsGoing() {
        let inner = TestPublisher<Int, TestFailure>()
        for order in Publishers.ExpansionOrder.allCases {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            Just(1).setFailureType(to: TestFailure.self)
                .expand(order, limit: 4, whenFull: .skip) { _ in inner }.subscribe(subscriber)
            subscriber.cancel()
        }
        XCTAssertEqual(inner.cancelCount, 2)
    }

    func test_aMillionGenerationsAreFlatBreadthFirst() {
        let subscriber = CountingSubscriber<Int, Never>()
        let count = Scale.reduced(1_000_000)
        Just(1).expand(limit: 1, whenFull: .skip) { ($0 < count ? [$0 + 1] : []).publisher }.subscribe(subscriber)
        XCTAssertEqual(subscriber.count, count)
        XCTAssertTrue(subscriber.hasFinished)
    }
}
