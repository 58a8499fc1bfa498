import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// A publisher that `switchToLatest` attaches inside a delivery is requested from at once; what the subscriber requests
/// later in that delivery, or returns from it, has to reach it too.
final class SwitchInsideDeliveryTests: XCTestCase {
    private typealias Inner = PassthroughSubject<Int, Never>

    func test_demandThatIsReturnedAfterTheSwitchReachesTheNewPublisher() {
        let outer = PassthroughSubject<Inner, Never>()
        let (first, second) = (Inner(), Inner())
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { _, value in
            if value == 1 { outer.send(second) }
            return .max(1)
        }
        outer.switchToLatest().subscribe(subscriber)
        outer.send(first)
        first.send(1)
        second.send(2)
        second.send(3)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
    }

    func test_demandThatIsRequestedAfterTheSwitchReachesTheNewPublisher() {
        let outer = PassthroughSubject<Inner, Never>()
        let (first, second) = (Inner(), Inner())
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1)) { subscriber, value in
            if value != 1 { return }
            outer.send(second)
            subscriber.request(.max(1))
        }
        outer.switchToLatest().subscribe(subscriber)
        outer.send(first)
        first.send(1)
        second.send(2)
        XCTAssertEqual(subscriber.values, [1, 2])
    }

    /// The other side of it: what was requested ahead may be used up by a value that has come before the switch.
    func test_anEmitterThatBuffersLosesNothingThatWasRequestedAhead() {
        let outer = PassthroughSubject<AnyPublisher<Int, Never>, Never>()
        let (first, second) = (Inner(), Inner())
        let third = Publishers.emitter(Int.self, buffering: .unbounded) { emitter in
            for number in 10...19 { emitter.send(number) }
        }
        let subscriber = TestSubscriber<Int, Never>.checked(.first(2)) { _, value in
            if value != 1 { return }
            // Both are attached inside the delivery; the value of the second comes before the switch to the third.
            outer.send(second.eraseToAnyPublisher())
            second.send(2)
            outer.send(third.eraseToAnyPublisher())
        }
        outer.switchToLatest().subscribe(subscriber)
        outer.send(first.eraseToAnyPublisher())
        first.send(1)
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, [1, 2, 10, 11])
    }
}
