import Headgate
import TestSupport
import XCTest

final class ShareReplayTests: XCTestCase {
    func test_givesLateSubscribersTheLastValuesThenWhatFollows() {
        let upstream = HandPublisher<Int, TestFailure>()
        let shared = upstream.shareReplay(capacity: 2)
        let early = Recorder<Int, TestFailure>(demand: .unlimited)
        shared.subscribe(early)
        (1...3).forEach { upstream.send($0) }
        let late = Recorder<Int, TestFailure>(demand: .unlimited)
        shared.subscribe(late)
        upstream.send(4)
        upstream.finish()
        XCTAssertEqual(early.values, [1, 2, 3, 4])
        XCTAssertEqual(
            late.events, [.subscription("ShareReplay"), .value(2), .value(3), .value(4), .completion(.finished)])
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        XCTAssertEqual(early.breaches + late.breaches, [])
    }

    func test_replaysAgainstDemandLongAfterTheEndAndThenEnds() {
        for ending in [Subscribers.Completion<TestFailure>.finished, .failure(.first)] {
            let upstream = HandPublisher<Int, TestFailure>()
            let shared = upstream.shareReplay(capacity: 3)
            let early = Recorder<Int, TestFailure>(demand: .unlimited)
            shared.subscribe(early)
            (1...5).forEach { upstream.send($0) }
            upstream.send(completion: ending)
            let late = Recorder<Int, TestFailure>()
            shared.subscribe(late)
            XCTAssertEqual(late.events, [.subscription("ShareReplay")])
            late.request(2)
            XCTAssertEqual(late.values, [3, 4])
            XCTAssertNil(late.completion)
            late.request(1)
            XCTAssertEqual(late.values, [3, 4, 5])
            XCTAssertEqual(late.completion, ending, "behind the last value, without further demand")
            XCTAssertEqual(late.breaches, [])
            XCTAssertEqual(upstream.subscriptionCount, 1)
        }
    }

