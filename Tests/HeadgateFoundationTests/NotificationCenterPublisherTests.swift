import Foundation
import HeadgateFoundation
import HeadgateTesting
import TestSupport
import XCTest

final class NotificationCenterPublisherTests: XCTestCase {
    private let center = NotificationCenter()
    private let news = Notification.Name("news")

    private func post(_ number: Int, from object: AnyObject? = nil, as name: Notification.Name? = nil) {
        center.post(name: name ?? news, object: object, userInfo: ["number": number])
    }

    private func numbers(_ subscriber: TestSubscriber<Notification, Never>) -> [Int?] {
        subscriber.values.map { $0.userInfo?["number"] as? Int }
    }

    func test_publishesNotificationsOfTheName() {
        let subscriber = TestSubscriber<Notification, Never>.checked(.unlimited)
        center.publisher(for: news).subscribe(subscriber)
        XCTAssertEqual(subscriber.subscription.map { "\($0)" }, "NotificationCenter Observer")
        post(1)
        post(2, from: self)
        post(3, as: Notification.Name("other"))
        XCTAssertEqual(numbers(subscriber), [1, 2])
        XCTAssertNil(subscriber.completion)
        subscriber.cancel()
    }

    func test_publishesNotificationsOfTheObjectOnly() {
        let subscriber = TestSubscriber<Notification, Never>.checked(.unlimited)
        center.publisher(for: news, object: self).subscribe(subscriber)
        post(1)
        post(2, from: self)
        post(3, from: center)
        XCTAssertEqual(numbers(subscriber), [2])
        subscriber.cancel()
    }

    func test_dropsWhatWasNotRequested() {
        let subscriber = TestSubscriber<Notification, Never>.checked()
        center.publisher(for: news).subscribe(subscriber)
        post(1)
        subscriber.request(.none)
        post(2)
        subscriber.request(1)
        post(3)
        post(4)
        XCTAssertEqual(numbers(subscriber), [3])
        subscriber.cancel()
    }

    func test_addsDemandFromInside() {
        let subscriber = TestSubscriber<Notification, Never>.checked(requesting: .max(1)) { subscriber, _ in
            subscriber.request(1)
            return subscriber.values.count == 1 ? .max(1) : .none
        }
        center.publisher(for: news).subscribe(subscriber)
        for number in 1...4 { post(number) }
        XCTAssertEqual(numbers(subscriber), [1, 2, 3, 4])
        XCTAssertEqual(subscriber.outstanding, .max(2))
        subscriber.cancel()
    }

    func test_cancelFromInsideStopsObserving() {
        let before = Tracked.count
        nonisolated(unsafe) var subscription: AnyCancellable?
        nonisolated(unsafe) var count = 0
        subscription = center.publisher(for: news).sink { [tracked = Tracked()] _ in
            _ = tracked
            count += 1
            subscription?.cancel()
        }
        post(1)
        post(2)
        XCTAssertEqual(count, 1)
        XCTAssertEqual(Tracked.count, before)
    }

    func test_releasingTheSubscriptionStopsObserving() {
        let before = Tracked.count
        var subscription: (any Subscription)?
        center.publisher(for: news).subscribe(
            AnySubscriber<Notification, Never>(
                receiveSubscription: { subscription = $0 },
                receiveValue: { [tracked = Tracked()] _ in
                    _ = tracked
                    return .none
                }))
        subscription?.request(.unlimited)
        post(1)
        subscription = nil
        XCTAssertEqual(Tracked.count, before)
        post(2)
    }

    func test_publishersAreEqualWhereTheyObserveTheSame() {
        XCTAssertEqual(center.publisher(for: news), center.publisher(for: news))
        XCTAssertNotEqual(center.publisher(for: news), center.publisher(for: news, object: self))
        XCTAssertNotEqual(center.publisher(for: news), center.publisher(for: Notification.Name("other")))
        XCTAssertNotEqual(center.publisher(for: news), NotificationCenter().publisher(for: news))
    }
}
