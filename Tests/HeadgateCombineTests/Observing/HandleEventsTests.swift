import HeadgateCombine
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

    func test_callsAClosureAtEachThingThatHappensBeforeItPassesItOn() {
        let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, value in
            self.events.append("delivered \(value)")
            return value == 1 ? .max(5) : .none
        }
        recorder.onCompletion = { _ in self.events.append("delivered the end") }
        handling((1...2).publisher).subscribe(recorder)
        XCTAssertEqual(
            events,
            [
                "subscription 1...2", "request max(1)", "value 1", "delivered 1", "request max(5)", "value 2",
                "delivered 2", "end finished", "delivered the end",
            ])
        XCTAssertEqual(recorder.events.first, .subscription("HandleEvents"))
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_passesFailureOn() {
        let recorder = Recorder<Int, TestFailure>(demand: .max(1))
        handling(Fail<Int, TestFailure>(error: .first)).subscribe(recorder)
        XCTAssertEqual(events, ["subscription Empty", "request max(1)", "end failure(TestSupport.TestFailure.first)"])
        XCTAssertEqual(recorder.failure, .first)
    }

    func test_hearsOfTheFirstCancelOnly() {
        let upstream = HandPublisher<Int, Never>()
        var subscription: (any Subscription)?
        upstream.onRequest = { _ in }
        handling(upstream).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
        subscription?.cancel()
        subscription?.cancel()
        subscription?.request(.max(1))
        XCTAssertEqual(events, ["subscription HandPublisher", "cancel"])
        XCTAssertEqual(upstream.calls, [.cancel])
    }

    func test_hearsOfNothingBehindTheEnd() {
        var subscription: (any Subscription)?
        handling(Empty<Int, Never>()).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
        subscription?.request(.max(1))
        subscription?.cancel()
        XCTAssertEqual(events, ["subscription Empty", "end finished"])
    }

    func test_hearsOfCancelFromInsideADelivery() {
        let upstream = HandPublisher<Int, Never>()
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .max(1)
        }
        handling(upstream).subscribe(recorder)
        upstream.send(1)
        XCTAssertEqual(events.prefix(4), ["subscription HandPublisher", "request unlimited", "value 1", "cancel"])
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_needsNoClosures() {
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        (1...3).publisher.handleEvents().subscribe(recorder)
        XCTAssertEqual(recorder.values, [1, 2, 3])
    }

    func test_letsGoOfClosuresAndSubscriberHoweverItEnds() {
        assertLetsGo(endings: [.completion, .cancel, .cancelInsideDelivery], keepsSubscription: false) { tracked in
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

    func test_tellsOfASecondSubscriptionWhichIsRefused() {
        let upstream = HandPublisher<Int, Never>()
        var subscriptions = 0
        let recorder = Recorder<Int, Never>()
        upstream.handleEvents(receiveSubscription: { _ in subscriptions += 1 }).subscribe(recorder)
        upstream.sendSubscription()
        XCTAssertEqual(subscriptions, 2)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(recorder.breaches, [])
    }
}