    func test_asksUpstreamForWhatTheForemostHasAskedAndNoMore() {
        let upstream = HandPublisher<Int, Never>()
        let shared = upstream.shareReplay(capacity: 2)
        let slow = Recorder<Int, Never>(demand: .max(1))
        let fast = Recorder<Int, Never>(demand: .max(3))
        shared.subscribe(slow)
        shared.subscribe(fast)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .request(.max(2))])
        (1...3).forEach { upstream.send($0) }
        slow.request(2)
        XCTAssertEqual(slow.values, [1, 2, 3], "what the slow one has not read is kept for it")
        XCTAssertEqual(upstream.requested, .max(3))
        slow.request(1)
        XCTAssertEqual(upstream.requested, .max(4))
        let late = Recorder<Int, Never>(demand: .max(3))
        shared.subscribe(late)
        XCTAssertEqual(late.values, [2, 3])
        XCTAssertEqual(upstream.requested, .max(4), "the log has two of the three, and the third is under way")
        upstream.send(4)
        XCTAssertEqual(late.values, [2, 3, 4])
        XCTAssertEqual(fast.values, [1, 2, 3])
        XCTAssertEqual(slow.breaches + fast.breaches + late.breaches, [])
    }

    func test_asksForNothingBeforeAnybodyAsks() {
        let upstream = HandPublisher<Int, Never>()
        let shared = upstream.shareReplay(capacity: 2)
        let recorder = Recorder<Int, Never>()
        shared.subscribe(recorder)
        XCTAssertEqual(upstream.subscriptionCount, 1)
        recorder.request(.none)
        XCTAssertEqual(upstream.calls, [])
    }

    func test_addsDemandThatIsReturnedAndDemandFromInside() {
        let upstream = HandPublisher<Int, Never>()
        let shared = upstream.shareReplay(capacity: 0)
        let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, value in
            if value == 1 { recorder.request(1) }
            return value == 2 ? .max(2) : .none
        }
        shared.subscribe(recorder)
        (1...2).forEach { upstream.send($0) }
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .request(.max(1)), .request(.max(2))])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_capacityZeroReplaysNothingAndTellsTheEndAtOnce() {
        let shared = (1...3).publisher.shareReplay(capacity: 0)
        let first = Recorder<Int, Never>(demand: .unlimited)
        let second = Recorder<Int, Never>()
        shared.subscribe(first)
        shared.subscribe(second)
        XCTAssertEqual(first.values, [1, 2, 3])
        XCTAssertEqual(second.events, [.subscription("ShareReplay"), .completion(.finished)])
        XCTAssertEqual(second.breaches, [])
    }

    func test_capacityWithoutLimitReplaysEverything() {
        let shared = (1...1_000).publisher.shareReplay(capacity: .max)
        let first = Recorder<Int, Never>(demand: .unlimited)
        let second = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(first)
        shared.subscribe(second)
        XCTAssertEqual(first.values, Array(1...1_000))
        XCTAssertEqual(second.values, first.values)
        XCTAssertEqual(second.breaches, [])
    }

    func test_readsAnEndlessUpstreamOnlyAsFarAsItIsAsked() {
        var read = 0
        let endless = sequence(first: 1) { $0 + 1 }.lazy.map { value -> Int in
            read = value
            return value
        }
        let shared = endless.publisher.shareReplay(capacity: 1)
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, value in
            if value == 3 { recorder.cancel() }
            return .none
        }
        shared.subscribe(recorder)
        XCTAssertEqual(recorder.values, [1, 2, 3])
        XCTAssertLessThanOrEqual(read, 4)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_cancelsUpstreamOnceAndForgetsWhenTheLastLeavesBeforeTheEnd() {
        let upstream = HandPublisher<Int, Never>()
        let shared = upstream.shareReplay(capacity: 2)
        let recorders = (0..<2).map { _ in Recorder<Int, Never>(demand: .unlimited) }
        recorders.forEach(shared.subscribe)
        upstream.send(1)
        let subscription = recorders[0].subscription
        recorders[0].cancel()
        subscription?.cancel()
        XCTAssertEqual(upstream.cancelCount, 0)
        recorders[1].cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
        let next = Recorder<Int, Never>(demand: .max(2))
        shared.subscribe(next)
        XCTAssertEqual(next.values, [])
        XCTAssertEqual(upstream.subscriptionCount, 2)
        XCTAssertEqual(upstream.calls.last, .request(.max(2)), "counting begins anew too")
        upstream.send(7)
        XCTAssertEqual(next.values, [7])
    }

    func test_subscribersLeaveFromAnywhereInTheList() {
        // Every order in which three leave, with a value behind each.
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let upstream = HandPublisher<Int, Never>()
            let shared = upstream.shareReplay(capacity: 1)
            let recorders = (0..<3).map { _ in Recorder<Int, Never>(demand: .unlimited) }
            recorders.forEach(shared.subscribe)
            for (step, leaving) in order.enumerated() {
                upstream.send(step)
                recorders[leaving].cancel()
            }
            for (step, leaving) in order.enumerated() {
                XCTAssertEqual(recorders[leaving].values, Array(0...step))
                XCTAssertEqual(recorders[leaving].breaches, [])
            }
            XCTAssertEqual(upstream.cancelCount, 1)
        }
    }

    func test_whoSubscribesInsideADeliveryGetsTheReplayBehindIt() {
        let upstream = HandPublisher<Int, Never>()
        let shared = upstream.shareReplay(capacity: 2)
        let inner = Recorder<Int, Never>(demand: .unlimited)
        let outer = shared.sink { if $0 == 2 { shared.subscribe(inner) } }
        (1...3).forEach { upstream.send($0) }
        XCTAssertEqual(inner.values, [1, 2, 3])
        XCTAssertEqual(inner.breaches, [])
        outer.cancel()
    }

    func test_aSubscriberThatLeavesOnArrivalConnectsNothing() {
        let upstream = HandPublisher<Int, Never>()
        upstream.shareReplay(capacity: 1).subscribe(AnySubscriber(receiveSubscription: { $0.cancel() }))
        XCTAssertEqual(upstream.subscriptionCount, 0)
    }

    func test_cancelInsideTheReplayStopsIt() {
        let shared = (1...3).publisher.shareReplay(capacity: 3)
        let all = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(all)
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .none
        }
        shared.subscribe(recorder)
        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual(recorder.breaches, [])
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

    func test_letsALongTailOfUnreadValuesGoWithoutRecursion() {
        let upstream = PassthroughSubject<Int, Never>()
        let shared = upstream.shareReplay(capacity: 0)
        let idle = Recorder<Int, Never>()
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

    func test_letsGoOfSubscribersAndUpstreamAtTheEndAndAfterCancel() {
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
        let upstream = HandPublisher<Int, Never>(sendsSubscription: false)
        let shared = upstream.shareReplay(capacity: 2)
        let first = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(first)
        first.cancel()
        upstream.sendSubscription()
        XCTAssertEqual(upstream.calls, [.cancel])
        upstream.send(1)
        let second = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(second)
        upstream.sendSubscription()
        upstream.send(2)
        XCTAssertEqual(second.values, [2])
        XCTAssertEqual(second.breaches, [])
    }

    func test_everySubscriberSeesEveryValueInOneOrderWhateverTheThreads() {
        let upstream = PassthroughSubject<Int, Never>()
        let shared = upstream.shareReplay(capacity: .max)
        let early = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(early)
        let late = (0..<2).map { _ in
            Recorder<Int, Never>(demand: .max(1)) { recorder, _ in
                recorder.request(1)
                return .none
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
        for recorder in late {
            XCTAssertEqual(recorder.values, early.values)
            XCTAssertEqual(recorder.breaches, [])
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
