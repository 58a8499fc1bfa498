import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class OwnedTests: XCTestCase {
    private let upstream = TestPublisher<Int, TestFailure>()
    private var discarded: [Int] = []

    private var owned: some Publisher<Owned<Int>, TestFailure> { upstream.owned { self.discarded.append($0) } }

    private func read(_ publisher: some Publisher<Int, TestFailure>) -> TestSubscriber<Int, TestFailure> {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        publisher.subscribe(subscriber)
        return subscriber
    }

    func test_whatIsTakenIsNotDiscarded() {
        let subscriber = read(owned.taken())
        upstream.send(1)
        XCTAssertEqual(subscriber.values, [1])
        subscriber.cancel()
        XCTAssertEqual(discarded, [])
    }

    func test_whatWaitsInAQueueIsDiscardedAtACancellation() {
        let subscriber = read(owned.buffer(size: 5, prefetch: .byRequest, whenFull: .dropNewest).taken())
        (1...3).forEach { upstream.send($0) }
        subscriber.cancel()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(discarded.sorted(), [2, 3])
    }

    func test_whatIsDroppedOnTheWayIsDiscarded() {
        let subscriber = read(owned.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest).taken())
        (1...3).forEach { upstream.send($0) }
        XCTAssertEqual(discarded, [2])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [1, 3])
        XCTAssertEqual(discarded, [2])
    }

    func test_canBeTakenOnce() {
        let value = Owned(1) { _ in XCTFail("taken") }
        XCTAssertEqual(value.take(), 1)
        XCTAssertNil(value.take())
    }

    func test_aResultThatComesAfterTheCancellationIsDiscarded() async {
        let (begun, goOn) = (Gate(), Gate())
        let returned = expectation(description: "returned")
        let reading = Just(7).asyncMap { value in
            begun.open()
            await goOn.wait()
            return Owned(value) { _ in returned.fulfill() }
        }
        .taken()
        .sink { _ in XCTFail("cancelled") }
        await begun.wait()
        reading.cancel()
        goOn.open()
        await fulfillment(of: [returned], timeout: 20)
    }

    func test_aFirstValueMayBeOwned() async {
        let value = await Just(1).owned { _ in XCTFail("taken") }.firstValue?.take()
        XCTAssertEqual(value, 1)
    }
}

/// Something that tasks wait for.
private final class Gate: Sendable {
    private let (stream, continuation) = AsyncStream<Void>.makeStream()

    func open() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}
