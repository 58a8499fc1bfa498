import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class KillSwitchTests: XCTestCase {
    func test_stopsStreamsInTheOrderOfTheirSubscriptions() {
        let off = KillSwitch()
        let order = Guarded<[Int]>([])
        let sinks = (0..<5).map { number in
            Empty<Int, Never>(completeImmediately: false).stopped(by: off)
                .sink(
                    receiveCompletion: { _ in order.withLock { $0.append(number) } }, receiveValue: { _ in })
        }
        XCTAssertFalse(off.isOff)
        off.turnOff()
        XCTAssertTrue(off.isOff)
        off.turnOff()
        XCTAssertEqual(order.withLock { $0 }, [0, 1, 2, 3, 4])
        withExtendedLifetime(sinks) {}
    }

    func test_aStreamThatComesLateFinishesAtOnceAndCancelsUpstream() {
        let off = KillSwitch()
        off.turnOff()
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.stopped(by: off).subscribe(subscriber)
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_endsThePauseOfARetryBeforeIt() {
        let off = KillSwitch()
        let time = TestScheduler()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        Fail<Int, TestFailure>(error: .first)
            .retry(.constant(.seconds(60), retries: 3), scheduler: time)
            .stopped(by: off)
            .subscribe(subscriber)
        time.advance(by: .seconds(1))
        XCTAssertNil(subscriber.completion)
        off.turnOff()
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(time.unfinished, [])
    }

    func test_publishesOnceAgainstDemand() {
        let off = KillSwitch()
        let subscriber = TestSubscriber<Int, Never>.checked()
        off.publisher.map { 1 }.subscribe(subscriber)
        off.turnOff()
        XCTAssertEqual(subscriber.values, [])
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_passesDemandOn() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
        upstream.stopped(by: KillSwitch()).subscribe(subscriber)
        XCTAssertEqual(upstream.outstanding, .max(3))
        subscriber.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }
}

final class GracefulShutdownTests: XCTestCase {
    private let clock = TestScheduler()
    private let signals = PassthroughSubject<Signal, Never>()

    private func makeShutdown(deadline: Duration = .seconds(10)) -> GracefulShutdown {
        GracefulShutdown(on: signals, deadline: deadline, scheduler: clock)
    }

    func test_sourcesStopThenWhatIsUnderWayDrainsThenItIsOver() async {
        let shutdown = makeShutdown()
        let upstream = TestPublisher<Int, Never>()
        let answer = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.stopped(by: shutdown.stop)
            .flatMap(maxPublishers: .max(1)) { _ in answer }
            .underWay(in: shutdown)
            .subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(shutdown.underWayCount, 1)
        signals.send(.terminate)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertNil(subscriber.completion)
        clock.advance(by: 9)
        answer.send(7)
        answer.send(completion: .finished)
        XCTAssertEqual(subscriber.values, [7])
        XCTAssertTrue(subscriber.hasFinished)
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .drained)
        clock.advance(by: 9)
        XCTAssertFalse(shutdown.cutOff.isOff)
    }

    func test_aStreamIsUnderWayUntilItsSubscriberHasReceivedTheEnd() {
        let shutdown = makeShutdown()
        let received = Guarded<[Int]>([])
        let sink = Just(1).underWay(in: shutdown)
            .sink(
                receiveCompletion: { _ in received.withLock { $0.append(shutdown.underWayCount) } },
                receiveValue: { _ in })
        XCTAssertEqual(received.withLock { $0 }, [1])
        XCTAssertEqual(shutdown.underWayCount, 0)
        sink.cancel()
        XCTAssertEqual(shutdown.underWayCount, 0)
    }

    func test_theDeadlineCutsOffWhatIsLeftInOrder() async {
        let shutdown = makeShutdown()
        let order = Guarded<[Int]>([])
        let upstreams = (0..<3).map { _ in TestPublisher<Int, Never>() }
        let sinks = upstreams.enumerated().map { number, upstream in
            upstream.underWay(in: shutdown)
                .sink(
                    receiveCompletion: { _ in order.withLock { $0.append(number) } }, receiveValue: { _ in })
        }
        signals.send(.terminate)
        upstreams[1].send(completion: .finished)
        clock.advance(by: 9.9)
        XCTAssertEqual(order.withLock { $0 }, [1])
        clock.advance(by: 0.2)
        XCTAssertEqual(order.withLock { $0 }, [1, 0, 2])
        XCTAssertEqual(upstreams.map(\.cancelCount), [1, 0, 1])
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .cutOff(remaining: 2))
        withExtendedLifetime(sinks) {}
    }

    func test_aSecondSignalCutsOffAtOnceAndReleasesTheSignals() async {
        let signals = PassthroughSubject<Signal, Never>()
        let isWatched = Guarded(true)
        let shutdown = GracefulShutdown(
            on: signals.handleEvents(receiveCancel: { isWatched.withLock { $0 = false } }), deadline: .seconds(10),
            scheduler: clock)
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.underWay(in: shutdown).subscribe(subscriber)
        signals.send(.interrupt)
        XCTAssertNil(subscriber.completion)
        XCTAssertTrue(isWatched.withLock { $0 })
        signals.send(.interrupt)
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertFalse(isWatched.withLock { $0 })
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .cutOff(remaining: 1))
        XCTAssertEqual(shutdown.underWayCount, 0)
    }

    func test_nothingUnderWayIsDrainedAtOnce() async {
        let shutdown = makeShutdown()
        signals.send(.terminate)
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .drained)
        XCTAssertTrue(shutdown.stop.isOff)
    }

    func test_sourcesThatEndAtOnceDoNotEndItBeforeOthersAreStopped() async {
        let shutdown = makeShutdown()
        let received = Guarded<[String]>([])
        let sinks = ["first", "second"].map { name in
            Empty<Int, Never>(completeImmediately: false)
                .stopped(by: shutdown.stop)
                .underWay(in: shutdown)
                .sink(
                    receiveCompletion: { _ in received.withLock { $0.append(name) } }, receiveValue: { _ in })
        }
        shutdown.begin()
        XCTAssertEqual(received.withLock { $0 }, ["first", "second"])
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .drained)
        withExtendedLifetime(sinks) {}
    }

    func test_whoCancelsOrIsReleasedIsNotWaitedFor() async {
        let shutdown = makeShutdown()
        let cancelled = TestSubscriber<Int, Never>.checked(.unlimited)
        TestPublisher<Int, Never>().underWay(in: shutdown).subscribe(cancelled)
        cancelled.cancel()
        XCTAssertEqual(shutdown.underWayCount, 0)
        signals.send(.terminate)
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .drained)
    }

    func test_aDeadlineOfZeroCutsOffAtOnce() async {
        let shutdown = makeShutdown(deadline: .zero)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        TestPublisher<Int, Never>().underWay(in: shutdown).subscribe(subscriber)
        signals.send(.terminate)
        clock.advance(by: 0)
        XCTAssertTrue(subscriber.hasFinished)
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .cutOff(remaining: 1))
    }

    func test_passesDemandOnAndKeepsToTheContract() {
        let shutdown = makeShutdown()
        verify(operator: { $0.underWay(in: shutdown) }, .endsWithUpstream).check { XCTFail($0, file: $1, line: $2) }
        let off = KillSwitch()
        verify(operator: { $0.stopped(by: off) }, .endsWithUpstream).check { XCTFail($0, file: $1, line: $2) }
    }

    func test_anObjectThatNobodyHoldsIsReleased() {
        weak var released: GracefulShutdown?
        do {
            let shutdown = makeShutdown()
            released = shutdown
            withExtendedLifetime(shutdown) {}
        }
        XCTAssertNil(released)
    }
}

final class GracefulShutdownConcurrencyTests: XCTestCase {
    func test_streamsThatEndWhileItBeginsAreNeitherMissedNorWaitedForTwice() async {
        for _ in 0..<Scale.reduced(1000) {
            let shutdown = GracefulShutdown(
                on: Empty<Signal, Never>(completeImmediately: false), deadline: .seconds(1000),
                scheduler: TestScheduler())
            let upstreams = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
            let sinks = upstreams.map { $0.underWay(in: shutdown).sink { _ in } }
            onThreads(3) { number in
                switch number {
                case 0: shutdown.begin()
                case 1: for upstream in upstreams.prefix(2) { upstream.send(completion: .finished) }
                default: for sink in sinks.dropFirst(2) { sink.cancel() }
                }
            }
            let ending = await shutdown.ending()
            XCTAssertEqual(ending, .drained)
            XCTAssertEqual(shutdown.underWayCount, 0)
        }
    }
}
