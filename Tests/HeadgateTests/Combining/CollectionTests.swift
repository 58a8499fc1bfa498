import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// `merge`, `zip` and `combineLatest` of collections.
final class CollectionTests: XCTestCase {
    func test_noPublishersFinishAtOnce() {
        let none: [Just<Int>] = []
        let merged = TestSubscriber<Int, Never>.checked(.none)
        none.merge().subscribe(merged)
        let zipped = TestSubscriber<[Int], Never>.checked(.none)
        none.zip().subscribe(zipped)
        let combined = TestSubscriber<[Int], Never>.checked(.none)
        none.combineLatest().subscribe(combined)
        XCTAssertTrue(merged.hasFinished && zipped.hasFinished && combined.hasFinished)
    }

    func test_zipMakesRowsAsFarAsTheShortestGoes() {
        let subscriber = TestSubscriber<[Int], Never>.checked(.oneByOne)
        [1...3, 10...12, 100...101].map(\.publisher).zip().subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [[1, 10, 100], [2, 11, 101]])
        XCTAssertTrue(subscriber.hasFinished)
        let pairs = TestSubscriber<[Int], Never>.checked(.unlimited)
        [1, 2].publisher.zip(with: [3, 4].publisher, [5, 6].publisher).subscribe(pairs)
        XCTAssertEqual(pairs.values, [[1, 3, 5], [2, 4, 6]])
        let more = TestSubscriber<[Int], Never>.checked(.unlimited)
        [1, 2].publisher.zip(with: [[3, 4].publisher]).subscribe(more)
        XCTAssertEqual(more.values, [[1, 3], [2, 4]])
    }

    func test_combineLatestPublishesARowForEveryChange() {
        let subjects = (0..<3).map { CurrentValueSubject<Int, Never>($0) }
        let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
        subjects[0].combineLatest(with: subjects[1...]).subscribe(subscriber)
        subjects[2].send(7)
        XCTAssertEqual(subscriber.values, [[0, 1, 2], [0, 1, 7]])
        subjects.forEach { $0.send(completion: .finished) }
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_mergeTakesAThousandPublishers() {
        let subjects = (0..<1000).map { _ in PassthroughSubject<Int, Never>() }
        let subscriber = CountingSubscriber<Int, Never>(requesting: .unlimited)
        subjects.merge().subscribe(subscriber)
        for round in 0..<10 { subjects.forEach { $0.send(round) } }
        subjects.forEach { $0.send(completion: .finished) }
        XCTAssertEqual(subscriber.count, 10_000)
        XCTAssertTrue(subscriber.hasFinished)
    }
}
