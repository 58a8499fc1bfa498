import HeadgateCombine
import TestSupport
import XCTest

final class FlatMapTests: XCTestCase {
    func test_publishesWhatAllPublishersPublish() {
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        [1, 2].publisher.flatMap { ($0 * 10...$0 * 10 + 2).publisher }.subscribe(recorder)
        XCTAssertEqual(recorder.events.first, .subscription("FlatMap"))
        XCTAssertEqual(recorder.values, [10, 11, 12, 20, 21, 22])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_asksEachPublisherForOneValueAtATime() {
        let upstream = HandPublisher<Int, TestFailure>()
        let inners = (0..<3).map { _ in HandPublisher<Int, TestFailure>() }
        let recorder = Recorder<Int, TestFailure>()
        upstream.flatMap { inners[$0] }.subscribe(recorder)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        for index in 0..<3 { upstream.send(index) }
        XCTAssertEqual(inners.map(\.requested), [.max(1), .max(1), .max(1)])
        for index in 0..<3 { XCTAssertEqual(inners[index].send(index), .none) }
        XCTAssertEqual(recorder.values, [])
        recorder.request(2)
        XCTAssertEqual(recorder.values, [0, 1])
        XCTAssertEqual(inners.map(\.requested), [.max(2), .max(2), .max(1)])
        inners[0].send(3)
        recorder.request(1)
        XCTAssertEqual(recorder.values, [0, 1, 2], "the one that has waited longest comes first")
        recorder.request(2)
        XCTAssertEqual(inners[1].send(4), .max(1))
        XCTAssertEqual(recorder.values, [0, 1, 2, 3, 4])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_asksForEverythingOnceDemandIsUnlimited() {
        let upstream = HandPublisher<Int, TestFailure>()
        let inners = (0..<3).map { _ in HandPublisher<Int, TestFailure>() }
        let recorder = Recorder<Int, TestFailure>()
        upstream.flatMap { inners[$0] }.subscribe(recorder)
        upstream.send(0)
        upstream.send(1)
        inners[0].send(10)
        recorder.request(.unlimited)
        upstream.send(2)
        XCTAssertEqual(inners[0].calls, [.request(.max(1)), .request(.unlimited)])
        XCTAssertEqual(inners[1].calls, [.request(.max(1)), .request(.unlimited)])
        XCTAssertEqual(inners[2].calls, [.request(.unlimited)])
        for index in 0..<3 { XCTAssertEqual(inners[index].send(index), .none) }
        XCTAssertEqual(recorder.values, [10, 0, 1, 2])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_neverHasMorePublishersGoingThanAllowed() {
        let upstream = HandPublisher<Int, TestFailure>()
        let inners = (0..<4).map { _ in HandPublisher<Int, TestFailure>() }
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.flatMap(maxPublishers: .max(2)) { inners[$0] }.subscribe(recorder)
        XCTAssertEqual(upstream.requested, .max(2))
        upstream.send(0)
        upstream.send(1)
        inners[1].finish()
        XCTAssertEqual(upstream.requested, .max(3))
        upstream.send(2)
        inners[0].finish()
        inners[2].finish()
        XCTAssertEqual(upstream.requested, .max(5))
        upstream.finish()
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_asksForAnotherPublisherOnlyWhenTheLastWordOfOneIsDelivered() {
        let upstream = HandPublisher<Int, Never>()
        let recorder = Recorder<Int, Never>()
        upstream.flatMap(maxPublishers: .max(1)) { [$0].publisher }.subscribe(recorder)
        upstream.send(1)
        XCTAssertEqual(upstream.requested, .max(1))
        recorder.request(1)
        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual(upstream.requested, .max(2))
    }

    func test_aFailingPublisherCancelsUpstreamAndTheOthers() {
        let upstream = HandPublisher<Int, TestFailure>()
        let inners = (0..<3).map { _ in HandPublisher<Int, TestFailure>() }
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.flatMap { inners[$0] }.subscribe(recorder)
        for index in 0..<3 { upstream.send(index) }
        inners[1].send(completion: .failure(.second))
        XCTAssertEqual(recorder.failure, .second)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(inners.map(\.cancelCount), [1, 0, 1])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_aFailureOfUpstreamCancelsThePublishers() {
        let upstream = HandPublisher<Int, TestFailure>()
        let inner = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.flatMap { _ in inner }.subscribe(recorder)
        upstream.send(0)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(recorder.failure, .first)
        XCTAssertEqual(upstream.cancelCount, 0)
        XCTAssertEqual(inner.cancelCount, 1)
    }

    func test_finishesOnlyWhenUpstreamAndAllPublishersHave() {
        let upstream = HandPublisher<Int, Never>()
        let inners = (0..<2).map { _ in HandPublisher<Int, Never>() }
        let recorder = Recorder<Int, Never>(demand: .max(1))
        upstream.flatMap { inners[$0] }.subscribe(recorder)
        upstream.send(0)
        upstream.send(1)
        inners[0].send(1)
        inners[0].send(2)
        inners[0].finish()
        upstream.finish()
        inners[1].finish()
        XCTAssertNil(recorder.completion, "a value still waits")
        recorder.request(1)
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_cancelInsideADeliveryStopsEverything() {
        let upstream = HandPublisher<Int, Never>()
        let inners = (0..<2).map { _ in HandPublisher<Int, Never>() }
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .none
        }
        upstream.flatMap { inners[$0] }.subscribe(recorder)
        upstream.send(0)
        upstream.send(1)
        inners[0].send(1)
        inners[1].send(2)
        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual([upstream.cancelCount, inners[0].cancelCount, inners[1].cancelCount], [1, 1, 1])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_cancelsAnEndlessPublisherFromInsideADelivery() {
        let endless = sequence(first: 0) { $0 + 1 }.publisher
        for demand in [Subscribers.Demand.unlimited, .max(5)] {
            let recorder = Recorder<Int, Never>(demand: demand) { recorder, value in
                if value == 2 { recorder.request(.unlimited) }
                if value == 100 { recorder.cancel() }
                return .none
            }
            [1].publisher.flatMap { _ in endless }.subscribe(recorder)
            XCTAssertEqual(recorder.values, Array(0...100))
            XCTAssertEqual(recorder.breaches, [])
        }
    }

    func test_isFlatForManyPublishersThatAnswerAtOnce() {
        for limit in [Subscribers.Demand.unlimited, .max(1)] {
            var count = 0
            let cancellable = (0..<100_000).publisher.flatMap(maxPublishers: limit) { CollectionOfOne($0).publisher }
                .sink { _ in count += 1 }
            XCTAssertEqual(count, 100_000)
            cancellable.cancel()
        }
    }

    func test_isFlatWhenDemandComesOneByOne() {
        for limit in [Subscribers.Demand.unlimited, .max(1), .max(3)] {
            let returning = Recorder<Int, Never>(demand: .max(1)) { _, _ in .max(1) }
            (0..<20_000).publisher.flatMap(maxPublishers: limit) { [$0, $0].publisher }.subscribe(returning)
            let requesting = Recorder<Int, Never>(demand: .max(1)) { recorder, _ in
                recorder.request(1)
                return .none
            }
            (0..<20_000).publisher.flatMap(maxPublishers: limit) { [$0, $0].publisher }.subscribe(requesting)
            for recorder in [returning, requesting] {
                XCTAssertEqual(recorder.values, (0..<20_000).flatMap { [$0, $0] })
                XCTAssertTrue(recorder.hasFinished)
                XCTAssertEqual(recorder.breaches, [])
            }
        }
    }

    func test_isFlatWhenManyPublishersWaitForDemand() {
        let recorder = Recorder<Int, Never>()
        (0..<20_000).publisher.flatMap { [$0, -$0].publisher }.subscribe(recorder)
        recorder.onValue = { recorder, _ in
            recorder.request(1)
            return .none
        }
        recorder.request(1)
        XCTAssertEqual(recorder.values, Array(0..<20_000) + (0..<20_000).map { -$0 })
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_losesNothingWhenPublishersAreOnSeveralThreads() {
        let upstream = PassthroughSubject<Int, Never>()
        let inners = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        upstream.flatMap { inners[$0] }.subscribe(recorder)
        for index in 0..<4 { upstream.send(index) }
        upstream.send(completion: .finished)
        onThreads(4) { index in
            for value in 0..<5_000 { inners[index].send(value * 4 + index) }
            inners[index].send(completion: .finished)
        }
        XCTAssertEqual(recorder.values.count, 20_000)
        for index in 0..<4 {
            XCTAssertEqual(recorder.values.filter { $0 % 4 == index }, (0..<5_000).map { $0 * 4 + index })
        }
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_treatsJustAsAnyPublisherOfOneValue() {
        for limit in [Subscribers.Demand.unlimited, .max(1), .max(3)] {
            for demand in [Subscribers.Demand.unlimited, .max(1), .max(2)] {
                let upstreams = (0..<3).map { _ in HandPublisher<Int, TestFailure>() }
                let recorders = (0..<3).map { _ in
                    Recorder<Int, TestFailure>(demand: demand) { recorder, value in
                        if value == 2 { recorder.request(1) }
                        return value == 4 ? .max(1) : .none
                    }
                }
                upstreams[0].flatMap(maxPublishers: limit) { Just($0).setFailureType(to: TestFailure.self) }
                    .subscribe(recorders[0])
                upstreams[1].flatMap(maxPublishers: limit) { Just($0) }.subscribe(recorders[1])
                upstreams[2].flatMap(maxPublishers: limit) { [$0].publisher }.subscribe(recorders[2])
                var answered = [Subscribers.Demand](repeating: .none, count: 3)
                for value in 1...6 {
                    for index in 0..<3 where upstreams[index].requested + answered[index] >= value {
                        answered[index] += upstreams[index].send(value)
                    }
                }
                for index in 0..<3 {
                    recorders[index].request(1)
                    upstreams[index].finish()
                    recorders[index].request(2)
                }
                for index in 0..<2 {
                    XCTAssertEqual(recorders[index].events, recorders[2].events)
                    XCTAssertEqual(recorders[index].breaches, [])
                    XCTAssertEqual(
                        upstreams[index].requested + answered[index], upstreams[2].requested + answered[2])
                }
            }
        }
    }

    func test_widensFailureTypes() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        let failing = HandPublisher<Int, TestFailure>()
        failing.flatMap { [$0, $0].publisher }.subscribe(recorder)
        failing.send(1)
        failing.send(completion: .failure(.first))
        XCTAssertEqual(recorder.values, [1, 1])
        XCTAssertEqual(recorder.failure, .first)

        let inner = HandPublisher<Int, TestFailure>()
        let second = Recorder<Int, TestFailure>(demand: .unlimited)
        [1].publisher.flatMap { _ in inner }.subscribe(second)
        inner.send(completion: .failure(.second))
        XCTAssertEqual(second.failure, .second)
    }

    func test_letsGoOfEverythingAtTheEndAndAtCancel() {
        let before = Tracked.count
        for end in 0..<4 {
            let upstream = HandPublisher<Tracked, TestFailure>()
            let inner = HandPublisher<Tracked, TestFailure>()
            var recorder: Recorder<Tracked, TestFailure>? = Recorder(demand: .none)
            weak let weakRecorder = recorder
            let tracked = Tracked()
            recorder.map { upstream.flatMap { [tracked] _ in tracked === tracked ? inner : inner }.subscribe($0) }
            upstream.send(Tracked())
            inner.send(Tracked())
            switch end {
            case 0:
                inner.finish()
                upstream.finish()
                recorder?.onValue = { _, _ in .none }
                recorder?.request(1)
            case 1: inner.send(completion: .failure(.first))
            case 2: upstream.send(completion: .failure(.first))
            default: recorder?.cancel()
            }
            recorder = nil
            XCTAssertNil(weakRecorder, "\(end)")
            XCTAssertFalse(upstream.isConnected || inner.isConnected)
        }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_ignoresWhatUpstreamSaysAfterItsEndAndCancelsASecondSubscription() {
        var attached: AnySubscriber<Int, Never>?
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        let inner = HandPublisher<Int, Never>()
        let source = AnyPublisherOfSubscriber<Int> { attached = $0 }
        source.flatMap { _ in inner }.subscribe(recorder)
        let first = CountingSubscription()
        let second = CountingSubscription()
        attached?.receive(subscription: first)
        attached?.receive(subscription: second)
        XCTAssertEqual([first.cancelCount, second.cancelCount], [0, 1])
        _ = attached?.receive(1)
        attached?.receive(completion: .finished)
        _ = attached?.receive(2)
        attached?.receive(completion: .finished)
        XCTAssertEqual(inner.subscriptionCount, 1)
        XCTAssertNil(recorder.completion)
        inner.finish()
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }
}

/// A publisher that hands its subscriber to the test.
struct AnyPublisherOfSubscriber<Output>: Publisher {
    typealias Failure = Never

    let attach: (AnySubscriber<Output, Never>) -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        attach(AnySubscriber(subscriber))
    }
}

/// A subscription that counts what it hears.
final class CountingSubscription: Subscription {
    var cancelCount = 0
    var requested = Subscribers.Demand.none

    func request(_ demand: Subscribers.Demand) { requested += demand }
    func cancel() { cancelCount += 1 }
}
