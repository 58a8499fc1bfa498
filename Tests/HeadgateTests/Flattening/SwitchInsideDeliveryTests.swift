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

    func test_whatAnObsoletePublisherHeldGoesToTheOneThatIsSwitchedTo() {
        let outer = PassthroughSubject<Inner, Never>()
        let (first, second, third, fourth) = (Inner(), Inner(), Inner(), Inner())
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3)) { _, value in
            if value != 1 { return }
            outer.send(second)
            outer.send(third)
            second.send(2)
            outer.send(fourth)
            fourth.send(4)
        }
        outer.switchToLatest().subscribe(subscriber)
        outer.send(first)
        first.send(1)
        fourth.send(5)
        XCTAssertEqual(subscriber.values, [1, 4, 5])
    }

    func test_aPublisherWhoseSubscriptionMakesTheOneBeforeSendIsRequestedFrom() {
        let outer = PassthroughSubject<AnyPublisher<Int, Never>, Never>()
        let (first, second, third) = (Inner(), Inner(), Inner())
        let subscriber = TestSubscriber<Int, Never>.checked(.first(2)) { _, value in
            if value != 1 { return }
            outer.send(second.eraseToAnyPublisher())
            let last = Deferred { () -> Inner in
                second.send(2)
                return third
            }
            outer.send(last.eraseToAnyPublisher())
        }
        outer.switchToLatest().subscribe(subscriber)
        outer.send(first.eraseToAnyPublisher())
        first.send(1)
        third.send(3)
        XCTAssertEqual(subscriber.values, [1, 3])
    }

    /// Switches, sends and requests at random, also from inside deliveries: the last publisher fulfils all demand.
    func test_whateverIsDoneInsideDeliveriesAllDemandReachesTheLastPublisher() {
        for seed in 0..<Scale.reduced(20_000) {
            var script = SeededGenerator(seed: UInt64(seed))
            let outer = PassthroughSubject<Inner, Never>()
            var inners = [Inner()]
            var requested = 0
            var depth = 0
            func act(with subscriber: TestSubscriber<Int, Never>) {
                if depth == 12 { return }
                depth += 1
                defer { depth -= 1 }
                switch Int.random(in: 0..<6, using: &script) {
                case 0, 1:
                    inners.append(Inner())
                    outer.send(inners[inners.count - 1])
                case 2:
                    requested += 1
                    subscriber.request(.max(1))
                default: inners[max(0, inners.count - 1 - Int.random(in: 0..<3, using: &script))].send(0)
                }
            }
            let subscriber = TestSubscriber<Int, Never>(.first(3)) { subscriber, _ in
                if subscriber.values.count > 60 { return }
                for _ in 0..<Int.random(in: 0..<6, using: &script) { act(with: subscriber) }
            }
            requested = 3
            outer.switchToLatest().subscribe(subscriber)
            outer.send(inners[0])
            for _ in 0..<10 { act(with: subscriber) }
            for _ in 0..<500 { inners[inners.count - 1].send(0) }
            XCTAssertEqual(subscriber.values.count, requested, "seed \(seed)")
        }
    }
}
