import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class HandleEventsTests: XCTestCase {
    private var events: [String] = []

    private func handling<P: Publisher>(_ publisher: P) -> Publishers.HandleEvents<P> {
        publisher.handleEvents(
            receiveSubscription: { self.events.append("subscription \($0)") },
            receiveOutput: { self.events.append("value \($0)") },
            receiveCompletion: { self.events.append("end \($0)") },
            receiveCancel: { self.events.append("cancel") },
            receiveRequest: { self.events.append("request \($0)") })
    }

    func test_callsAClosureAtEachEventBeforeItForwardsIt() {
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { _, value in
            self.events.append("delivered \(value)")
            return value == 1 ? .max(5) : .none
        } onCompletion: { _, _ in
            self.events.append("delivered the end")
        }
        handling((1...2).publisher).subscribe(subscriber)
        XCTAssertEqual(
            events,
            [
                "subscription 1...2", "request max(1)", "value 1", "delivered 1", "request max(5)", "value 2",
                "delivered 2", "end finished", "delivered the end",
            ])
        XCTAssertEqual(subscriber.events.first, .subscription("HandleEvents"))
    }

    func test_forwardsFailure() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        handling(Fail<Int, TestFailure>(error: .first)).subscribe(subscriber)
        XCTAssertEqual(events, ["subscription Empty", "request max(1)", "end failure(TestSupport.TestFailure.first)"])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_reportsTheFirstCancelOnly() {
        let upstream = TestPublisher<Int, Never>()
        var subscription: (any Subscription)?
        handling(upstream).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
        subscription?.cancel()
        subscription?.cancel()
        subscription?.request(.max(1))
        XCTAssertEqual(events, ["subscription TestPublisher", "cancel"])
        XCTAssertEqual(upstream.calls, [.cancel])
    }

    func test_reportsNothingAfterTheEnd() {
        var subscription: (any Subscription)?
        handling(Empty<Int, Never>()).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
        subscription?.request(.max(1))
        subscription?.cancel()
        XCTAssertEqual(events, ["subscription Empty", "end finished"])
    }

    func test_reportsCancelFromInsideADelivery() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { subscriber, _ in
            subscriber.cancel()
            return .max(1)
        }
        handling(upstream).subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(events.prefix(4), ["subscription TestPublisher", "request unlimited", "value 1", "cancel"])
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel, .answer(.max(1))])
    }

    func test_needsNoClosures() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        (1...3).publisher.handleEvents().subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
    }

    func test_releasesClosuresAndSubscriberHoweverItEnds() {
        assertReleases(endings: [.completion, .cancel, .cancelInsideDelivery], retainsSubscription: false) { tracked in
            Just(tracked).handleEvents(receiveCancel: { _ = tracked })
        }
    }

    func test_servesRequestsFromInsideDeliveriesWithoutGrowingTheStack() {
        var count = 0
        var subscription: (any Subscription)?
        (1...200_000).publisher.handleEvents(receiveRequest: { _ in }).subscribe(
            AnySubscriber(
                receiveSubscription: {
                    subscription = $0
                    $0.request(.max(1))
                },
                receiveValue: { _ in
                    count += 1
                    subscription?.request(.max(1))
                    return .none
                }))
        XCTAssertEqual(count, 200_000)
    }

    func test_reportsASecondSubscriptionWhichIsRefused() {
        let upstream = TestPublisher<Int, Never>()
        var subscriptions = 0
        let subscriber = TestSubscriber<Int, Never>.checked()
        upstream.handleEvents(receiveSubscription: { _ in subscriptions += 1 }).subscribe(subscriber)
        XCTAssertEqual(upstream.sendSubscription().map(\.cancelCount), [1])
        XCTAssertEqual(subscriptions, 2)
        XCTAssertEqual(upstream.cancelCount, 0)
    }
}
