import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class PassthroughSubjectTests: XCTestCase {
    func test_passesValuesAndTheEndToThoseWhoAreThere() {
        let subject = PassthroughSubject<Int, TestFailure>()
        let early = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let late = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        subject.subscribe(early)
        subject.send(1)
        subject.subscribe(late)
        subject.send(2)
        subject.send(completion: .failure(.first))
        subject.send(3)
        subject.send(completion: .finished)
        XCTAssertEqual(
            early.events,
            [
                .subscription("PassthroughSubject"), .request(.unlimited), .value(1), .value(2),
                .completion(.failure(.first)),
            ])
        XCTAssertEqual(
            late.events,
            [.subscription("PassthroughSubject"), .request(.unlimited), .value(2), .completion(.failure(.first))])
    }

    func test_sendsTheCompletionToALateSubscriber() {
        let subject = PassthroughSubject<Int, TestFailure>()
        subject.send(completion: .failure(.second))
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        subject.subscribe(subscriber)
        XCTAssertEqual(
            subscriber.events, [.subscription("Empty"), .request(.unlimited), .completion(.failure(.second))])
    }

    func test_dropsAValueForASubscriberThatHasRequestedNothing() {
        let subject = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked()
        subject.subscribe(subscriber)
        subject.send(1)
        subscriber.request(2)
        (2...4).forEach(subject.send)
        subscriber.request(1)
        subject.send(5)
        XCTAssertEqual(subscriber.values, [2, 3, 5])
    }

    func test_addsDemandThatIsReturned() {
        let subject = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { _, value in
            value < 3 ? .max(1) : .none
        }
        subject.subscribe(subscriber)
        (1...5).forEach(subject.send)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
    }

    func test_everySubscriberSeesOneOrderWhenTheFirstSendsFromInside() {
        let subject = PassthroughSubject<Int, Never>()
        let first = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { _, value in
            if value == 1 { subject.send(2) }
            return .none
        }
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1)
        XCTAssertEqual(first.values, [1, 2])
        XCTAssertEqual(second.values, [1, 2])
    }

    func test_isFlatForAHundredThousandSendsFromInside() {
        let subject = PassthroughSubject<Int, Never>()
        var sum = 0
        let sink = subject.sink { value in
            sum += 1
            if value < 100_000 { subject.send(value + 1) }
        }
        subject.send(1)
        XCTAssertEqual(sum, 100_000)
        sink.cancel()
    }

    func test_endsAfterTheValueInHandWhenFinishedFromInside() {
        let subject = PassthroughSubject<Int, Never>()
        let first = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { _, _ in
            subject.send(completion: .finished)
            subject.send(9)
            return .none
        }
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1)
        for subscriber in [first, second] {
            XCTAssertEqual(subscriber.values, [1])
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_servesSixteenSubscribersInTheOrderInWhichTheyCame() {
        let subject = PassthroughSubject<Int, Never>()
        var order: [Int] = []
        let sinks = (0..<16).map { number in subject.sink { _ in order.append(number) } }
        subject.send(0)
        XCTAssertEqual(order, Array(0..<16))
        order = []
        sinks[3].cancel()
        sinks[15].cancel()
        let last = subject.sink { _ in order.append(99) }
        subject.send(0)
        XCTAssertEqual(order, [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 99])
        last.cancel()
        sinks.forEach { $0.cancel() }
    }

    func test_twentyThousandSubscribersLeaveWithoutLookingAtEachOther() {
        let subject = PassthroughSubject<Int, Never>()
        var received = 0
        // Leaving from the front is the worst case for a list that closes ranks each time: 200 million moves.
        var sinks = (0..<20_000).map { _ in subject.sink { _ in received += 1 } }
        for index in 0..<19_990 { sinks[index].cancel() }
        subject.send(1)
        XCTAssertEqual(received, 10)
        sinks.removeAll()
        subject.send(2)
        XCTAssertEqual(received, 10)
    }

    func test_subscribersThatLeaveAreReleasedWhereverTheyStand() {
        let subject = PassthroughSubject<Int, Never>()
        let before = Tracked.count
        var sinks = (0..<100).map { _ in
            let tracked = Tracked()
            return subject.sink { _ in _ = tracked }
        }
        for left in stride(from: 99, through: 0, by: -1) {
            sinks.remove(at: (left * 37) % (left + 1)).cancel()
            XCTAssertEqual(Tracked.count, before + left)
        }
    }

    func test_receivesNothingAfterCancellingItselfInsideADelivery() {
        let subject = PassthroughSubject<Int, Never>()
        let first = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { subscriber, _ in
            subject.send(2)
            subscriber.cancel()
            return .max(1)
        }
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1)
        XCTAssertEqual(first.values, [1])
        XCTAssertEqual(second.values, [1, 2])
    }

    func test_aSubscriberCancelledByAnotherInsideTheSameDeliveryReceivesNothingMore() {
        let subject = PassthroughSubject<Int, Never>()
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        let first = subject.sink { _ in second.cancel() }
        subject.subscribe(second)
        subject.send(1)
        XCTAssertEqual(second.values, [])
        first.cancel()
    }

    func test_whoSubscribesInsideADeliveryReceivesWhatIsSentAfterThat() {
        let subject = PassthroughSubject<Int, Never>()
        let inner = TestSubscriber<Int, Never>.checked(.unlimited)
        let outer = subject.sink { value in
            guard value == 1 else { return }
            subject.subscribe(inner)
            XCTAssertEqual(inner.events, [.subscription("PassthroughSubject"), .request(.unlimited)])
            subject.send(2)
        }
        subject.send(1)
        XCTAssertEqual(inner.values, [2])
        outer.cancel()
    }

    // With optimisation and a sanitizer, this finds a delivery that reads from a list that has been freed.
    func test_theOthersAreServedAfterManyHaveSubscribedInsideADelivery() {
        let subject = PassthroughSubject<Int, Never>()
        let late = TestSubscriber<Int, Never>.checked(.unlimited)
        var guests = Set<AnyCancellable>()
        let host = subject.sink { value in
            guard value == 1 else { return }
            for _ in 0..<1_000 { subject.sink { _ in }.store(in: &guests) }
        }
        subject.subscribe(late)
        subject.send(1)
        subject.send(2)
        XCTAssertEqual(late.values, [1, 2])
        host.cancel()
    }

    func test_aSubscriberFromInsideADeliveryReceivesWhatIsSentAfterItAndNothingBefore() {
        let subject = PassthroughSubject<Int, Never>()
        let late = TestSubscriber<Int, Never>.checked(.unlimited)
        let first = TestSubscriber<Int, Never>.checked(.unlimited) { _, value in
            if value > 1 { return }
            subject.send(2)
            subject.subscribe(late)
            subject.send(3)
        }
        subject.subscribe(first)
        subject.send(1)
        XCTAssertEqual(first.values, [1, 2, 3])
        XCTAssertEqual(late.values, [3])
    }

    func test_aSubscriberFromInsideADeliveryAfterTheEndReceivesTheCompletion() {
        let subject = PassthroughSubject<Int, Never>()
        let inner = TestSubscriber<Int, Never>.checked(.unlimited)
        let outer = subject.sink { _ in
            subject.send(completion: .finished)
            subject.subscribe(inner)
        }
        subject.send(1)
        XCTAssertEqual(
            inner.events, [.subscription("PassthroughSubject"), .request(.unlimited), .completion(.finished)])
        outer.cancel()
    }

    func test_whoCancelsOnReceivingTheSubscriptionIsNeverServed() {
        let subject = PassthroughSubject<Int, Never>()
        var values: [Int] = []
        func subscribe() {
            subject.subscribe(
                AnySubscriber(
                    receiveSubscription: {
                        $0.request(.unlimited)
                        $0.cancel()
                    },
                    receiveValue: {
                        values.append($0)
                        return .none
                    }))
        }
        subscribe()
        let outer = subject.sink { _ in subscribe() }
        subject.send(1)
        subject.send(2)
        XCTAssertEqual(values, [])
        outer.cancel()
    }

    func test_aSendOnReceivingTheSubscriptionReachesTheNewSubscriber() {
        let subject = PassthroughSubject<Int, Never>()
        var values: [Int] = []
        subject.subscribe(
            AnySubscriber(
                receiveSubscription: {
                    $0.request(.unlimited)
                    subject.send(7)
                    XCTAssertEqual(values, [], "after the subscription, not inside it")
                },
                receiveValue: {
                    values.append($0)
                    return .none
                }))
        XCTAssertEqual(values, [7])
    }

    func test_requestsNothingTwiceAndIgnoresDemandOfNone() {
        let subject = PassthroughSubject<Int, Never>()
        let upstream = LoggingSubscription()
        subject.send(subscription: upstream)
        let subscriber = TestSubscriber<Int, Never>.checked()
        subject.subscribe(subscriber)
        subscriber.request(.none)
        XCTAssertEqual(upstream.calls, [])
        subscriber.request(1)
        subscriber.request(1)
        XCTAssertEqual(upstream.calls, ["request unlimited"])
        let late = LoggingSubscription()
        subject.send(subscription: late)
        XCTAssertEqual(late.calls, ["request unlimited"])
    }

    func test_cancelsItsUpstreamsWhenItGoesAndWhenItEnds() {
        let first = LoggingSubscription()
        var subject: PassthroughSubject<Int, Never>? = PassthroughSubject()
        subject?.send(subscription: first)
        subject = nil
        XCTAssertEqual(first.calls, ["cancel"])

        let second = LoggingSubscription()
        let other = PassthroughSubject<Int, Never>()
        other.send(subscription: second)
        other.send(completion: .finished)
        XCTAssertEqual(second.calls, ["cancel"])
    }

    func test_releasesItsSubscribersWhenTheyCancelAndAtTheEnd() {
        for ends in [false, true] {
            let subject = PassthroughSubject<Int, Never>()
            var subscriber: TestSubscriber<Int, Never>? = TestSubscriber.checked(.unlimited)
            weak let watched = subscriber
            subject.subscribe(subscriber!)
            if ends { subject.send(completion: .finished) } else { subscriber?.cancel() }
            subscriber = nil
            XCTAssertNil(watched)
        }
    }

    func test_aSubjectThatIsReleasedInsideItsOwnDeliveryFinishesTheDelivery() {
        var subject: PassthroughSubject<Int, Never>? = PassthroughSubject()
        weak let watched = subject
        let first = subject!.sink { _ in subject = nil }
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        subject!.subscribe(second)
        subject!.send(1)
        XCTAssertEqual(second.values, [1])
        first.cancel()
        XCTAssertNotNil(watched)
        second.cancel()
        XCTAssertNil(watched)
    }

    func test_twoThreadsNeverOverlapAndLoseNothingAndAllSeeOneOrder() {
        let subject = PassthroughSubject<Int, Never>()
        let subscribers = (0..<3).map { _ in TestSubscriber<Int, Never>.checked(.unlimited) }
        subscribers.forEach(subject.subscribe)
        onThreads(2) { thread in
            for number in 0..<3_000 { subject.send(thread * 3_000 + number) }
        }
        XCTAssertEqual(subscribers[0].values.sorted(), Array(0..<6_000))
        for subscriber in subscribers {
            XCTAssertEqual(subscriber.values, subscribers[0].values)
        }
    }

    func test_threadsThatComeAndGoWhileOthersSendBreakNothing() {
        let subject = PassthroughSubject<Int, TestFailure>()
        let before = Tracked.count
        onThreads(4) { thread in
            for number in 0..<500 {
                if thread.isMultiple(of: 2) {
                    subject.send(number)
                } else {
                    let tracked = Tracked()
                    let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(2)) { _, _ in
                        _ = tracked
                        return .none
                    }
                    subject.subscribe(subscriber)
                    if number.isMultiple(of: 2) { subscriber.subscription?.cancel() }
                }
            }
        }
        subject.send(completion: .finished)
        XCTAssertEqual(Tracked.count, before)
    }

    func test_twoSubjectsThatSendIntoEachOtherFromTwoThreadsDoNotDeadlock() {
        let left = PassthroughSubject<Int, Never>()
        let right = PassthroughSubject<Int, Never>()
        var sinks: [AnyCancellable] = []
        var receivedLeft = 0
        var receivedRight = 0
        left.sink { if $0 == 0 { right.send(1) } }.store(in: &sinks)
        right.sink { if $0 == 0 { left.send(1) } }.store(in: &sinks)
        left.sink { _ in receivedLeft += 1 }.store(in: &sinks)
        right.sink { _ in receivedRight += 1 }.store(in: &sinks)
        onThreads(2) { thread in
            for _ in 0..<2_000 { (thread == 0 ? left : right).send(0) }
        }
        XCTAssertEqual(receivedLeft, 4_000)
        XCTAssertEqual(receivedRight, 4_000)
    }

    func test_canBeSharedBetweenIsolationDomains() {
        func share(_ subject: some Subject<Int, Never> & Sendable) {}
        share(PassthroughSubject<Int, Never>())
        share(CurrentValueSubject<Int, Never>(0))
    }
}
