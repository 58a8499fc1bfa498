import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class ShareReplayTests: XCTestCase {
    func test_givesLateSubscribersTheLastValuesThenWhatFollows() {
        let upstream = TestPublisher<Int, TestFailure>()
        let shared = upstream.shareReplay(capacity: 2)
        let early = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        shared.subscribe(early)
        (1...3).forEach { upstream.send($0) }
        let late = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        shared.subscribe(late)
        upstream.send(4)
        upstream.finish()
        XCTAssertEqual(early.values, [1, 2, 3, 4])
        XCTAssertEqual(
            late.received, [.subscription("ShareReplay"), .value(2), .value(3), .value(4), .completion(.finished)])
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
    }

    func test_replaysAgainstDemandLongAfterTheEndAndThenEnds() {
        for ending in [Subscribers.Completion<TestFailure>.finished, .failure(.first)] {
            let upstream = TestPublisher<Int, TestFailure>()
            let shared = upstream.shareReplay(capacity: 3)
            let early = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            shared.subscribe(early)
            (1...5).forEach { upstream.send($0) }
            upstream.send(completion: ending)
            let late = TestSubscriber<Int, TestFailure>.checked()
            shared.subscribe(late)
            XCTAssertEqual(late.received, [.subscription("ShareReplay")])
            late.request(2)
            XCTAssertEqual(late.values, [3, 4])
            XCTAssertNil(late.completion)
            late.request(1)
            XCTAssertEqual(late.values, [3, 4, 5])
            XCTAssertEqual(late.completion, ending, "after the last value, without further demand")
            XCTAssertEqual(upstream.subscriptionCount, 1)
        }
    }

    func test_requestsOfUpstreamWhatTheForemostHasRequestedAndNoMore() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.shareReplay(capacity: 2)
        let slow = TestSubscriber<Int, Never>.checked(.first(1))
        let fast = TestSubscriber<Int, Never>.checked(.first(3))
        shared.subscribe(slow)
        shared.subscribe(fast)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .request(.max(2))])
        (1...3).forEach { upstream.send($0) }
        slow.request(2)
        XCTAssertEqual(slow.values, [1, 2, 3], "what the slow one has not read is kept for it")
        XCTAssertEqual(upstream.requested, .max(3))
        slow.request(1)
        XCTAssertEqual(upstream.requested, .max(4))
        let late = TestSubscriber<Int, Never>.checked(.first(3))
        shared.subscribe(late)
        XCTAssertEqual(late.values, [2, 3])
        XCTAssertEqual(upstream.requested, .max(4), "the log has two of the three, and the third is under way")
        upstream.send(4)
        XCTAssertEqual(late.values, [2, 3, 4])
        XCTAssertEqual(fast.values, [1, 2, 3])
    }

    func test_requestsNothingBeforeAnybodyRequests() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.shareReplay(capacity: 2)
        let subscriber = TestSubscriber<Int, Never>.checked()
        shared.subscribe(subscriber)
        XCTAssertEqual(upstream.subscriptionCount, 1)
        subscriber.request(.none)
        XCTAssertEqual(upstream.calls, [])
    }

    func test_addsDemandThatIsReturnedAndDemandFromInside() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.shareReplay(capacity: 0)
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { subscriber, value in
            if value == 1 { subscriber.request(1) }
            return value == 2 ? .max(2) : .none
        }
        shared.subscribe(subscriber)
        (1...2).forEach { upstream.send($0) }
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .request(.max(1)), .request(.max(2))])
    }

    func test_capacityZeroReplaysNothingAndReportsTheEndAtOnce() {
        let shared = (1...3).publisher.shareReplay(capacity: 0)
        let first = TestSubscriber<Int, Never>.checked(.unlimited)
        let second = TestSubscriber<Int, Never>.checked()
        shared.subscribe(first)
        shared.subscribe(second)
        XCTAssertEqual(first.values, [1, 2, 3])
        XCTAssertEqual(second.received, [.subscription("ShareReplay"), .completion(.finished)])
    }

    func test_capacityWithoutLimitReplaysEverything() {
        let shared = (1...1_000).publisher.shareReplay(capacity: .max)
        let first = TestSubscriber<Int, Never>.checked(.unlimited)
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(first)
        shared.subscribe(second)
        XCTAssertEqual(first.values, Array(1...1_000))
        XCTAssertEqual(second.values, first.values)
    }

    func test_readsAnEndlessUpstreamOnlyAsFarAsIsRequested() {
        var read = 0
        let endless = sequence(first: 1) { $0 + 1 }.lazy.map { value -> Int in
            read = value
            return value
        }
        let shared = endless.publisher.shareReplay(capacity: 1)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited) { subscriber, value in
            if value == 3 { subscriber.cancel() }
        }
        shared.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertLessThanOrEqual(read, 4)
    }

    func test_cancelsUpstreamOnceAndForgetsWhenTheLastLeavesBeforeTheEnd() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.shareReplay(capacity: 2)
        let subscribers = (0..<2).map { _ in TestSubscriber<Int, Never>.checked(.unlimited) }
        subscribers.forEach(shared.subscribe)
        upstream.send(1)
        let subscription = subscribers[0].subscription
        subscribers[0].cancel()
        subscription?.cancel()
        XCTAssertEqual(upstream.cancelCount, 0)
        subscribers[1].cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
        let next = TestSubscriber<Int, Never>.checked(.first(2))
        shared.subscribe(next)
        XCTAssertEqual(next.values, [])
        XCTAssertEqual(upstream.subscriptionCount, 2)
        XCTAssertEqual(upstream.calls.last, .request(.max(2)), "counting begins anew too")
        upstream.send(7)
        XCTAssertEqual(next.values, [7])
    }

    func test_subscribersLeaveFromAnywhereInTheList() {
        // Every order in which three leave, with a value after each.
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let upstream = TestPublisher<Int, Never>()
            let shared = upstream.shareReplay(capacity: 1)
            let subscribers = (0..<3).map { _ in TestSubscriber<Int, Never>.checked(.unlimited) }
            subscribers.forEach(shared.subscribe)
            for (step, leaving) in order.enumerated() {
                upstream.send(step)
                subscribers[leaving].cancel()
            }
            for (step, leaving) in order.enumerated() {
                XCTAssertEqual(subscribers[leaving].values, Array(0...step))
            }
            XCTAssertEqual(upstream.cancelCount, 1)
        }
    }

    func test_whoSubscribesInsideADeliveryGetsTheReplayAfterIt() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.shareReplay(capacity: 2)
        let inner = TestSubscriber<Int, Never>.checked(.unlimited)
        let outer = shared.sink { if $0 == 2 { shared.subscribe(inner) } }
        (1...3).forEach { upstream.send($0) }
        XCTAssertEqual(inner.values, [1, 2, 3])
        outer.cancel()
    }

    func test_aSubscriberThatLeavesOnArrivalConnectsNothing() {
        let upstream = TestPublisher<Int, Never>()
        upstream.shareReplay(capacity: 1).subscribe(AnySubscriber(receiveSubscription: { $0.cancel() }))
        XCTAssertEqual(upstream.subscriptionCount, 0)
    }

    func test_cancelInsideTheReplayStopsIt() {
        let shared = (1...3).publisher.shareReplay(capacity: 3)
        let all = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(all)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited) { subscriber, _ in
            subscriber.cancel()
        }
        shared.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_oneByOneFromInsideIsFlat() {
        let shared = (1...50_000).publisher.shareReplay(capacity: 1)
        var count = 0
        var subscription: (any Subscription)?
        shared.subscribe(
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
        XCTAssertEqual(count, 50_000)
    }

    func test_releasesALongTailOfUnreadValuesWithoutRecursion() {
        let upstream = PassthroughSubject<Int, Never>()
        let shared = upstream.shareReplay(capacity: 0)
        let idle = TestSubscriber<Int, Never>.checked()
        let fast = shared.sink { _ in }
        shared.subscribe(idle)
        for number in 0..<150_000 { upstream.send(number) }
        idle.cancel()
        fast.cancel()
        XCTAssertEqual(idle.values, [])
    }

    func test_keepsNoMoreThanItsCapacityAndWhatTheSlowestHasNotRead() {
        let before = Tracked.count
        let upstream = PassthroughSubject<Tracked, Never>()
        let shared = upstream.shareReplay(capacity: 3)
        let fast = shared.sink { _ in }
        var read = 0
        var slow: (any Subscription)?
        shared.subscribe(
            AnySubscriber(
                receiveSubscription: { slow = $0 },
                receiveValue: { _ in
                    read += 1
                    return .none
                }))
        for _ in 0..<10 { upstream.send(Tracked()) }
        XCTAssertEqual(Tracked.count, before + 10)
        slow?.request(.max(5))
        XCTAssertEqual(read, 5)
        XCTAssertEqual(Tracked.count, before + 5)
        slow?.cancel()
        XCTAssertEqual(Tracked.count, before + 3)
        fast.cancel()
        XCTAssertEqual(Tracked.count, before)
    }

    func test_releasesSubscribersAndUpstreamAtTheEndAndAfterCancel() {
        let before = Tracked.count
        for ends in [false, true] {
            let upstream = PassthroughSubject<Int, Never>()
            let tracked = Tracked()
            let shared = upstream.map { value -> Int in
                _ = tracked
                return value
            }.shareReplay(capacity: 5)
            let sinks = (0..<2).map { _ in
                let tracked = Tracked()
                return shared.sink { _ in _ = tracked }
            }
            upstream.send(1)
            if ends { upstream.send(completion: .finished) } else { sinks.forEach { $0.cancel() } }
        }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_ignoresWhatComesFromAnUpstreamThatWasLeft() {
        let upstream = TestPublisher<Int, Never>(sendsSubscription: false, keepsSubscribers: true)
        let shared = upstream.shareReplay(capacity: 2)
        let first = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(first)
        first.cancel()
        upstream.sendSubscription()
        XCTAssertEqual(upstream.calls, [.cancel])
        upstream.force(1)
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(second)
        upstream.sendSubscription()
        upstream.send(2)
        XCTAssertEqual(second.values, [2])
    }

    func test_everySubscriberSeesEveryValueInOneOrderWhateverTheThreads() {
        let upstream = PassthroughSubject<Int, Never>()
        let shared = upstream.shareReplay(capacity: .max)
        let early = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(early)
        let late = (0..<2).map { _ in
            TestSubscriber<Int, Never>.checked(.first(1)) { subscriber, _ in
                subscriber.request(1)
            }
        }
        onThreads(4) { thread in
            if thread < 2 {
                for number in 0..<1_000 { upstream.send(thread * 1_000 + number) }
            } else {
                shared.subscribe(late[thread - 2])
            }
        }
        XCTAssertEqual(early.values.sorted(), Array(0..<2_000))
        for subscriber in late {
            XCTAssertEqual(subscriber.values, early.values)
        }
    }

    func test_threadsThatComeAndGoLeaveNothingBehind() {
        let before = Tracked.count
        let upstream = PassthroughSubject<Int, Never>()
        let shared = upstream.shareReplay(capacity: 4)
        onThreads(4) { thread in
            for number in 0..<300 {
                if thread == 0 {
                    upstream.send(number)
                } else {
                    let tracked = Tracked()
                    shared.sink { _ in _ = tracked }.cancel()
                }
            }
        }
        XCTAssertEqual(Tracked.count, before)
    }
}
