import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class ReplaySubjectTests: XCTestCase {
    private let subject = ReplaySubject<Int, TestFailure>(bufferSize: 2)

    func test_givesLateSubscribersTheLastValuesThenWhatFollows() {
        let early = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        subject.subscribe(early)
        for value in 1...3 { subject.send(value) }
        let late = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        subject.subscribe(late)
        subject.send(4)
        subject.send(completion: .failure(.first))
        subject.send(5)
        XCTAssertEqual(early.values, [1, 2, 3, 4])
        XCTAssertEqual(late.values, [2, 3, 4])
        let veryLate = TestSubscriber<Int, TestFailure>.checked(.first(1))
        subject.subscribe(veryLate)
        XCTAssertEqual(veryLate.values, [3])
        XCTAssertNil(veryLate.completion)
        veryLate.request(.max(1))
        XCTAssertEqual(veryLate.values, [3, 4])
        XCTAssertEqual(veryLate.failure, .first)
    }

    func test_remembersWithoutSubscribersAndWhenTheLastHasLeft() {
        subject.send(1)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        subject.subscribe(subscriber)
        subscriber.cancel()
        subject.send(2)
        let late = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        subject.subscribe(late)
        XCTAssertEqual(late.values, [1, 2])
    }

    func test_losesNothingForTheSlow() {
        let slow = TestSubscriber<Int, TestFailure>.checked(.none)
        subject.subscribe(slow)
        for value in 0..<1000 { subject.send(value) }
        slow.request(.unlimited)
        XCTAssertEqual(slow.values, Array(0..<1000))
    }

    func test_aBufferOfNoneReplaysNothingAndAnUnlimitedOneEverything() {
        for (size, expected) in [(0, [3]), (.max, [1, 2, 3])] {
            let subject = ReplaySubject<Int, TestFailure>(bufferSize: size)
            subject.send(1)
            subject.send(2)
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            subject.subscribe(subscriber)
            subject.send(3)
            XCTAssertEqual(subscriber.values, expected)
        }
    }

    func test_requestsEverythingOfItsUpstreamsAndCancelsThemAtItsEnd() {
        let upstream = TestPublisher<Int, TestFailure>()
        let tie = upstream.subscribe(subject)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        upstream.send(1)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        subject.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1])
        subject.send(completion: .finished)
        XCTAssertEqual(upstream.cancelCount, 1)
        tie.cancel()
    }

    func test_aSharedHotSourceLosesNothingBeforeTheFirstRequest() {
        let hot = PassthroughSubject<Int, TestFailure>()
        let shares: [(name: String, publisher: AnyPublisher<Int, TestFailure>, expected: [Int])] = [
            ("subject", hot.share(replay: 10).eraseToAnyPublisher(), [1, 2]),
            ("flatMap", hot.flatMap { Just($0) }.share(replay: 10).eraseToAnyPublisher(), [1, 2]),
            ("prepend", hot.prepend(0).share(replay: 10).eraseToAnyPublisher(), [0, 1, 2]),
        ]
        for (name, publisher, expected) in shares {
            let late = TestSubscriber<Int, TestFailure>.checked(.none)
            publisher.subscribe(late)
            hot.send(1)
            late.request(.unlimited)
            hot.send(2)
            XCTAssertEqual(late.values, expected, name)
            late.cancel()
        }
    }

    func test_aValueSentFromInsideADeliveryFollowsIt() {
        let first = TestSubscriber<Int, TestFailure>.checked(.unlimited) { [subject] _, value in
            if value < 3 { subject.send(value + 1) }
        }
        let second = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1)
        XCTAssertEqual(first.values, [1, 2, 3])
        XCTAssertEqual(second.values, [1, 2, 3])
    }

    func test_aMillionValuesInBoundedMemory() {
        var count = 0
        let cancellable = subject.sink(receiveCompletion: { _ in }, receiveValue: { _ in count += 1 })
        for value in 0..<1_000_000 { subject.send(value) }
        XCTAssertEqual(count, 1_000_000)
        cancellable.cancel()
    }

    func test_releasesItsSubscribersAndValuesWithTheEndAndWithCancel() {
        let living = Tracked.count
        do {
            let subject = ReplaySubject<Tracked, Never>(bufferSize: 3)
            for _ in 0..<10 { subject.send(Tracked()) }
            XCTAssertEqual(Tracked.count, living + 3)
            var subscriber: TestSubscriber<Tracked, Never>? = TestSubscriber.checked(.none)
            weak let weakSubscriber = subscriber
            subscriber.map { subject.subscribe($0) }
            subscriber?.cancel()
            subscriber = nil
            XCTAssertNil(weakSubscriber)
        }
        XCTAssertEqual(Tracked.count, living)
    }
}

final class ShareAndReplayTests: XCTestCase {
    func test_sharesOneSubscriptionAndReplays() {
        let upstream = TestPublisher<Int, TestFailure>()
        let shared = upstream.share(replay: 1)
        let (early, late) = (
            TestSubscriber<Int, TestFailure>.checked(.unlimited), TestSubscriber<Int, TestFailure>.checked(.unlimited)
        )
        shared.subscribe(early)
        upstream.send(1)
        upstream.send(2)
        shared.subscribe(late)
        upstream.finish()
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertEqual(early.values, [1, 2])
        XCTAssertEqual(late.values, [2])
        XCTAssertTrue(early.hasFinished && late.hasFinished)
    }

