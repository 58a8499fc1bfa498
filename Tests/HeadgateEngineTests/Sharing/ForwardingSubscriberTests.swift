import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

final class ForwardingSubscriberTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>
    private typealias Ear = TestSubscriber<Int, TestFailure>

    /// Counts how often a subscriber has left.
    private final class Departures {
        var count = 0
    }

    private func attach(_ subscriber: Ear, to hand: Hand, keeping owner: AnyObject = Departures()) -> Departures {
        let departures = Departures()
        hand.subscribe(ForwardingSubscriber(subscriber, keeping: owner) { _ in departures.count += 1 })
        return departures
    }

    func test_forwardsDemandAsItIs() {
        let hand = Hand()
        let subscriber = Ear.checked(requesting: .max(2)) { subscriber, value in
            if value == 2 { subscriber.request(3) }
            return value == 1 ? .max(4) : .none
        }
        let departures = attach(subscriber, to: hand)
        hand.send(1)
        hand.send(2)
        subscriber.request(.unlimited)
        XCTAssertEqual(
            hand.calls, [.request(.max(2)), .answer(.max(4)), .request(.max(3)), .request(.unlimited)])
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(departures.count, 0)
    }

    func test_countsACancellationOnceAndAfterUpstreamHasReceivedIt() {
        let hand = Hand()
        let subscriber = Ear.checked(.unlimited, misbehavior: .retainsSubscription)
        var cancelledBefore = 0
        hand.subscribe(
            ForwardingSubscriber(subscriber, keeping: hand) { _ in
                XCTAssertEqual(hand.cancelCount, 1)
                cancelledBefore += 1
            })
        for _ in 0..<3 { subscriber.cancel() }
        subscriber.request(1)
        hand.send(1)
        XCTAssertEqual(cancelledBefore, 1)
        XCTAssertEqual(hand.calls, [.request(.unlimited), .cancel])
        XCTAssertEqual(subscriber.values, [])
    }

    func test_cancelInsideADeliveryIsCountedOnce() {
        let hand = Hand()
        let subscriber = Ear.checked(.cancelling(atValue: 2))
        let departures = attach(subscriber, to: hand)
        for value in 1...3 { hand.send(value) }
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual([departures.count, hand.cancelCount], [1, 1])
    }

    func test_aSubscriberThatHasReceivedTheCompletionDoesNotLeave() {
        for completion in [Subscribers.Completion<TestFailure>.finished, .failure(.first)] {
            let hand = Hand(keepsSubscribers: true)
            let subscriber = Ear.checked(.unlimited, misbehavior: [.retainsSubscription, .cancelsAfterCompletion])
            let departures = attach(subscriber, to: hand)
            hand.force(completion: completion)
            hand.force(completion: .finished)
            XCTAssertEqual(subscriber.received, [.subscription("TestPublisher"), .completion(completion)])
            XCTAssertEqual([departures.count, hand.cancelCount], [0, 0])
        }
    }

    func test_isSilentAboutACompletionAfterCancel() {
        let hand = Hand(keepsSubscribers: true)
        let subscriber = Ear.checked(.unlimited)
        let departures = attach(subscriber, to: hand)
        subscriber.cancel()
        hand.force(completion: .failure(.first))
        XCTAssertNil(subscriber.completion)
        XCTAssertEqual(departures.count, 1)
    }

    func test_cancelsASecondSubscription() {
        let hand = Hand()
        let subscriber = Ear.checked(.unlimited)
        let departures = attach(subscriber, to: hand)
        XCTAssertEqual(hand.sendSubscription().map(\.cancelCount), [1])
        hand.send(1)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual([departures.count, hand.cancelCount], [0, 0])
    }

    func test_releasesSubscriberAndOwnerHoweverTheStreamEnds() {
        for cancels in [true, false] {
            let hand = Hand()
            weak var weakOwner: Departures?
            weak var weakSubscriber: Ear?
            do {
                let owner = Departures()
                let subscriber = Ear.checked(.unlimited)
                (weakOwner, weakSubscriber) = (owner, subscriber)
                _ = attach(subscriber, to: hand, keeping: owner)
            }
            XCTAssertNotNil(weakOwner)
            XCTAssertNotNil(weakSubscriber)
            if cancels { weakSubscriber?.cancel() } else { hand.finish() }
            XCTAssertNil(weakOwner)
            XCTAssertNil(weakSubscriber)
        }
    }

    func test_carriesAMillionValuesOneByOne() {
        let subscriber = CountingSubscriber<Int, Never>()
        (0..<1_000_000).publisher.subscribe(
            ForwardingSubscriber(subscriber, keeping: Departures()) { _ in XCTFail("nobody has cancelled") })
        XCTAssertEqual(subscriber.count, 1_000_000)
    }
}
