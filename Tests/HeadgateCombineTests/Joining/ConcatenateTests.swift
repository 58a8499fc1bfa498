import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ConcatenateTests: XCTestCase {
    func test_publishesOneAfterTheOther() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        [1, 2].publisher.eraseToAnyPublisher().append(3, 4).prepend([0]).append([5].publisher).subscribe(subscriber)
        XCTAssertEqual(subscriber.events.first, .subscription("Concatenate"))
        XCTAssertEqual(subscriber.values, [0, 1, 2, 3, 4, 5])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_servesDemandOneByOne() {
        let returning = TestSubscriber<Int, Never>.checked(.oneByOne)
        let requesting = TestSubscriber<Int, Never>.checked(.oneByOneReentrantly)
        for subscriber in [returning, requesting] {
            (0..<100).publisher.eraseToAnyPublisher().append(100..<200).prepend(-1).subscribe(subscriber)
            XCTAssertEqual(subscriber.values, Array(-1..<200))
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_carriesOverWhatWasReturnedAsDemand() {
        let first = TestPublisher<Int, Never>()
        let second = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(2)) { _, value in
            value == 1 ? .max(3) : .none
        }
        first.append(second).subscribe(subscriber)
        XCTAssertEqual(first.answer(to: 1), .max(3))
        first.finish()
        XCTAssertEqual(second.calls, [.request(.max(4))])
    }

    func test_keepsAnOperatorBetweenThatTakesItsDownstreamsIdentity() {
        struct Doubling: Publisher {
            typealias Output = Int
            typealias Failure = Never

            struct Doubler<Downstream: Subscriber<Int, Never>>: Subscriber {
                let downstream: Downstream
                var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
                func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }
                func receive(_ input: Int) -> Subscribers.Demand { downstream.receive(2 * input) }
                func receive(completion: Subscribers.Completion<Never>) { downstream.receive(completion: completion) }
            }

            let upstream: AnyPublisher<Int, Never>

            func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
                upstream.receive(subscriber: Doubler(downstream: subscriber))
            }
        }
        let doubled = Doubling(upstream: [1].publisher.append(2).eraseToAnyPublisher()).append(3)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        doubled.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [2, 4, 3])
        let erased = Doubling(upstream: doubled.eraseToAnyPublisher()).eraseToAnyPublisher().prepend(9).append(7)
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        erased.subscribe(second)
        XCTAssertEqual(second.values, [9, 4, 8, 6, 7])
    }

    func test_observersBetweenAreCalled() {
        var seen: [Int] = []
        var hasEnded = false
        let publisher = [1].publisher.append(2)
            .breakpoint(
                receiveOutput: {
                    seen.append($0)
                    return false
                },
                receiveCompletion: { _ in
                    hasEnded = true
                    return false
                }
            )
            .append(3)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertEqual(seen, [1, 2])
        XCTAssertTrue(hasEnded)
    }

    func test_twentyThousandAppendsAreFlat() {
        var publisher = Just(0).eraseToAnyPublisher()
        for value in 1...20_000 { publisher = publisher.append(Just(value)).eraseToAnyPublisher() }
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, Array(0...20_000))
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_manyAppendsAndPrependsAreFlat() {
        var publisher = [0].publisher.eraseToAnyPublisher()
        for value in 1...4_000 { publisher = publisher.append(value).prepend(-value).eraseToAnyPublisher() }
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOne)
        publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, Array(-4_000...4_000))
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_keepsTheOperatorsBetweenTwoConcatenations() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        let hand = TestPublisher<Int, Never>()
        hand.append(2).map { $0 * 10 }.append(3).filter { $0 > 3 }.append(4).subscribe(subscriber)
        hand.send(1)
        hand.finish()
        XCTAssertEqual(subscriber.values, [10, 20, 4])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_subscribesToTheSecondOnlyWhenTheFirstHasFinished() {
        let first = TestPublisher<Int, TestFailure>()
        let second = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        first.append(second).subscribe(subscriber)
        XCTAssertEqual(second.subscriptionCount, 0)
        first.send(completion: .failure(.first))
        XCTAssertEqual(second.subscriptionCount, 0)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_goesNoFurtherWhenCancelledAtOnce() {
        let first = TestPublisher<Int, Never>()
        let second = TestPublisher<Int, Never>()
        first.append(second).subscribe(
            AnySubscriber(receiveSubscription: { $0.cancel() }, receiveValue: nil, receiveCompletion: nil))
        XCTAssertEqual(first.calls, [.cancel])
        XCTAssertEqual(second.subscriptionCount, 0)
    }

    func test_ignoresAPublisherWhoseTurnIsOver() {
        var attached: AnySubscriber<Int, Never>?
        let second = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        AnyPublisherOfSubscriber<Int> { attached = $0 }.append(second).subscribe(subscriber)
        let subscription = CountingSubscription()
        let late = CountingSubscription()
        attached?.receive(subscription: subscription)
        attached?.receive(completion: .finished)
        _ = attached?.receive(1)
        attached?.receive(completion: .finished)
        attached?.receive(subscription: late)
        second.send(2)
        XCTAssertEqual(subscriber.values, [2])
        XCTAssertNil(subscriber.completion)
        XCTAssertEqual([subscription.cancelCount, late.cancelCount], [0, 1])
    }

    func test_releasesEverythingAtTheEndAndAtCancel() {
        for end in 0..<3 {
            let first = TestPublisher<Tracked, TestFailure>()
            let second = TestPublisher<Tracked, TestFailure>()
            var subscriber: TestSubscriber<Tracked, TestFailure>? = TestSubscriber.checked(.unlimited)
            weak let weakSubscriber = subscriber
            subscriber.map { first.append(second).subscribe($0) }
            first.finish()
            weak let subscription = subscriber?.subscription as AnyObject?
            switch end {
            case 0: second.finish()
            case 1: second.send(completion: .failure(.second))
            default: subscriber?.cancel()
            }
            subscriber = nil
            XCTAssertNil(weakSubscriber)
            XCTAssertNil(subscription)
            XCTAssertEqual([first.cancelCount, second.cancelCount], [0, end == 2 ? 1 : 0])
        }
    }
}