    func test_requestsNothingOfWhatWaitsForDemandBeforeASubscriberHasRequested() {
        var requests: [Subscribers.Demand] = []
        let upstream = (1...1).publisher.setFailureType(to: TestFailure.self)
            .handleEvents(receiveRequest: { requests.append($0) })
        let shared = upstream.share(replay: 1)
        let (first, second) = (TestSubscriber<Int, TestFailure>.checked(), TestSubscriber<Int, TestFailure>.checked())
        shared.subscribe(first)
        shared.subscribe(second)
        XCTAssertEqual(requests, [])
        second.request(1)
        XCTAssertEqual(requests, [.unlimited])
        first.request(1)
        XCTAssertEqual(requests, [.unlimited])
        XCTAssertEqual([first.values, second.values], [[1], [1]])
    }

    func test_requestsAtOnceFromWhatMayNotWait() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.share(replay: 1).subscribe(subscriber)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
    }

    func test_readsNothingOfAnEndlessSourceWhileOperatorsAfterItConnect() {
        var read = 0
        let numbers = AnyIterator { () -> Int? in
            read += 1
            return read < 5_000 ? read : nil
        }
        var received: [Int] = []
        let pairs = Just(0).combineLatest(numbers.publisher.share(replay: 2)) { $1 }
        pairs.prefix(3).sink { received.append($0) }.cancel()
        XCTAssertEqual(received, [1, 2, 3])
        XCTAssertEqual(read, 3)
    }

    func test_aSubscriberThatRequestsFirstJoinsBeforeUpstreamIsRequestedFrom() {
        var read = 0
        let numbers = AnyIterator { () -> Int? in
            read += 1
            return read < 5_000 ? read : nil
        }
        let shared = numbers.publisher.share(replay: 2)
        let silent = TestSubscriber<Int, Never>.checked()
        shared.subscribe(silent)
        var received: [Int] = []
        let sink = shared.prefix(3).sink { received.append($0) }
        XCTAssertEqual(received, [1, 2, 3])
        silent.request(2)
        XCTAssertEqual(silent.values, [1, 2])
        silent.cancel()
        sink.cancel()
    }

    func test_valuesThatAreTooOldAreNotReplayed() {
        let scheduler = TestScheduler()
        let upstream = TestPublisher<Int, TestFailure>()
        let shared = upstream.share(replay: 3, for: .seconds(10), scheduler: scheduler)
        func join() -> TestSubscriber<Int, TestFailure> {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            shared.subscribe(subscriber)
            return subscriber
        }
        let early = join()
        for value in 1...5 {
            upstream.send(value)
            scheduler.advance(by: .seconds(4))
        }
        XCTAssertEqual(join().values, [4, 5], "3 came twelve seconds ago")
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(join().values, [5])
        upstream.finish()
        scheduler.advance(by: .seconds(100))
        let veryLate = join()
        XCTAssertEqual(veryLate.values, [])
        XCTAssertTrue(veryLate.hasFinished)
        XCTAssertEqual(early.values, [1, 2, 3, 4, 5])
        XCTAssertEqual(upstream.subscriptionCount, 1)
    }

    func test_whoCameInTimeGetsWhatIsTooOldForOthers() {
        let scheduler = TestScheduler()
        let upstream = TestPublisher<Int, TestFailure>()
        let shared = upstream.share(replay: 3, for: .seconds(10), scheduler: scheduler)
        let fast = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let slow = TestSubscriber<Int, TestFailure>.checked()
        shared.subscribe(fast)
        shared.subscribe(slow)
        upstream.send(1)
        scheduler.advance(by: .seconds(100))
        shared.subscribe(TestSubscriber<Int, TestFailure>.checked(.unlimited))
        slow.request(.max(1))
        XCTAssertEqual(slow.values, [1])
    }
}

extension ReplaySubjectTests {
    func test_itsSubscriptionsRetainIt() {
        var received: [Int] = []
        weak var subject: ReplaySubject<Int, Never>?
        var reading: AnyCancellable?
        do {
            let kept = ReplaySubject<Int, Never>(bufferSize: 1)
            subject = kept
            reading = kept.sink { received.append($0) }
        }
        subject?.send(1)
        XCTAssertEqual(received, [1])
        reading?.cancel()
        XCTAssertNil(subject)
    }

    func test_itsSubscriptionsRetainItUntilTheEnd() {
        weak var subject: ReplaySubject<Int, Never>?
        let subscriber = TestSubscriber<Int, Never>.checked()
        do {
            let kept = ReplaySubject<Int, Never>(bufferSize: 1)
            subject = kept
            kept.subscribe(subscriber)
            kept.send(1)
        }
        subject?.send(completion: .finished)
        XCTAssertNil(subject)
        subscriber.request(.unlimited)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }
}
