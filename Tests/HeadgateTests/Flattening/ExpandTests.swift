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
            XCTAssertEqual(made, order == .breadthFirst ? [1] : [1, 10])
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

    func test_whereThereIsNoRoomValuesAreNotExpandedAndThatIsReported() {
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

    func test_publishersOfASingleValueAreNoSpecialCase() {
        func expanded(_ limit: Int) -> some Publisher<Int, TestFailure> {
            Just(0).setFailureType(to: TestFailure.self)
                .expand(limit: limit, whenFull: .fail { .first }) { value in
                    Publishers.SetFailureType<Optional<Int>.Publisher, TestFailure>(
                        upstream: (value < 4 ? value + 1 : nil).publisher)
                }
        }
        let oneByOne = TestSubscriber<Int, TestFailure>.checked(.oneByOne)
        expanded(1).subscribe(oneByOne)
        XCTAssertEqual(oneByOne.values, [0, 1, 2, 3, 4])
        XCTAssertTrue(oneByOne.hasFinished)
        let few = TestSubscriber<Int, TestFailure>.checked(.first(2))
        expanded(1).subscribe(few)
        XCTAssertEqual(few.values, [0, 1])
        few.request(.max(2))
        XCTAssertEqual(few.values, [0, 1, 2, 3])
        few.cancel()
        let cancelling = TestSubscriber<Int, TestFailure>.checked(
            DemandScript(atSubscription: .unlimited, reactions: [.nothing, .nothing, .cancel]))
        expanded(1).subscribe(cancelling)
        XCTAssertEqual(cancelling.values, [0, 1, 2])
        XCTAssertNil(cancelling.completion)
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

    func test_aHundredThousandGenerationsAreFlat() {
        let count = Scale.reduced(100_000)
        for order in Publishers.ExpansionOrder.allCases {
            let subscriber = CountingSubscriber<Int, Never>()
            Just(1).expand(order, limit: count, whenFull: .skip) { ($0 < count ? [$0 + 1] : []).publisher }
                .subscribe(subscriber)
            XCTAssertEqual(subscriber.count, count, "\(order)")
            XCTAssertTrue(subscriber.hasFinished, "\(order)")
        }
    }

    func test_timeGrowsLinearlyWithTheDepth() {
        for order in Publishers.ExpansionOrder.allCases {
            assertGrowsLinearly(from: 500) { count in
                let subscriber = CountingSubscriber<Int, Never>()
                Just(1).expand(order, limit: count, whenFull: .skip) { ($0 < count ? [$0 + 1, .max] : []).publisher }
                    .subscribe(subscriber)
                XCTAssertEqual(subscriber.count, 2 * count - 1)
            }
        }
    }

    func test_depthFirstNothingIsRequestedWithoutDemandAndOneValueAtATimeWithIt() {
        let upstream = TestPublisher<Int, TestFailure>()
        let inners = (0..<3).map { _ in TestPublisher<Int, TestFailure>() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.none)
        upstream.expand(.depthFirst, limit: 9, whenFull: .skip) { inners[$0] }.subscribe(subscriber)
        XCTAssertEqual(upstream.calls, [])
        subscriber.request(1)
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
        upstream.send(0)
        XCTAssertEqual(inners[0].calls, [])
        subscriber.request(.unlimited)
        XCTAssertEqual(inners[0].calls, [.request(.max(1))])
        inners[0].send(1)
        inners[1].send(2)
        XCTAssertEqual(inners[0].calls, [.request(.max(1))])
        XCTAssertEqual(inners[1].calls, [.request(.max(1))])
        XCTAssertEqual(inners[2].calls, [.request(.max(1))])
        // Those above may finish first. What was nested is then left level by level.
        inners[0].finish()
        inners[2].finish()
        XCTAssertEqual(inners[1].calls, [.request(.max(1)), .request(.max(1))])
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
        inners[1].finish()
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .request(.max(1))])
        upstream.finish()
        XCTAssertEqual(subscriber.values, [0, 1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }
}
