import Headgate
import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

/// Records where each event begins and ends.
private final class Record: Enclosure {
    var lines: [String] = []

    func enclose<Result>(_ passage: Passage, _ forward: () -> Result) -> Result {
        lines.append("\(passage) {")
        defer { lines.append("}") }
        return forward()
    }
}

final class EnclosingConduitTests: XCTestCase {
    private let record = Record()
    private let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)

    private func connect(_ subscriber: TestSubscriber<Int, TestFailure>) {
        upstream.receive(subscriber: EnclosingConduit(name: "Enclosed", record, subscriber))
    }

    func test_enclosesEveryEventInBothDirections() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        connect(subscriber)
        subscriber.request(1)
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(record.lines, ["subscription {", "}", "request {", "}", "value {", "}", "completion {", "}"])
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_enclosesTheRequestInsideTheSubscription() {
        connect(.checked(.unlimited))
        XCTAssertEqual(record.lines, ["subscription {", "request {", "}", "}"])
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
    }

    func test_nothingArrivesAfterCancel() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        connect(subscriber)
        subscriber.cancel()
        let count = record.lines.count
        upstream.force(1)
        upstream.force(completion: .failure(.first))
        XCTAssertEqual(record.lines.count, count)
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        XCTAssertEqual(subscriber.values, [])
        XCTAssertNil(subscriber.completion)
    }

    func test_cancelsUpstreamWhenTheSubscriptionIsReleasedIfTheEnclosureOwnsIt() {
        func release(_ enclosure: some Enclosure) {
            upstream.receive(
                subscriber: EnclosingConduit(
                    name: "Enclosed", enclosure,
                    AnySubscriber<Int, TestFailure>(receiveSubscription: { _ in })))
        }
        release(record)
        XCTAssertEqual(upstream.calls, [])
        release(Ownership())
        XCTAssertEqual(upstream.calls, [.cancel])
    }
}
