import HeadgateCombine
import TestSupport
import XCTest

final class ShareTests: XCTestCase {
    func test_subscribesUpstreamOnceForAll() {
        let upstream = HandPublisher<Int, TestFailure>()
        let shared = upstream.share()
        let early = Recorder<Int, TestFailure>(demand: .unlimited)
        let late = Recorder<Int, TestFailure>(demand: .unlimited)
        shared.subscribe(early)
        upstream.send(1)
        shared.subscribe(late)
        upstream.send(2)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        XCTAssertEqual(early.values, [1, 2])
        XCTAssertEqual(late.values, [2])
        XCTAssertEqual(late.failure, .first)
        XCTAssertEqual(early.events.first, .subscription("Multicast"))
        XCTAssertEqual(early.breaches + late.breaches, [])
    }

    func test_cancelsUpstreamOnceWhenTheLastSubscriberLeaves() {
        let upstream = HandPublisher<Int, Never>()
        let shared = upstream.share()
        let recorders = (0..<3).map { _ in Recorder<Int, Never>(demand: .unlimited) }
        recorders.forEach(shared.subscribe)
        let subscription = recorders[0].subscription
        recorders[0].cancel()
        subscription?.cancel()
        subscription?.cancel()
        recorders[1].cancel()
        XCTAssertEqual(upstream.cancelCount, 0, "a subscriber that cancels three times leaves once")
        recorders[2].cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_beginsAnewForTheNextSubscriber() {
        let upstream = HandPublisher<Int, Never>()
        let shared = upstream.share()
        let first = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(first)
        upstream.send(1)
        first.cancel()
        let second = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(second)
        upstream.send(2)
        XCTAssertEqual(upstream.subscriptionCount, 2)
        XCTAssertEqual(second.values, [2])
        XCTAssertEqual(first.breaches + second.breaches, [])
    }

    func test_doesNotBeginAnewAfterTheEnd() {
        let upstream = HandPublisher<Int, Never>()
        let shared = upstream.share()
        let first = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(first)
        let subscription = first.subscription
        upstream.finish()
        subscription?.cancel()
        let second = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(second)
        XCTAssertEqual(second.events, [.subscription("Multicast"), .completion(.finished)])
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_givesTheFirstSubscriberEverythingThatComesAtOnce() {
        let shared = (1...3).publisher.share()
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(recorder)
        XCTAssertEqual(recorder.values, [1, 2, 3])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_cancelsUpstreamThatIsStillBeingConnectedWhenTheOnlySubscriberLeaves() {
        let upstream = HandPublisher<Int, Never>()
        upstream.onRequest = { _ in upstream.send(1) }
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .none
        }
        upstream.share().subscribe(recorder)
        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_doesNotConnectForASubscriberThatLeavesOnArrival() {
        let upstream = HandPublisher<Int, Never>()
        let shared = upstream.share()
        shared.subscribe(AnySubscriber(receiveSubscription: { $0.cancel() }))
        XCTAssertEqual(upstream.subscriptionCount, 0)
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(recorder)
        upstream.send(1)
        XCTAssertEqual(recorder.values, [1])
    }

    func test_theStreamGoesOnWhenOnlyTheSubscribersAreLeft() {
        let upstream = HandPublisher<Int, Never>()
        var values: [Int] = []
        upstream.share().subscribe(
            AnySubscriber(
                receiveSubscription: { $0.request(.unlimited) },
                receiveValue: {
                    values.append($0)
                    return .none
                }))
        upstream.send(1)
        XCTAssertEqual(values, [1])
        upstream.finish()
    }

    func test_letsGoOfEverythingAfterCancelAndAfterTheEnd() {
        let before = Tracked.count
        for ends in [false, true] {
            let upstream = PassthroughSubject<Int, Never>()
            let tracked = Tracked()
            let shared = upstream.map { value -> Int in
                _ = tracked
                return value
            }.share()
            let sinks = (0..<2).map { _ in
                let tracked = Tracked()
                return shared.sink { _ in _ = tracked }
            }
            upstream.send(1)
            if ends { upstream.send(completion: .finished) } else { sinks.forEach { $0.cancel() } }
        }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_oneByOneLosesNothingOfWhatIsSentBehindEachRequest() {
        let upstream = PassthroughSubject<Int, Never>()
        let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, _ in
            recorder.request(1)
            return .none
        }
        upstream.share().subscribe(recorder)
        (1...5).forEach(upstream.send)
        XCTAssertEqual(recorder.values, [1, 2, 3, 4, 5])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_isEqualToItselfAlone() {
        let shared = (1...3).publisher.share()
        XCTAssertEqual(shared, shared)
        XCTAssertNotEqual(shared, (1...3).publisher.share())
    }

    func test_countsThreadsThatComeAndGo() {
        let upstream = PassthroughSubject<Int, Never>()
        let shared = upstream.share()
        onThreads(4) { _ in
            for _ in 0..<500 { shared.sink { _ in }.cancel() }
        }
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        shared.subscribe(recorder)
        upstream.send(1)
        XCTAssertEqual(recorder.values, [1])
    }

    func test_autoconnectConnectsAtTheFirstAndDisconnectsAtTheLast() {
        final class Connectable: ConnectablePublisher {
            typealias Output = Int
            typealias Failure = Never
            let subject = PassthroughSubject<Int, Never>()
            var log: [String] = []
            func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
                log.append("subscribe")
                subject.receive(subscriber: subscriber)
            }
            func connect() -> any Cancellable {
                log.append("connect")
                return AnyCancellable { self.log.append("disconnect") }
            }
        }
        let connectable = Connectable()
        let automatic = connectable.autoconnect()
        let first = automatic.sink { _ in }
        let second = automatic.sink { _ in }
        first.cancel()
        second.cancel()
        let third = automatic.sink { _ in }
        XCTAssertEqual(
            connectable.log, ["subscribe", "connect", "subscribe", "disconnect", "subscribe", "connect"])
        third.cancel()
    }
}
