import Dispatch
import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

/// What happens while a zip reads a side, which may take long.
final class ZipReadingConcurrencyTests: XCTestCase {
    func test_aFailureOfTheOtherSideEndsTheStreamWhileASideIsBeingRead() {
        let source = BlockedSource()
        let other = PassthroughSubject<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        source.publisher.setFailureType(to: TestFailure.self).zip(other) { $0 + $1 }
            .subscribe(subscriber)
        onThreads(2) { index in
            if index == 0 { return subscriber.request(1) }
            source.isReading.wait()
            other.send(completion: .failure(.first))
            XCTAssertEqual(subscriber.failure, .first)
            source.hasEnded.signal()
        }
        XCTAssertEqual(subscriber.values, [])
    }

    func test_cancelReleasesTheSubscriberWhileASideIsBeingRead() {
        let source = BlockedSource()
        var subscriber: TestSubscriber<Int, Never>? = .checked()
        weak let weakSubscriber = subscriber
        subscriber.map { source.publisher.zip((1...).publisher) { $0 + $1 }.subscribe($0) }
        onThreads(2) { [subscriber] index in
            if index == 0 {
                subscriber?.request(1)
            } else {
                source.isReading.wait()
                subscriber?.cancel()
                source.hasEnded.signal()
            }
        }
        XCTAssertEqual(subscriber?.values, [])
        subscriber = nil
        XCTAssertNil(weakSubscriber)
    }

    func test_waitsForASideThatForwardsASubscriptionAndDeliversOnAnotherThread() {
        let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
        (0..<1_000).publisher.zip(Hopping(upstream: (0..<2_000).publisher), (0..<3_000).publisher) { [$0, $1, $2] }
            .subscribe(subscriber)
        waitUntil(timeout: 60_000) { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values, (0..<1_000).map { [$0, $0, $0] })
    }

    func test_readsForDemandFromSeveralThreadsEachValueOnce() {
        let subscriber = TestSubscriber<[Int], Never>.checked()
        (0...).publisher.zip((0...).publisher) { [$0, $1] }.subscribe(subscriber)
        onThreads(4) { _ in
            for _ in 0..<1_000 { subscriber.request(1) }
        }
        XCTAssertEqual(subscriber.values, (0..<4_000).map { [$0, $0] })
        subscriber.cancel()
    }

    /// A sequence whose first element is read for as long as the test lets it.
    private struct BlockedSource {
        let isReading = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)

        var publisher: Publishers.Sequence<IteratorSequence<AnyIterator<Int>>, Never> {
            let lines = AnyIterator { () -> Int? in
                isReading.signal()
                hasEnded.wait()
                return 1
            }
            return IteratorSequence(lines).publisher
        }
    }

    /// Forwards upstream's subscription as it is, and delivers each value on another thread.
    private struct Hopping: Publisher {
        typealias Output = Int
        typealias Failure = Never

        let upstream: Publishers.Sequence<Range<Int>, Never>

        func receive(subscriber: some Subscriber<Int, Never>) {
            let queue = DispatchQueue(label: "hopping")
            let subscriber = AnySubscriber(subscriber)
            upstream.subscribe(
                AnySubscriber(
                    receiveSubscription: { subscriber.receive(subscription: $0) },
                    receiveValue: { value in
                        queue.async { _ = subscriber.receive(value) }
                        return .none
                    },
                    receiveCompletion: { completion in
                        queue.async { subscriber.receive(completion: completion) }
                    }))
        }
    }
}
