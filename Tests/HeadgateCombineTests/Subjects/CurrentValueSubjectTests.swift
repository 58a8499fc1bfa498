import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class CurrentValueSubjectTests: XCTestCase {
    func test_beginsWithThePresentValueAndGoesOnWithTheNext() {
        let subject = CurrentValueSubject<Int, TestFailure>(1)
        let early = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        subject.subscribe(early)
        subject.send(2)
        let late = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        subject.subscribe(late)
        subject.value = 3
        subject.send(completion: .failure(.first))
        XCTAssertEqual(early.values, [1, 2, 3])
        XCTAssertEqual(
            late.events,
            [
                .subscription("CurrentValueSubject"), .request(.unlimited), .value(2), .value(3),
                .completion(.failure(.first)),
            ])
    }

    func test_ignoresWhatIsSentAfterTheEnd() {
        let subject = CurrentValueSubject<Int, Never>(1)
        subject.send(completion: .finished)
        subject.send(2)
        XCTAssertEqual(subject.value, 1)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Empty"), .request(.unlimited), .completion(.finished)])
    }

    func test_deliversThePresentValueAtTheFirstDemand() {
        let subject = CurrentValueSubject<Int, Never>(1)
        let subscriber = TestSubscriber<Int, Never>.checked()
        subject.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [])
        subject.send(2)
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [2])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [2], "a value is seen once")
        subject.send(3)
        XCTAssertEqual(subscriber.values, [2, 3])
    }

    func test_deliversTheLatestOfTheValuesThatCameWithoutDemand() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        subject.subscribe(subscriber)
        (1...3).forEach(subject.send)
        subscriber.request(5)
        XCTAssertEqual(subscriber.values, [0, 3])
        subject.send(4)
        XCTAssertEqual(subscriber.values, [0, 3, 4])
        XCTAssertEqual(subscriber.outstanding, .max(3))
    }

    func test_aValueIsDeliveredOnceWhereTheRequestComesInsideADelivery() {
        let subject = CurrentValueSubject<Int, Never>(0)
        for demand in [Subscribers.Demand.max(2), .unlimited] {
            let late = TestSubscriber<Int, Never>.checked()
            let first = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { _, value in
                if value == 1 {
                    subject.send(5)
                    late.request(demand)
                }
                return .none
            }
            subject.subscribe(first)
            subject.subscribe(late)
            subject.send(1)
            XCTAssertEqual(late.values, [1, 5].suffix(late.values.count))
            XCTAssertEqual(late.values.filter { $0 == 5 }, [5])
            first.cancel()
            late.cancel()
        }
    }

    func test_oneByOneInsideTheDeliverySeesEveryValueSentAfterTheLast() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOneReentrantly)
        subject.subscribe(subscriber)
        (1...5).forEach(subject.send)
        XCTAssertEqual(subscriber.values, Array(0...5))
    }

    func test_everySubscriberSeesOneOrderAndValueIsTheNewOneAtOnceWhenSentFromInside() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let first = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { _, value in
            if value == 1 {
                subject.send(2)
                XCTAssertEqual(subject.value, 2)
            }
            return .none
        }
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1)
        XCTAssertEqual(first.values, [0, 1, 2])
        XCTAssertEqual(second.values, [0, 1, 2])
    }

    func test_isFlatForAHundredThousandSendsFromInside() {
        let subject = CurrentValueSubject<Int, Never>(0)
        var count = 0
        let sink = subject.sink { value in
            count += 1
            if value < 100_000 { subject.value = value + 1 }
        }
        XCTAssertEqual(count, 100_001)
        sink.cancel()
    }

    func test_nothingIsSentOrChangedAfterAnEndFromInside() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { _, value in
            if value == 1 {
                subject.send(completion: .finished)
                subject.send(2)
            }
            return .none
        }
        subject.subscribe(subscriber)
        subject.send(1)
        XCTAssertEqual(subject.value, 1)
        XCTAssertEqual(
            subscriber.events,
            [.subscription("CurrentValueSubject"), .request(.unlimited), .value(0), .value(1), .completion(.finished)])
    }

    func test_orderOfValueAndOfDeliveriesAgreesBetweenThreads() {
        for _ in 0..<20 {
            let subject = CurrentValueSubject<Int, Never>(-1)
            let subscribers = (0..<2).map { _ in TestSubscriber<Int, Never>.checked(.unlimited) }
            subscribers.forEach(subject.subscribe)
            onThreads(2) { thread in
                for number in 0..<200 { subject.send(thread * 200 + number) }
            }
            XCTAssertEqual(subscribers[0].values.sorted(), Array(-1..<400))
            XCTAssertEqual(subscribers[1].values, subscribers[0].values)
            XCTAssertEqual(subject.value, subscribers[0].values.last)
        }
    }

    func test_oldValuesMayUseTheSubjectWhenTheyGo() {
        final class Nosy {
            let onEnd: () -> Void
            init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }
            deinit { onEnd() }
        }
        let subject = CurrentValueSubject<Nosy?, Never>(nil)
        var ends = 0
        subject.value = Nosy { [unowned subject] in
            _ = subject.value
            ends += 1
        }
        subject.value = nil
        XCTAssertEqual(ends, 1)
    }

    func test_nilIsAValueLikeAnyOther() {
        let subject = CurrentValueSubject<Int?, Never>(nil)
        let subscriber = TestSubscriber<Int?, Never>.checked(.unlimited)
        subject.subscribe(subscriber)
        subject.value = 1
        subject.value = nil
        let late = TestSubscriber<Int?, Never>.checked()
        subject.subscribe(late)
        late.request(1)
        XCTAssertEqual(
            subscriber.events,
            [.subscription("CurrentValueSubject"), .request(.unlimited), .value(nil), .value(1), .value(nil)])
        XCTAssertEqual(late.events, [.subscription("CurrentValueSubject"), .request(.max(1)), .value(nil)])
    }

    func test_cancelFromInsideTheFirstValueStopsItThere() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { subscriber, _ in
            subject.send(1)
            subscriber.cancel()
            return .none
        }
        subject.subscribe(subscriber)
        subject.send(2)
        XCTAssertEqual(subscriber.values, [0])
    }

    func test_valueIsNeverOlderThanWhatASubscriberReceives() {
        let subject = CurrentValueSubject<Int, Never>(0)
        var olderReads = 0
        let sink = subject.sink { if subject.value < $0 { olderReads += 1 } }
        onThreads(3) { thread in
            for _ in 0..<1_000 {
                if thread == 0 { subject.value += 1 } else { _ = subject.value }
            }
        }
        XCTAssertEqual(olderReads, 0)
        XCTAssertEqual(subject.value, 1_000)
        sink.cancel()
    }

    func test_releasesOldValues() {
        let before = Tracked.count
        let subject = CurrentValueSubject<Tracked, Never>(Tracked())
        let subscriber = TestSubscriber<Int, Never>.checked()
        subject.map { _ in 0 }.subscribe(subscriber)
        for _ in 0..<5 { subject.send(Tracked()) }
        XCTAssertEqual(Tracked.count, before + 1)
        subscriber.cancel()
    }

    func test_requestsEverythingAtOnceAndCancelsUpstreamWhenItGoes() {
        let upstream = LoggingSubscription()
        var subject: CurrentValueSubject<Int, Never>? = CurrentValueSubject(0)
        subject?.send(subscription: upstream)
        XCTAssertEqual(upstream.calls, ["request unlimited"])
        subject = nil
        XCTAssertEqual(upstream.calls, ["request unlimited", "cancel"])
    }

    func test_aSubscriberThatHasRequestedNothingYetGetsTheValueOfASubjectThatNobodyElseHolds() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        CurrentValueSubject<Int, Never>(5).subscribe(subscriber)
        subscriber.request(3)
        subscriber.request(3)
        XCTAssertEqual(
            subscriber.events,
            [.subscription("CurrentValueSubject"), .request(.max(3)), .value(5), .request(.max(3))])
        subscriber.cancel()
    }

    func test_releasesSubscribersThatCancelWhetherTheyHaveRequestedOrNot() {
        let before = Tracked.count
        for requests in [false, true] {
            let tracked = Tracked()
            var subscription: (any Subscription)?
            CurrentValueSubject<Int, Never>(5).subscribe(
                AnySubscriber(
                    receiveSubscription: {
                        subscription = $0
                        if requests { $0.request(.unlimited) }
                    },
                    receiveValue: { _ in
                        _ = tracked
                        return .none
                    }))
            subscription?.cancel()
        }
        do {
            let subscriber = TestSubscriber<Int, Never>.checked { [tracked = Tracked()] _, _ in _ = tracked }
            CurrentValueSubject<Int, Never>(5).subscribe(subscriber)
            subscriber.cancel()
        }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_keepsAValueThatIsSetAfterTheEndAndSendsItToNobody() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(subscriber)
        subject.send(completion: .finished)
        subject.value = 42
        XCTAssertEqual(subject.value, 42)
        subject.send(43)
        XCTAssertEqual(subject.value, 42)
        XCTAssertEqual(
            subscriber.events,
            [.subscription("CurrentValueSubject"), .request(.unlimited), .value(0), .completion(.finished)])
        let late = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(late)
        XCTAssertEqual(late.values, [])
        XCTAssertTrue(late.hasFinished)
    }

    func test_aSinkThatSendsReadsWhatOthersDeriveFromTheValueBefore() {
        let subject = CurrentValueSubject<Int, Never>(-1)
        var derived = -1
        var read: [Int] = []
        let sinks = [
            subject.map { $0 * 10 }.sink { derived = $0 },
            subject.filter { $0 == 0 }.sink { _ in
                subject.value = 1
                read.append(derived)
            },
        ]
        subject.value = 0
        XCTAssertEqual(read, [0])
        XCTAssertEqual(derived, 10)
        sinks.forEach { $0.cancel() }
    }
}
