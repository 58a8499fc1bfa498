import HeadgateCombine
import TestSupport
import XCTest

final class CurrentValueSubjectTests: XCTestCase {
    func test_beginsWithThePresentValueAndGoesOnWithTheNext() {
        let subject = CurrentValueSubject<Int, TestFailure>(1)
        let early = Recorder<Int, TestFailure>(demand: .unlimited)
        subject.subscribe(early)
        subject.send(2)
        let late = Recorder<Int, TestFailure>(demand: .unlimited)
        subject.subscribe(late)
        subject.value = 3
        subject.send(completion: .failure(.first))
        XCTAssertEqual(early.values, [1, 2, 3])
        XCTAssertEqual(
            late.events,
            [.subscription("CurrentValueSubject"), .value(2), .value(3), .completion(.failure(.first))])
        XCTAssertEqual(early.breaches + late.breaches, [])
    }

    func test_ignoresWhatIsSentAfterTheEnd() {
        let subject = CurrentValueSubject<Int, Never>(1)
        subject.send(completion: .finished)
        subject.send(2)
        XCTAssertEqual(subject.value, 1)
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        subject.subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Empty"), .completion(.finished)])
    }

    func test_deliversThePresentValueAtTheFirstDemand() {
        let subject = CurrentValueSubject<Int, Never>(1)
        let recorder = Recorder<Int, Never>()
        subject.subscribe(recorder)
        XCTAssertEqual(recorder.values, [])
        subject.send(2)
        recorder.request(1)
        XCTAssertEqual(recorder.values, [2])
        recorder.request(1)
        XCTAssertEqual(recorder.values, [2], "a value is seen once")
        subject.send(3)
        XCTAssertEqual(recorder.values, [2, 3])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_deliversTheLatestOfTheValuesThatCameWithoutDemand() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = Recorder<Int, Never>(demand: .max(1))
        subject.subscribe(recorder)
        (1...3).forEach(subject.send)
        recorder.request(5)
        XCTAssertEqual(recorder.values, [0, 3])
        subject.send(4)
        XCTAssertEqual(recorder.values, [0, 3, 4])
        XCTAssertEqual(recorder.owed, .max(3))
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_aValueIsDeliveredOnceWhereTheRequestComesInsideADelivery() {
        let subject = CurrentValueSubject<Int, Never>(0)
        for demand in [Subscribers.Demand.max(2), .unlimited] {
            let late = Recorder<Int, Never>()
            let first = Recorder<Int, Never>(demand: .unlimited) { _, value in
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
            XCTAssertEqual(late.breaches, [])
            first.cancel()
            late.cancel()
        }
    }

    func test_oneByOneInsideTheDeliverySeesEveryValueSentBehindTheLast() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, _ in
            recorder.request(1)
            return .none
        }
        subject.subscribe(recorder)
        (1...5).forEach(subject.send)
        XCTAssertEqual(recorder.values, Array(0...5))
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_everySubscriberSeesOneOrderAndValueIsTheNewOneAtOnceWhenSentFromInside() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let first = Recorder<Int, Never>(demand: .unlimited) { _, value in
            if value == 1 {
                subject.send(2)
                XCTAssertEqual(subject.value, 2)
            }
            return .none
        }
        let second = Recorder<Int, Never>(demand: .unlimited)
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1)
        XCTAssertEqual(first.values, [0, 1, 2])
        XCTAssertEqual(second.values, [0, 1, 2])
        XCTAssertEqual(first.breaches + second.breaches, [])
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

