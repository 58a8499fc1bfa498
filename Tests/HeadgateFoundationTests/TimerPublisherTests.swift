import Foundation
import HeadgateFoundation
import HeadgateTesting
import TestSupport
import XCTest

final class TimerPublisherTests: XCTestCase {
    private let loop = RunLoop.current

    private func publisher(every interval: TimeInterval = 0.001) -> Timer.TimerPublisher {
        Timer.publish(every: interval, tolerance: 0.0001, on: loop, in: .default)
    }

    /// Runs the loop for so long that a timer of a millisecond would have ticked.
    private func runABit() {
        var hasRun = false
        loop.schedule(after: loop.now.advanced(by: .milliseconds(5))) { hasRun = true }
        loop.run(until: { hasRun })
    }

    func test_keepsWhatItWasMadeOf() {
        let publisher = publisher(every: 2)
        XCTAssertEqual(publisher.interval, 2)
        XCTAssertEqual(publisher.tolerance, 0.0001)
        XCTAssertTrue(publisher.runLoop === loop)
        XCTAssertEqual(publisher.mode, .default)
        XCTAssertNil(publisher.options)
    }

    func test_ticksForAllSubscribersFromTheConnectionOn() {
        let publisher = publisher()
        let first = TestSubscriber<Date, Never>.checked(.unlimited)
        let second = TestSubscriber<Date, Never>.checked(.first(2))
        publisher.subscribe(first)
        publisher.subscribe(second)
        runABit()
        XCTAssertEqual(first.received, [.subscription("Timer")])
        let connection = publisher.connect()
        loop.run(until: { first.values.count >= 4 })
        connection.cancel()
        XCTAssertEqual(second.values, Array(first.values.prefix(2)))
        first.cancel()
        second.cancel()
    }

    func test_dropsTicksThatWereNotRequested() {
        let publisher = publisher()
        let witness = TestSubscriber<Date, Never>.checked(.unlimited)
        let subscriber = TestSubscriber<Date, Never>.checked(.first(1))
        publisher.subscribe(witness)
        publisher.subscribe(subscriber)
        let connection = publisher.connect()
        loop.run(until: { witness.values.count >= 3 })
        subscriber.request(1)
        let missed = witness.values.count
        loop.run(until: { witness.values.count >= missed + 2 })
        connection.cancel()
        XCTAssertEqual(subscriber.values, [witness.values[0], witness.values[missed]])
        witness.cancel()
        subscriber.cancel()
    }

    func test_cancellingTheConnectionStopsTheTimerAndConnectingBeginsAnew() {
        let publisher = publisher()
        let subscriber = TestSubscriber<Date, Never>.checked(.unlimited)
        publisher.subscribe(subscriber)
        let first = publisher.connect()
        loop.run(until: { !subscriber.values.isEmpty })
        first.cancel()
        let count = subscriber.values.count
        runABit()
        XCTAssertEqual(subscriber.values.count, count)
        let second = publisher.connect()
        loop.run(until: { subscriber.values.count > count })
        second.cancel()
        subscriber.cancel()
    }

    func test_hasOneTimerHoweverOftenItIsConnected() {
        let publisher = publisher()
        let first = publisher.connect()
        let second = publisher.connect()
        XCTAssertTrue((first as AnyObject) === (second as AnyObject))
        second.cancel()
        XCTAssertFalse((publisher.connect() as AnyObject) === (second as AnyObject))
    }

    func test_goesOnWhileEitherThePublisherOrTheConnectionIsKept() {
        let subscriber = TestSubscriber<Date, Never>.checked(.unlimited)
        var publisher: Timer.TimerPublisher? = self.publisher()
        publisher?.subscribe(subscriber)
        var connection = publisher?.connect()
        XCTAssertNotNil(connection)
        connection = nil
        loop.run(until: { subscriber.values.count >= 2 })
        connection = publisher?.connect()
        publisher = nil
        let count = subscriber.values.count
        loop.run(until: { subscriber.values.count >= count + 2 })
        connection = nil
        let total = subscriber.values.count
        runABit()
        XCTAssertEqual(subscriber.values.count, total)
    }

    func test_releasesSubscribersWhenNothingCanTickAnyMore() {
        let before = Tracked.count
        var publisher: Timer.TimerPublisher? = self.publisher()
        let subscription = publisher?.sink { [tracked = Tracked()] _ in _ = tracked }
        var connection = publisher?.connect()
        XCTAssertNotNil(connection)
        publisher = nil
        XCTAssertEqual(Tracked.count, before + 1)
        connection = nil
        XCTAssertEqual(Tracked.count, before)
        subscription?.cancel()
    }

    func test_connectsByItselfWithTheFirstSubscriber() {
        let publisher = publisher().autoconnect()
        var count = 0
        var subscription: AnyCancellable? = publisher.sink { _ in count += 1 }
        loop.run(until: { count >= 2 })
        XCTAssertNotNil(subscription)
        subscription = nil
        let total = count
        runABit()
        XCTAssertEqual(count, total)
    }

    func test_cancelFromInsideADelivery() {
        let publisher = publisher()
        let subscriber = TestSubscriber<Date, Never>.checked(.unlimited) { subscriber, _ in
            subscriber.cancel()
        }
        publisher.subscribe(subscriber)
        let connection = publisher.connect()
        loop.run(until: { !subscriber.values.isEmpty })
        runABit()
        connection.cancel()
        XCTAssertEqual(subscriber.values.count, 1)
    }

    func test_ticksFirstAfterOneInterval() throws {
        let publisher = publisher(every: 0.05)
        let subscriber = TestSubscriber<Date, Never>.checked(.unlimited)
        publisher.subscribe(subscriber)
        let beginning = Date()
        let connection = publisher.connect()
        loop.run(until: { !subscriber.values.isEmpty })
        XCTAssertGreaterThanOrEqual(try XCTUnwrap(subscriber.values.first).timeIntervalSince(beginning), 0.049)
        connection.cancel()
    }
}
