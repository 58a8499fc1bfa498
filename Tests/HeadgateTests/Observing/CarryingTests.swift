import Headgate
import HeadgateTesting
import TestSupport
import XCTest

private enum Trace { @TaskLocal static var id = "none" }

final class CarryingTests: XCTestCase {
    func test_bindsWhatWasBoundAtTheSubscriptionAroundDeliveriesAndRequests() {
        let scheduler = TestScheduler()
        var received: [String] = []
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked()
        let stream =
            upstream
            .handleEvents(
                receiveCancel: { received.append("cancel \(Trace.id)") },
                receiveRequest: { _ in received.append("request \(Trace.id)") }
            )
            .receive(on: scheduler)
            .carrying(Trace.$id)
            .handleEvents(receiveOutput: { received.append("\($0) \(Trace.id)") })
        Trace.$id.withValue("a") { stream.subscribe(subscriber) }
        Trace.$id.withValue("b") {
            subscriber.request(.max(2))
            upstream.send(1)
        }
        scheduler.runDue()
        XCTAssertEqual(received, ["request a", "1 a"])
        subscriber.cancel()
        XCTAssertEqual(received.last, "cancel a")
    }

    func test_bindsAroundTheEnd() {
        var end = ""
        let upstream = TestPublisher<Int, Never>()
        let listener = Trace.$id.withValue("a") {
            upstream.carrying(Trace.$id).sink(receiveCompletion: { _ in end = Trace.id }, receiveValue: { _ in })
        }
        upstream.finish()
        XCTAssertEqual(end, "a")
        withExtendedLifetime(listener) {}
    }
}
