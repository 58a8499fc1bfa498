import Headgate
import TestSupport
import XCTest

final class PlayheadProgressTests: XCTestCase {
    private let clock = VirtualMediaClock()
    private lazy var player = MediaPlayer(duration: 1, clock: clock)

    func test_publishesEachMultipleStartAndStop() {
        let recorder = Recorder<Double, Never>(demand: .unlimited)
        player.playheadProgressPublisher(interval: 0.25).subscribe(recorder)
        player.play()
        clock.advance(by: 0.6)
        player.pause()
        player.seek(to: 0.1)
        XCTAssertEqual(recorder.events.first, .subscription("PlayheadProgress"))
        XCTAssertEqual(recorder.values, [0, 0.25, 0.5, 0.6, 0.1])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_neverFinishesByItself() {
        let recorder = Recorder<Double, Never>(demand: .unlimited)
        player.playheadProgressPublisher().subscribe(recorder)
        player.play()
        clock.advance(by: 2)
        XCTAssertEqual(recorder.values, [0, 0.25, 0.5, 0.75, 1])
        XCTAssertNil(recorder.completion)
        player.seek(to: 0)
        XCTAssertEqual(recorder.values.last, 0)
    }

    func test_finishesAtTheEndWhereAskedTo() {
        let recorder = Recorder<Double, Never>(demand: .unlimited)
        player.playheadProgressPublisher(interval: 0.5, finishesAtEnd: true).subscribe(recorder)
        player.seek(to: 1)
        player.seek(to: 0)
        XCTAssertNil(recorder.completion)
        player.play()
        clock.advance(by: 2)
        XCTAssertEqual(recorder.values, [1, 0, 0, 0.5, 1])
        XCTAssertTrue(recorder.hasFinished)
        player.seek(to: 0)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_finishesAtTheEndWithoutDemandForIt() {
        let recorder = Recorder<Double, Never>(demand: .max(1))
        player.playheadProgressPublisher(finishesAtEnd: true).subscribe(recorder)
        player.play()
        clock.advance(by: 2)
        XCTAssertEqual(recorder.values, [0])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_doesNotFinishWherePlayingBackwardStops() {
        let recorder = Recorder<Double, Never>(demand: .unlimited)
        player.seek(to: 1)
        player.playheadProgressPublisher(interval: 0.5, finishesAtEnd: true).subscribe(recorder)
        player.rate = -1
        clock.advance(by: 2)
        XCTAssertEqual(recorder.values, [1, 0.5, 0])
        XCTAssertNil(recorder.completion)
    }

    func test_dropsWhatNobodyAskedFor() {
        let recorder = Recorder<Double, Never>()
        player.playheadProgressPublisher().subscribe(recorder)
        player.play()
        clock.advance(by: 0.3)
        recorder.request(1)
        clock.advance(by: 0.5)
        recorder.request(1)
        player.pause()
        player.play()
        XCTAssertEqual(recorder.values, [0.5, 0.8])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_addsWhatTheSubscriberReturnsAndAsksFromInside() {
        let recorder = Recorder<Double, Never>(demand: .max(1)) { recorder, time in
            if time == 0 { recorder.request(1) }
            return time == 0.25 ? .max(1) : .none
        }
        player.playheadProgressPublisher().subscribe(recorder)
        player.play()
        clock.advance(by: 2)
        XCTAssertEqual(recorder.values, [0, 0.25, 0.5])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_cancelFromInsideADeliveryTakesTheObserverOut() {
        let recorder = Recorder<Double, Never>(demand: .unlimited) { recorder, time in
            if time == 0.25 { recorder.cancel() }
            return .none
        }
        player.playheadProgressPublisher().subscribe(recorder)
        player.play()
        clock.advance(by: 2)
        XCTAssertEqual(recorder.values, [0, 0.25])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_subscribersAreIndependent() {
        let publisher = player.playheadProgressPublisher(interval: 0.5)
        let first = Recorder<Double, Never>(demand: .unlimited)
        let second = Recorder<Double, Never>(demand: .max(1))
        publisher.subscribe(first)
        publisher.subscribe(second)
        player.play()
        clock.advance(by: 0.5)
        first.cancel()
        clock.advance(by: 0.2)
        second.request(1)
        clock.advance(by: 1)
        XCTAssertEqual(first.values, [0, 0.5])
        XCTAssertEqual(second.values, [0, 1])
    }

    func test_letsGoOfTheSubscriberHoweverItEnds() {
        let before = Tracked.count
        for way in ["end", "cancel", "drop"] {
            let player = MediaPlayer(duration: 1, clock: clock)
            var subscription: AnyCancellable? = player.playheadProgressPublisher(finishesAtEnd: true)
                .sink { [tracked = Tracked()] _ in _ = tracked }
            player.play()
            XCTAssertEqual(Tracked.count, before + 1, way)
            switch way {
            case "end": clock.advance(by: 1)
            case "cancel": subscription?.cancel()
            default: subscription = nil
            }
            XCTAssertEqual(Tracked.count, before, way)
            subscription = nil
        }
    }

    func test_aSubscriptionThatIsLetGoOfLetsGoOfPlayerAndSubscriber() {
        let before = Tracked.count
        weak var weakPlayer: MediaPlayer?
        do {
            let player = MediaPlayer(duration: 1, clock: clock)
            weakPlayer = player
            var subscription: (any Subscription)?
            player.playheadProgressPublisher().subscribe(
                AnySubscriber<Double, Never>(
                    receiveSubscription: { subscription = $0 },
                    receiveValue: { [tracked = Tracked()] _ in
                        _ = tracked
                        return .none
                    }))
            subscription?.request(.unlimited)
            player.play()
            XCTAssertEqual(Tracked.count, before + 1)
            subscription = nil
            XCTAssertEqual(Tracked.count, before)
        }
        XCTAssertNil(weakPlayer)
    }
}
