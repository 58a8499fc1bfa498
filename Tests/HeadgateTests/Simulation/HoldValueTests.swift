import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class HoldValueTests: XCTestCase {
    func test_publishesChangesAndNotTheInitialValue() {
        let holder = HoldValue(0)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        holder.publisher.subscribe(subscriber)
        holder.value = 1
        holder.value = 2
        XCTAssertEqual(subscriber.received, [.subscription("HoldValue"), .value(1), .value(2)])
        XCTAssertEqual(holder.value, 2)
    }

    func test_givesThreeToWhoRequestsThreeAndDoesNotFinish() {
        let holder = HoldValue(0)
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
        let other = TestSubscriber<Int, Never>.checked(.unlimited)
        holder.publisher.subscribe(subscriber)
        holder.publisher.subscribe(other)
        (1...5).forEach { holder.value = $0 }
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertNil(subscriber.completion)
        subscriber.request(1)
        holder.value = 6
        XCTAssertEqual(subscriber.values, [1, 2, 3, 6], "changes that nobody asked for are not made up for")
        XCTAssertEqual(other.values, [1, 2, 3, 4, 5, 6])
    }

    func test_finishesAfterTheLastValueRequestedWhereThatIsWanted() {
        let holder = HoldValue(0, finishesWhenDemandIsServed: true)
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(2)) { _, value in
            value == 1 ? .max(1) : .none
        }
        let endless = TestSubscriber<Int, Never>.checked(.unlimited)
        let idle = TestSubscriber<Int, Never>.checked()
        holder.publisher.subscribe(subscriber)
        holder.publisher.subscribe(endless)
        holder.publisher.subscribe(idle)
        (1...5).forEach { holder.value = $0 }
        XCTAssertEqual(
            subscriber.received,
            [.subscription("HoldValue"), .value(1), .value(2), .value(3), .completion(.finished)])
        XCTAssertEqual(endless.values, [1, 2, 3, 4, 5])
        XCTAssertNil(endless.completion)
        XCTAssertEqual(idle.received, [.subscription("HoldValue")])
    }

    func test_aRequestFromInsideTheLastDeliveryKeepsItOpen() {
        let holder = HoldValue(0, finishesWhenDemandIsServed: true)
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1)) { subscriber, value in
            if value < 3 { subscriber.request(1) }
        }
        holder.publisher.subscribe(subscriber)
        (1...5).forEach { holder.value = $0 }
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_cancelFromInsideStopsWithoutFinishing() {
        for finishes in [false, true] {
            let holder = HoldValue(0, finishesWhenDemandIsServed: finishes)
            let subscriber = TestSubscriber<Int, Never>.checked(.first(1)) { subscriber, _ in
                subscriber.cancel()
            }
            holder.publisher.subscribe(subscriber)
            holder.value = 1
            holder.value = 2
            XCTAssertEqual(subscriber.values, [1])
            XCTAssertNil(subscriber.completion)
        }
    }

    func test_orderOfValueAndOfDeliveriesAgrees() {
        let holder = HoldValue(-1)
        let first = TestSubscriber<Int, Never>.checked(.unlimited) { _, value in
            if value == 10_000 {
                holder.value = 10_001
                XCTAssertEqual(holder.value, 10_001)
            }
        }
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        holder.publisher.subscribe(first)
        holder.publisher.subscribe(second)
        onThreads(2) { thread in
            for number in 0..<1_000 { holder.value = thread * 1_000 + number }
        }
        XCTAssertEqual(first.values.last, holder.value)
        holder.value = 10_000
        XCTAssertEqual(second.values.suffix(2), [10_000, 10_001])
        XCTAssertEqual(first.values, second.values)
    }

    func test_releasesSubscribersWhenTheyAreServedWhenTheyCancelAndWhenItIsReleased() {
        let before = Tracked.count
        for way in 0..<3 {
            let holder = HoldValue(0, finishesWhenDemandIsServed: way == 0)
            let tracked = Tracked()
            var subscription: (any Subscription)?
            holder.publisher.subscribe(
                AnySubscriber(
                    receiveSubscription: {
                        $0.request(.max(1))
                        if way == 1 { subscription = $0 }
                    },
                    receiveValue: { _ in
                        _ = tracked
                        return .none
                    }))
            holder.value = 1
            subscription?.cancel()
        }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_aSubscriberThatNeverReleasesItsSubscriptionIsReleasedAllTheSame() {
        final class Keeper: Subscriber {
            typealias Input = Int
            typealias Failure = Never
            let tracked = Tracked()
            var subscription: (any Subscription)?
            func receive(subscription: any Subscription) {
                self.subscription = subscription
                subscription.request(.max(1))
            }
            func receive(_ input: Int) -> Subscribers.Demand { .none }
            func receive(completion: Subscribers.Completion<Never>) {}
        }
        let before = Tracked.count
        for cancels in [false, true] {
            let holder = HoldValue(0, finishesWhenDemandIsServed: true)
            let keeper = Keeper()
            holder.publisher.subscribe(keeper)
            if cancels { keeper.subscription?.cancel() } else { holder.value = 1 }
            let shared = (1...1).publisher.shareReplay(capacity: 1)
            shared.subscribe(Keeper())
            let subject = PassthroughSubject<Int, Never>()
            let other = Keeper()
            subject.share().subscribe(other)
            if cancels { other.subscription?.cancel() } else { subject.send(completion: .finished) }
        }
        XCTAssertEqual(Tracked.count, before)
    }
}