    func test_nothingIsSentOrChangedBehindAnEndFromInside() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = Recorder<Int, Never>(demand: .unlimited) { _, value in
            if value == 1 {
                subject.send(completion: .finished)
                subject.send(2)
            }
            return .none
        }
        subject.subscribe(recorder)
        subject.send(1)
        XCTAssertEqual(subject.value, 1)
        XCTAssertEqual(
            recorder.events, [.subscription("CurrentValueSubject"), .value(0), .value(1), .completion(.finished)])
    }

    func test_orderOfValueAndOfDeliveriesAgreesBetweenThreads() {
        for _ in 0..<20 {
            let subject = CurrentValueSubject<Int, Never>(-1)
            let recorders = (0..<2).map { _ in Recorder<Int, Never>(demand: .unlimited) }
            recorders.forEach(subject.subscribe)
            onThreads(2) { thread in
                for number in 0..<200 { subject.send(thread * 200 + number) }
            }
            XCTAssertEqual(recorders[0].values.sorted(), Array(-1..<400))
            XCTAssertEqual(recorders[1].values, recorders[0].values)
            XCTAssertEqual(subject.value, recorders[0].values.last)
            XCTAssertEqual(recorders.flatMap(\.breaches), [])
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
        let recorder = Recorder<Int?, Never>(demand: .unlimited)
        subject.subscribe(recorder)
        subject.value = 1
        subject.value = nil
        let late = Recorder<Int?, Never>()
        subject.subscribe(late)
        late.request(1)
        XCTAssertEqual(recorder.events, [.subscription("CurrentValueSubject"), .value(nil), .value(1), .value(nil)])
        XCTAssertEqual(late.events, [.subscription("CurrentValueSubject"), .value(nil)])
    }

    func test_cancelFromInsideTheFirstValueStopsItThere() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, _ in
            subject.send(1)
            recorder.cancel()
            return .none
        }
        subject.subscribe(recorder)
        subject.send(2)
        XCTAssertEqual(recorder.values, [0])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_valueIsNeverOlderThanWhatASubscriberHears() {
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

    func test_letsGoOfOldValues() {
        let before = Tracked.count
        let subject = CurrentValueSubject<Tracked, Never>(Tracked())
        let recorder = Recorder<Int, Never>()
        subject.map { _ in 0 }.subscribe(recorder)
        for _ in 0..<5 { subject.send(Tracked()) }
        XCTAssertEqual(Tracked.count, before + 1)
        recorder.cancel()
    }

    func test_asksUpstreamForEverythingAtOnceAndCancelsItWhenItGoes() {
        let upstream = LoggingSubscription()
        var subject: CurrentValueSubject<Int, Never>? = CurrentValueSubject(0)
        subject?.send(subscription: upstream)
        XCTAssertEqual(upstream.calls, ["request unlimited"])
        subject = nil
        XCTAssertEqual(upstream.calls, ["request unlimited", "cancel"])
    }

    func test_aSubscriberThatHasNotAskedYetGetsTheValueOfASubjectThatNobodyElseHolds() {
        let recorder = Recorder<Int, Never>()
        CurrentValueSubject<Int, Never>(5).subscribe(recorder)
        recorder.request(3)
        recorder.request(3)
        XCTAssertEqual(recorder.events, [.subscription("CurrentValueSubject"), .value(5)])
        XCTAssertEqual(recorder.breaches, [])
        recorder.cancel()
    }

    func test_letsGoOfSubscribersThatCancelWhetherTheyHaveAskedOrNot() {
        let before = Tracked.count
        for asks in [false, true] {
            let tracked = Tracked()
            var subscription: (any Subscription)?
            CurrentValueSubject<Int, Never>(5).subscribe(
                AnySubscriber(
                    receiveSubscription: {
                        subscription = $0
                        if asks { $0.request(.unlimited) }
                    },
                    receiveValue: { _ in
                        _ = tracked
                        return .none
                    }))
            subscription?.cancel()
        }
        let recorder = Recorder<Int, Never> { [tracked = Tracked()] _, _ in
            _ = tracked
            return .none
        }
        CurrentValueSubject<Int, Never>(5).subscribe(recorder)
        recorder.cancel()
        recorder.onValue = { _, _ in .none }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_keepsAValueThatIsSetAfterTheEndAndSendsItToNobody() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        subject.subscribe(recorder)
        subject.send(completion: .finished)
        subject.value = 42
        XCTAssertEqual(subject.value, 42)
        subject.send(43)
        XCTAssertEqual(subject.value, 42)
        XCTAssertEqual(recorder.events, [.subscription("CurrentValueSubject"), .value(0), .completion(.finished)])
        let late = Recorder<Int, Never>(demand: .unlimited)
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
