import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class RelayTests: XCTestCase {
    func test_aPassthroughRelayPassesValuesToWhoHasAsked() {
        let relay = PassthroughRelay<Int>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        relay.accept(0)
        relay.subscribe(subscriber)
        relay.accept(1)
        relay.accept(2)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertNil(subscriber.completion)
    }

    func test_aCurrentValueRelayBeginsWithItsValue() {
        let relay = CurrentValueRelay(0)
        relay.accept(1)
        XCTAssertEqual(relay.value, 1)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        relay.subscribe(subscriber)
        relay.accept(2)
        XCTAssertEqual(subscriber.values, [1, 2])
    }

    func test_finishesWhenItIsReleased() {
        let subscribers = (0..<2).map { _ in TestSubscriber<Int, Never>.checked(.unlimited) }
        do {
            let (first, second) = (PassthroughRelay<Int>(), CurrentValueRelay(0))
            first.subscribe(subscribers[0])
            second.subscribe(subscribers[1])
            XCTAssertFalse(subscribers[0].hasFinished)
        }
        XCTAssertTrue(subscribers.allSatisfy(\.hasFinished))
    }

    func test_doesNotPassTheEndOfAPublisherOn() {
        let relay = CurrentValueRelay(0)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        relay.subscribe(subscriber)
        let ties = [[1, 2].publisher.subscribe(relay), relay.subscribe(Just(3))]
        relay.accept(4)
        XCTAssertEqual(subscriber.values, [0, 1, 2, 3, 4])
        XCTAssertNil(subscriber.completion)
        withExtendedLifetime(ties) {}
    }

    func test_aTieThatIsCancelledPassesNothingOn() {
        let relay = PassthroughRelay<Int>()
        let source = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        relay.subscribe(subscriber)
        let tie = source.subscribe(relay)
        source.send(1)
        tie.cancel()
        source.send(2)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(source.cancelCount, 1)
    }

    func test_anEventWithoutAValueIsAccepted() {
        let relay = PassthroughRelay<Void>()
        var count = 0
        let cancellable = relay.sink { count += 1 }
        relay.accept()
        XCTAssertEqual(count, 1)
        cancellable.cancel()
    }
}
