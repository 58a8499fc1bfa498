import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

/// A subscription that arrives when its conduit has no use for it any more: it is cancelled at once, and what its
/// publisher sends all the same is heard by nobody.
final class LateSubscriptionTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>
    private typealias Join = (Hand, Hand) -> AnyPublisher<Int, TestFailure>

    private let joins: [(name: String, join: Join)] = [
        ("amb", { Race(publishers: [$0, $1]).eraseToAnyPublisher() }),
        ("zip", { $0.zip($1) { $0 * 100 + $1 }.eraseToAnyPublisher() }),
        ("merge", { $0.merge(with: $1).eraseToAnyPublisher() }),
        ("combineLatest", { $0.combineLatest($1) { $0 * 100 + $1 }.eraseToAnyPublisher() }),
        ("prefix", { $0.prefix(untilOutputFrom: $1).eraseToAnyPublisher() }),
        ("drop", { $0.drop(untilOutputFrom: $1).eraseToAnyPublisher() }),
    ]

    func test_aLoserThatIsAttachedAfterTheWinnerIsKnownIsCancelledAndUnheard() {
        for isFirst in [true, false] {
            let winner = Hand()
            let loser = Hand(sendsSubscription: false, keepsSubscribers: true)
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(5))
            Race(publishers: isFirst ? [loser, winner] : [winner, loser]).subscribe(subscriber)
            winner.send(1)
            XCTAssertEqual(loser.sendSubscription().map(\.cancelCount), [1])
            for _ in 0..<2 {
                loser.force(70)
                loser.force(completion: .failure(.second))
                loser.force(71)
            }
            XCTAssertEqual(loser.requested, .none)
            winner.send(2)
            winner.finish()
            XCTAssertEqual(subscriber.values, [1, 2])
            XCTAssertTrue(subscriber.hasFinished)
            XCTAssertEqual(winner.cancelCount, 0)
            XCTAssertEqual(loser.sendSubscription().map(\.cancelCount), [1])
        }
    }

    func test_aLoserThatIsSubscribedToAfterTheWinnerIsKnownIsCancelledAndUnheard() {
        for isLate in [true, false] {
            let winner = Hand()
            let loser = Hand(sendsSubscription: !isLate, keepsSubscribers: true)
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(5))
            Race(publishers: [winner, loser]) { winner.force(0) }.subscribe(subscriber)
            if isLate { XCTAssertEqual(loser.sendSubscription().map(\.cancelCount), [1]) }
            loser.force(70)
            loser.force(completion: .failure(.second))
            XCTAssertEqual(loser.calls, [.cancel])
            winner.send(1)
            winner.finish()
            XCTAssertEqual(subscriber.values, [1])
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_aSideThatIsAttachedAfterTheEndOrCancelIsCancelledAndUnheard() {
        for (name, join) in joins {
            for isFirst in [true, false] {
                for fails in [true, false] {
                    let early = Hand()
                    let late = Hand(sendsSubscription: false, keepsSubscribers: true)
                    let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
                    (isFirst ? join(late, early) : join(early, late)).subscribe(subscriber)
                    // The failure of the publisher that triggers a prefix is of no interest.
                    if fails, !(name == "prefix" && isFirst) { early.fail(.first) } else { subscriber.cancel() }
                    let received = subscriber.received
                    let place = "\(name), \(isFirst), \(fails)"
                    XCTAssertEqual(late.sendSubscription().map(\.cancelCount), [1], place)
                    late.force(70)
                    late.force(completion: .finished)
                    late.force(71)
                    late.force(completion: .failure(.second))
                    XCTAssertEqual(late.sendSubscription().map(\.cancelCount), [1], place)
                    XCTAssertEqual(subscriber.received, received, place)
                    XCTAssertEqual(late.requested, .none, place)
                }
            }
        }
    }

    func test_cancelFromInsideALateSubscriptionIsReceivedByBothSides() {
        for (name, join) in joins {
            let early = Hand()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            let late = Hand(sendsSubscription: false) { _, _ in subscriber.cancel() }
            join(early, late).subscribe(subscriber)
            late.sendSubscription()
            if late.requested == .none { subscriber.cancel() }
            XCTAssertEqual([early.cancelCount, late.cancelCount], [1, 1], name)
        }
    }

    func test_aLateSubscriptionIsReleasedAndSoIsTheSubscriber() {
        for (name, join) in joins {
            weak var weakSubscriber: TestSubscriber<Int, TestFailure>?
            let late = Hand(sendsSubscription: false)
            do {
                let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
                weakSubscriber = subscriber
                join(Hand(), late).subscribe(subscriber)
                subscriber.cancel()
            }
            late.sendSubscription()
            XCTAssertTrue(late.areSubscriptionsReleased, name)
            XCTAssertNil(weakSubscriber, name)
        }
    }

    /// The engine's half of `amb`.
    private struct Race: Publisher {
        typealias Output = Int
        typealias Failure = TestFailure

        let publishers: [Hand]

        /// Called after the first publisher has been subscribed to.
        var meanwhile: () -> Void = {}

        func receive(subscriber: some Subscriber<Int, TestFailure>) {
            let attached = publishers.enumerated().map { index, publisher in
                { (inlet: SideInlet<AmbConduit<Int, TestFailure>>) in
                    publisher.receive(subscriber: inlet)
                    if index == 0 { meanwhile() }
                }
            }
            AmbConduit.connect(attached, to: subscriber)
        }
    }
}
