import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class RemoveAllDuplicatesTests: XCTestCase {
    private struct Point: Equatable {
        let x: Int
    }

    private func values<P: Publisher>(_ publisher: P) -> [P.Output] {
        let subscriber = TestSubscriber<P.Output, P.Failure>.checked(.oneByOne)
        publisher.subscribe(subscriber)
        XCTAssertTrue(subscriber.hasFinished)
        return subscriber.values
    }

    func test_dropsWhatHasComeBeforeForEachSubscriberByItself() {
        let distinct = [1, 2, 1, 3, 2, 4].publisher.removeAllDuplicates()
        for _ in 0..<2 { XCTAssertEqual(values(distinct), [1, 2, 3, 4]) }
    }

    func test_comparesWhatCannotBeHashed() {
        XCTAssertEqual(values([1, 2, 1].publisher.map(Point.init).removeAllDuplicates()).map(\.x), [1, 2])
        XCTAssertEqual(values([1, 12, 3, 21].publisher.removeAllDuplicates { $0 / 10 == $1 / 10 }), [1, 12, 21])
    }

    func test_remembersTheLastOnesOnly() {
        XCTAssertEqual(values([1, 1, 2, 3, 1, 3].publisher.removeAllDuplicates(rememberingLast: 2)), [1, 2, 3, 1])
        XCTAssertEqual(values([1, 1, 2, 1].publisher.removeAllDuplicates(rememberingLast: 1)), [1, 2, 1])
        XCTAssertEqual(values([1, 1, 2, 1].publisher.removeAllDuplicates(rememberingLast: .max)), [1, 2])
    }

    func test_aMillionValuesInBoundedMemory() {
        var count = 0
        let cancellable = (1...1_000_000).publisher.removeAllDuplicates(rememberingLast: 10).sink { _ in count += 1 }
        XCTAssertEqual(count, 1_000_000)
        cancellable.cancel()
    }

    func test_requestsOneMoreForEachThatIsDropped() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        upstream.removeAllDuplicates().subscribe(subscriber)
        upstream.send(1)
        upstream.send(1)
        upstream.send(2)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(upstream.requested, .max(3))
    }
}
