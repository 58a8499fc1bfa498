import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class RelayTests: XCTestCase {
    func test_aPassthroughRelayPassesValuesToWhoHasRequested() {
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

    /// What the other end receives of what is sent to either.
    private func check(
        _ context: String, _ tie: (PassthroughRelay<Int>, PassthroughRelay<Int>) -> AnyCancellable
    ) {
        let (receiver, argument) = (PassthroughRelay<Int>(), PassthroughRelay<Int>())
        var (receivers, arguments): ([Int], [Int]) = ([], [])
        let watches = [receiver.sink { receivers.append($0) }, argument.sink { arguments.append($0) }]
        let tie = tie(receiver, argument)
        receiver.accept(1)
        argument.accept(2)
        XCTAssertEqual(receivers, [1], context)
        XCTAssertEqual(arguments, [1, 2], context)
        withExtendedLifetime((watches, tie)) {}
    }

    func test_aRelayFlowsIntoTheRelayThatItIsSubscribedWithInEveryStaticContext() {
        func relays<R: Relay<Int>, S: Relay<Int>>(_ receiver: R, _ argument: S) -> AnyCancellable {
            receiver.subscribe(argument)
        }
        func publisher<P: Publisher<Int, Never>, S: Relay<Int>>(_ receiver: P, _ argument: S) -> AnyCancellable {
            receiver.subscribe(argument)
        }
        func concrete<R: Relay<Int>>(_ receiver: R, _ argument: PassthroughRelay<Int>) -> AnyCancellable {
            receiver.subscribe(argument)
        }
        func any(_ receiver: any Relay<Int>, _ argument: any Relay<Int>) -> AnyCancellable {
            receiver.subscribe(argument)
        }
        check("types") { $0.subscribe($1) }
        check("relays", relays)
        check("a publisher", publisher)
        check("a relay and a type", concrete)
        check("existentials", any)
        check("a chain") { $0.map { $0 }.subscribe($1) }
        check("erased") { $0.eraseToAnyPublisher().subscribe($1) }
    }

    func test_aRelayFlowsIntoASubject() {
        let (relay, subject) = (PassthroughRelay<Int>(), PassthroughSubject<Int, Never>())
        var values: [Int] = []
        let watch = subject.sink { values.append($0) }
        let tie = relay.subscribe(subject)
        relay.accept(1)
        subject.send(2)
        XCTAssertEqual(values, [1, 2])
        withExtendedLifetime((watch, tie)) {}
    }
}
