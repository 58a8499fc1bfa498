import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// Operators that are made of others: what they make of values, and that each subscriber has a state of its own.
final class SmallOperatorTests: XCTestCase {
    private func values<P: Publisher>(_ publisher: P, _ script: DemandScript = .unlimited) -> [P.Output] {
        let subscriber = TestSubscriber<P.Output, P.Failure>.checked(script)
        publisher.subscribe(subscriber)
        return subscriber.values
    }

    func test_enumeratedCountsFromWhereConfigured() {
        let enumerated = ["a", "b", "c"].publisher.enumerated()
        for _ in 0..<2 { XCTAssertEqual(values(enumerated, .oneByOne).map(\.index), [0, 1, 2]) }
        XCTAssertEqual(values(["a", "b"].publisher.enumerated(initial: .max)).map(\.index), [.max, .min])
        XCTAssertEqual(values(["a", "b"].publisher.enumerated()).map(\.element), ["a", "b"])
    }

    func test_toggleMapToValueAndMapToVoid() {
        XCTAssertEqual(values([true, false].publisher.map { $0 }.toggle()), [false, true])
        XCTAssertEqual(values([1, 2].publisher.mapToValue("x")), ["x", "x"])
        XCTAssertEqual(values([1, 2].publisher.mapToVoid()).count, 2)
    }

    func test_mapManyAndFilterManyLookInside() {
        XCTAssertEqual(values(Just([1, 2, 3]).mapMany { "\($0)" }), [["1", "2", "3"]])
        XCTAssertEqual(values([[1, 2], [1]].publisher.filterMany { $0 > 1 }), [[2], []])
        XCTAssertEqual(values(Just(Set([1])).mapMany { $0 + 1 }), [[2]])
    }

    func test_typesThatAreDeclaredForNothing() {
        XCTAssertEqual(values(Empty<Never, Never>().setOutputType(to: Int.self).append(7)), [7])
        XCTAssertEqual(values([1, 2].publisher.ignoreOutput(setOutputType: String.self).append("end")), ["end"])
    }

    func test_scanEmitsItsSeedAgainstDemandAndBeginsAnewForEachSubscriber() {
        let sums = [1, 2, 3].publisher.map { $0 }.scan(emitting: 0, +)
        for _ in 0..<2 { XCTAssertEqual(values(sums), [0, 1, 3, 6]) }
        let subscriber = TestSubscriber<Int, Never>.checked()
        sums.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [])
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, [0, 1])
    }

    func test_ignoreFailureFinishesOrStaysOpen() {
        let failing = (1...2).publisher.setFailureType(to: TestFailure.self).append(FailsAtOnce())
        let finishing = TestSubscriber<Int, Never>.checked(.unlimited)
        failing.ignoreFailure().subscribe(finishing)
        XCTAssertTrue(finishing.hasFinished)
        let open = TestSubscriber<Int, Never>.checked(.unlimited)
        failing.ignoreFailure(completeImmediately: false).subscribe(open)
        XCTAssertEqual(open.values, [1, 2])
        XCTAssertNil(open.completion)
        struct Other: Error {}
        let other = TestSubscriber<Int, Other>.checked(.unlimited)
        failing.ignoreFailure(setFailureType: Other.self).subscribe(other)
        XCTAssertTrue(other.hasFinished)
    }

    func test_batchesAreSubscribedToOneAfterTheOther() {
        let sources = (0..<3).map { _ in TestPublisher<Int, TestFailure>() }
        let subscriber = TestSubscriber<[Int], TestFailure>.checked(.unlimited)
        sources.flatMapBatches(of: 2).subscribe(subscriber)
        XCTAssertEqual(sources.map(\.subscriptionCount), [1, 1, 0])
        sources[0].send(1)
        sources[1].send(2)
        XCTAssertEqual(subscriber.values, [[1, 2]])
        sources[0].finish()
        sources[1].finish()
        XCTAssertEqual(sources[2].subscriptionCount, 1)
        sources[2].send(3)
        sources[2].fail(.first)
        XCTAssertEqual(subscriber.values, [[1, 2], [3]])
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(values([Just(1), Just(2)].flatMapBatches(of: .max)), [[1, 2]])
        XCTAssertEqual(values([Just<Int>]().flatMapBatches(of: 3)), [])
    }
}
