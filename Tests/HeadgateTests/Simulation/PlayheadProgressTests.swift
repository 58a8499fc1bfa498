import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class PlayheadProgressTests: XCTestCase {
    private let clock = VirtualMediaClock()
    private lazy var player = MediaPlayer(duration: 1, clock: clock)

    func test_publishesEachMultipleStartAndStop() {
        let subscriber = TestSubscriber<Double, Never>.checked(.unlimited)
        player.playheadProgressPublisher(interval: 0.25).subscribe(subscriber)
        player.play()
        clock.advance(by: 0.6)
        player.pause()
        player.seek(to: 0.1)
        XCTAssertEqual(subscriber.received.first, .subscription("PlayheadProgress"))
        XCTAssertEqual(subscriber.values, [0, 0.25, 0.5, 0.6, 0.1])
    }

    func test_neverFinishesByItself() {
        let subscriber = TestSubscriber<Double, Never>.checked(.unlimited)
        player.playheadProgressPublisher().subscribe(subscriber)
        player.play()
        clock.advance(by: 2)
        XCTAssertEqual(subscriber.values, [0, 0.25, 0.5, 0.75, 1])
        XCTAssertNil(subscriber.completion)
        player.seek(to: 0)
        XCTAssertEqual(subscriber.values.last, 0)
    }

    func test_finishesAtTheEndWhereRequested() {
        let subscriber = TestSubscriber<Double, Never>.checked(.unlimited)
        player.playheadProgressPublisher(interval: 0.5, finishesAtEnd: true).subscribe(subscriber)
        player.seek(to: 1)
        player.seek(to: 0)
        XCTAssertNil(subscriber.completion)
        player.play()
        clock.advance(by: 2)
        XCTAssertEqual(subscriber.values, [1, 0, 0, 0.5, 1])
        XCTAssertTrue(subscriber.hasFinished)
        player.seek(to: 0)
    }

    func test_finishesAtTheEndWithoutDemandForIt() {
        let subscriber = TestSubscriber<Double, Never>.checked(.first(1))
        player.playheadProgressPublisher(finishesAtEnd: true).subscribe(subscriber)
        player.play()
        clock.advance(by: 2)
        XCTAssertEqual(subscriber.values, [0])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_doesNotFinishWherePlayingBackwardStops() {
        let subscriber = TestSubscriber<Double, Never>.checked(.unlimited)
        player.seek(to: 1)
        player.playheadProgressPublisher(interval: 0.5, finishesAtEnd: true).subscribe(subscriber)
        player.rate = -1
        clock.advance(by: 2)
        XCTAssertEqual(subscriber.values, [1, 0.5, 0])
        XCTAssertNil(subscriber.completion)
    }

    func test_dropsWhatWasNotRequested() {
        let subscriber = TestSubscriber<Double, Never>.checked()
        player.playheadProgressPublisher().subscribe(subscriber)
        player.play()
        clock.advance(by: 0.3)
        subscriber.request(1)
        clock.advance(by: 0.5)
        subscriber.request(1)
        player.pause()
        player.play()
        XCTAssertEqual(subscriber.values, [0.5, 0.8])
    }

    func test_addsWhatTheSubscriberReturnsAndRequestsFromInside() {
        let subscriber = TestSubscriber<Double, Never>.checked(requesting: .max(1)) { subscriber, time in
            if time == 0 { subscriber.request(1) }
            return time == 0.25 ? .max(1) : .none
        }
        player.playheadProgressPublisher().subscribe(subscriber)
        player.play()
        clock.advance(by: 2)
        XCTAssertEqual(subscriber.values, [0, 0.25, 0.5])
    }

    func test_cancelFromInsideADeliveryTakesTheObserverOut() {
        let subscriber = TestSubscriber<Double, Never>.checked(.unlimited) { subscriber, time in
            if time == 0.25 { subscriber.cancel() }
        }
        player.playheadProgressPublisher().subscribe(subscriber)
        player.play()
        clock.advance(by: 2)
        XCTAssertEqual(subscriber.values, [0, 0.25])
    }

    func test_subscribersAreIndependent() {
        let publisher = player.playheadProgressPublisher(interval: 0.5)
        let first = TestSubscriber<Double, Never>.checked(.unlimited)
        let second = TestSubscriber<Double, Never>.checked(.first(1))
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

    func test_releasesTheSubscriberHoweverItEnds() {
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

    func test_aSubscriptionThatIsReleasedReleasesPlayerAndSubscriber() {
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
