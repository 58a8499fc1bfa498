import Headgate
import TestSupport
import XCTest

final class HoldValueTests: XCTestCase {
    func test_publishesChangesAndNotTheInitialValue() {
        let holder = HoldValue(0)
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        holder.publisher.subscribe(recorder)
        holder.value = 1
        holder.value = 2
        XCTAssertEqual(recorder.events, [.subscription("HoldValue"), .value(1), .value(2)])
        XCTAssertEqual(holder.value, 2)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_givesThreeToWhoAsksForThreeAndDoesNotFinish() {
        let holder = HoldValue(0)
        let recorder = Recorder<Int, Never>(demand: .max(3))
        let other = Recorder<Int, Never>(demand: .unlimited)
        holder.publisher.subscribe(recorder)
        holder.publisher.subscribe(other)
        (1...5).forEach { holder.value = $0 }
        XCTAssertEqual(recorder.values, [1, 2, 3])
        XCTAssertNil(recorder.completion)
        recorder.request(1)
        holder.value = 6
        XCTAssertEqual(recorder.values, [1, 2, 3, 6], "changes that nobody asked for are not made up for")
        XCTAssertEqual(other.values, [1, 2, 3, 4, 5, 6])
        XCTAssertEqual(recorder.breaches + other.breaches, [])
    }

    func test_finishesBehindTheLastValueAskedForWhereThatIsWanted() {
        let holder = HoldValue(0, finishesWhenDemandIsServed: true)
        let recorder = Recorder<Int, Never>(demand: .max(2)) { _, value in value == 1 ? .max(1) : .none }
        let endless = Recorder<Int, Never>(demand: .unlimited)
        let idle = Recorder<Int, Never>()
        holder.publisher.subscribe(recorder)
        holder.publisher.subscribe(endless)
        holder.publisher.subscribe(idle)
        (1...5).forEach { holder.value = $0 }
        XCTAssertEqual(
            recorder.events,
            [.subscription("HoldValue"), .value(1), .value(2), .value(3), .completion(.finished)])
        XCTAssertEqual(endless.values, [1, 2, 3, 4, 5])
        XCTAssertNil(endless.completion)
        XCTAssertEqual(idle.events, [.subscription("HoldValue")])
        XCTAssertEqual(recorder.breaches + endless.breaches, [])
    }

    func test_aRequestFromInsideTheLastDeliveryKeepsItOpen() {
        let holder = HoldValue(0, finishesWhenDemandIsServed: true)
        let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, value in
            if value < 3 { recorder.request(1) }
            return .none
        }
        holder.publisher.subscribe(recorder)
        (1...5).forEach { holder.value = $0 }
        XCTAssertEqual(recorder.values, [1, 2, 3])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_cancelFromInsideStopsWithoutFinishing() {
        for finishes in [false, true] {
            let holder = HoldValue(0, finishesWhenDemandIsServed: finishes)
            let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, _ in
                recorder.cancel()
                return .none
            }
            holder.publisher.subscribe(recorder)
            holder.value = 1
            holder.value = 2
            XCTAssertEqual(recorder.values, [1])
            XCTAssertNil(recorder.completion)
            XCTAssertEqual(recorder.breaches, [])
        }
    }

    func test_orderOfValueAndOfDeliveriesAgrees() {
        let holder = HoldValue(-1)
        let first = Recorder<Int, Never>(demand: .unlimited) { _, value in
            if value == 10_000 {
                holder.value = 10_001
                XCTAssertEqual(holder.value, 10_001)
            }
            return .none
        }
        let second = Recorder<Int, Never>(demand: .unlimited)
        holder.publisher.subscribe(first)
        holder.publisher.subscribe(second)
        onThreads(2) { thread in
            for number in 0..<1_000 { holder.value = thread * 1_000 + number }
        }
        XCTAssertEqual(first.values.last, holder.value)
        holder.value = 10_000
        XCTAssertEqual(second.values.suffix(2), [10_000, 10_001])
        XCTAssertEqual(first.values, second.values)
        XCTAssertEqual(first.breaches + second.breaches, [])
    }

    func test_letsGoOfSubscribersWhenTheyAreServedWhenTheyCancelAndWhenItGoes() {
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

    func test_aSubscriberThatNeverLetsGoOfItsSubscriptionGoesAllTheSame() {
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
