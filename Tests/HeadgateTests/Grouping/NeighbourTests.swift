import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// `pairwise`, `nwise`, `sliding` and `chunked`.
final class NeighbourTests: XCTestCase {
    func test_pairwisePairsNeighbours() {
        let upstream = TestPublisher<Int, Never>(serving: [1, 4, 9])
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        upstream.pairwise().map { $1 - $0 }.subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .max(2), "one more for the first value")
        subscriber.request(.unlimited)
        XCTAssertEqual(subscriber.values, [3, 5])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_everySubscriberHasNeighboursOfItsOwn() {
        let pairs = [1, 2].publisher.pairwise()
        for _ in 1...2 {
            let subscriber = TestSubscriber<(Int, Int), Never>.checked(.unlimited)
            pairs.subscribe(subscriber)
            XCTAssertEqual(subscriber.values.map { [$0.0, $0.1] }, [[1, 2]])
        }
    }

    private func slides(_ size: Int, step: Int) -> [[Int]] {
        let subscriber = TestSubscriber<[Int], Never>.checked(.oneByOne)
        (1...7).publisher.sliding(size, step: step).subscribe(subscriber)
        XCTAssertTrue(subscriber.hasFinished)
        return subscriber.values
    }

    func test_slidesByItsStep() {
        XCTAssertEqual(slides(3, step: 1), [[1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6], [5, 6, 7]])
        XCTAssertEqual(slides(3, step: 2), [[1, 2, 3], [3, 4, 5], [5, 6, 7]])
        XCTAssertEqual(slides(3, step: 3), [[1, 2, 3], [4, 5, 6]])
        XCTAssertEqual(slides(2, step: 4), [[1, 2], [5, 6]])
        XCTAssertEqual(slides(1, step: .max), [[1]])
        XCTAssertEqual(slides(.max, step: 1), [])
        let triples = TestSubscriber<[Int], Never>.checked(.unlimited)
        (1...4).publisher.nwise(3).subscribe(triples)
        XCTAssertEqual(triples.values, [[1, 2, 3], [2, 3, 4]])
    }

    func test_chunksEndWhereNeighboursDiffer() {
        let subscriber = TestSubscriber<[Int], Never>.checked(.oneByOne)
        [1, 2, 5, 6, 7, 1].publisher.chunked { $1 == $0 + 1 }.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [[1, 2], [5, 6, 7], [1]])
        XCTAssertTrue(subscriber.hasFinished)
        let named = TestSubscriber<String, Never>.checked(.unlimited)
        ["ant", "ape", "bee"].publisher.chunked { $0.first ?? "-" }.map { "\($0.0)\($0.1.count)" }.subscribe(named)
        XCTAssertEqual(named.values, ["a2", "b1"])
    }

    func test_aChunkKeepsToItsLimitAndTheLastWaitsForDemand() {
        let upstream = TestPublisher<Int, TestFailure>(serving: [1, 1, 1, 1, 1])
        let subscriber = TestSubscriber<[Int], TestFailure>.checked(.first(2))
        upstream.chunked(limit: 2, by: ==).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [[1, 1], [1, 1]])
        XCTAssertNil(subscriber.completion)
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [[1, 1], [1, 1], [1]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_carryAMillionValues() {
        let count = Scale.reduced(1_000_000)
        let pairs = CountingSubscriber<(Int, Int), Never>()
        (0..<count).publisher.pairwise().subscribe(pairs)
        XCTAssertEqual(pairs.count, count - 1)
        let slides = CountingSubscriber<[Int], Never>()
        (0..<count).publisher.sliding(4, step: 2).subscribe(slides)
        XCTAssertEqual(slides.count, count / 2 - 1)
        let chunks = CountingSubscriber<[Int], Never>()
        (0..<count).publisher.chunked { $0 / 10 == $1 / 10 }.subscribe(chunks)
        XCTAssertEqual(chunks.count, count / 10)
    }
}
