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

    // Subscriptions that a scheduler makes.

    private func attempts(
        _ make: (AnyPublisher<String, TestFailure>, TestScheduler) -> any Publisher<String, TestFailure>
    )
        -> [String]
    {
        var seen: [String] = []
        let scheduler = TestScheduler()
        let call = Deferred {
            seen.append(Trace.id)
            return Fail<String, TestFailure>(error: .first)
        }
        let stream = make(call.eraseToAnyPublisher(), scheduler)
        func subscribe(_ publisher: some Publisher<String, TestFailure>) {
            publisher.subscribe(Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
        }
        Trace.$id.withValue("r9") { subscribe(stream) }
        scheduler.advance(by: .seconds(10))
        return seen
    }

    func test_attemptsOfARetryHaveWhatWasBoundAtTheSubscription() {
        XCTAssertEqual(
            attempts { $0.retry(.constant(.seconds(1), retries: 2), scheduler: $1).mapError { _ in .first } },
            ["r9", "r9", "r9"])
        XCTAssertEqual(
            attempts {
                $0.carrying(Trace.$id).retry(.constant(.seconds(1), retries: 2), scheduler: $1).mapError { _ in .first }
            },
            ["r9", "r9", "r9"])
        XCTAssertEqual(
            attempts {
                $0.retry(.constant(.seconds(1), retries: 2), scheduler: $1).mapError { _ in .first }
                    .carrying(Trace.$id)
            },
            ["r9", "r9", "r9"])
    }

    func test_attemptsThatATriggerStartsHaveIt() {
        XCTAssertEqual(
            attempts { call, scheduler in
                call.retryWhen { $0.delay(for: 1, scheduler: scheduler).prefix(2) }
            },
            ["r9", "r9", "r9"])
    }

    func test_laterSubscriptionsHaveIt() {
        XCTAssertEqual(attempts { $0.delaySubscription(for: 1, scheduler: $1) }, ["r9"])
        XCTAssertEqual(attempts { $0.subscribe(on: $1) }, ["r9"])
        XCTAssertEqual(attempts { $0.subscribe(on: $1).carrying(Trace.$id) }, ["r9"])
        XCTAssertEqual(
            attempts { call, scheduler in
                Empty<String, TestFailure>(completeImmediately: false)
                    .timeout(first: 1, scheduler: scheduler, fallback: { _ in call })
            },
            ["r9"])
    }

    func test_aStreamAfterAHopHasItWithThisOperatorInBetween() {
        XCTAssertEqual(
            attempts {
                Empty<String, TestFailure>().receive(on: $1).carrying(Trace.$id).append($0)
            },
            ["r9"])
        XCTAssertEqual(
            attempts {
                Fail<String, TestFailure>(error: .first).receive(on: $1).carrying(Trace.$id).catch { [call = $0] _ in
                    call
                }
            },
            ["r9"])
        XCTAssertEqual(
            attempts { call, scheduler in
                Just("a").setFailureType(to: TestFailure.self).receive(on: scheduler).carrying(Trace.$id)
                    .flatMap { _ in call }
            },
            ["r9"])
        XCTAssertEqual(
            attempts { call, scheduler in
                Empty<String, TestFailure>().receive(on: scheduler).carrying(Trace.$id).switchIfEmpty(to: call)
            },
            ["r9"])
        XCTAssertEqual(
            attempts { call, scheduler in
                call.catch { _ in Empty<String, TestFailure>() }.receive(on: scheduler).carrying(Trace.$id)
                    .repeat(times: 2)
            },
            ["r9", "r9"])
    }
}
