import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class CombineLatestTests: XCTestCase {
    func test_combinesTheLatestValues() {
        let a = PassthroughSubject<Int, Never>()
        let b = PassthroughSubject<String, Never>()
        let subscriber = TestSubscriber<String, Never>.checked(.unlimited)
        a.combineLatest(b) { "\($0)\($1)" }.subscribe(subscriber)
        a.send(1)
        a.send(2)
        b.send("a")
        a.send(3)
        b.send("b")
        a.send(completion: .finished)
        b.send("c")
        XCTAssertNil(subscriber.completion)
        b.send(completion: .finished)
        XCTAssertEqual(
            subscriber.events,
            [
                .subscription("CombineLatest"), .request(.unlimited), .value("2a"), .value("3a"), .value("3b"),
                .value("3c"),
                .completion(.finished),
            ])
    }

    func test_demandIsForwardedOnceToASubscriptionThatArrivesLate() {
        let first = TestPublisher<Int, TestFailure>()
        let second = TestPublisher<Int, TestFailure>(sendsSubscription: false)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        first.combineLatest(second) { $0 + $1 }.subscribe(subscriber)
        subscriber.request(.max(1))
        second.sendSubscription()
        XCTAssertEqual([first, second].map(\.requested), [.max(3), .max(3)])
        subscriber.request(.max(1))
        XCTAssertEqual([first, second].map(\.requested), [.max(4), .max(4)])
    }

    func test_forwardsDemandToBothSides() {
        let a = TestPublisher<Int, Never>()
        let b = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(2)) { _, _ in .max(3) }
        a.combineLatest(b) { $0 + $1 }.subscribe(subscriber)
        a.send(1)
        // Three more for each side, one side after the other, because the first may use them up.
        XCTAssertEqual(b.answer(to: 10), .none)
        XCTAssertEqual(a.calls, [.request(.max(2)), .request(.max(3))])
        XCTAssertEqual(b.calls, [.request(.max(2)), .request(.max(3))])
    }

    func test_requestsOneMoreForEachValueBeforeTheOtherSideHasAny() {
        let b = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
        (1...10).publisher.combineLatest(b) { $0 + $1 }.subscribe(subscriber)
        b.send(100)
        XCTAssertEqual(subscriber.values, [103, 104, 105])
    }

    func test_theLastCombinationWaitsForDemand() {
        let a = TestPublisher<Int, Never>()
        let b = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        a.combineLatest(b) { $0 + $1 }.subscribe(subscriber)
        a.send(1)
        b.send(10)
        b.force(20)
        b.force(30)
        a.finish()
        b.finish()
        XCTAssertEqual(subscriber.values, [11])
        XCTAssertNil(subscriber.completion)
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [11, 31])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_isFlatWhenDemandComesOneByOne() {
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { subscriber, value in
            if value.isMultiple(of: 2) { return .max(1) }
            subscriber.request(1)
            return .none
        }
        (0..<20_000).publisher.combineLatest((0..<20_000).publisher) { $0 + $1 }.subscribe(subscriber)
        XCTAssertEqual(subscriber.values.last, 39_998)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_combinesThreeAndFour() {
        let sides = (0..<4).map { _ in TestPublisher<Int, TestFailure>() }
        let three = TestSubscriber<[Int], TestFailure>.checked(.unlimited)
        sides[0].combineLatest(sides[1], sides[2]) { [$0, $1, $2] }.subscribe(three)
        for index in 0..<3 { sides[index].send(index) }
        sides[1].send(7)
        XCTAssertEqual(three.values, [[0, 1, 2], [0, 7, 2]])
        for index in 0..<3 { sides[index].finish() }
        XCTAssertTrue(three.hasFinished)

        let four = TestSubscriber<[Int], TestFailure>.checked(.first(2))
        sides[0].combineLatest(sides[1], sides[2], sides[3]) { [$0, $1, $2, $3] }.subscribe(four)
        for index in 0..<4 { sides[index].send(index) }
        sides[3].send(9)
        XCTAssertEqual(four.values, [[0, 1, 2, 3], [0, 1, 2, 9]])
        sides[2].send(completion: .failure(.second))
        XCTAssertEqual(four.failure, .second)
        XCTAssertEqual(sides.map(\.cancelCount), [1, 1, 0, 1])
    }

    func test_releasesEverythingAtTheEndAndAtCancel() {
        let before = Tracked.count
        for end in 0..<3 {
            let a = TestPublisher<Tracked, TestFailure>()
            let b = TestPublisher<Tracked, TestFailure>()
            var subscriber: TestSubscriber<Int, TestFailure>? = TestSubscriber.checked(.unlimited)
            weak let weakSubscriber = subscriber
            subscriber.map { a.combineLatest(b) { _, _ in 1 }.subscribe($0) }
            a.send(Tracked())
            b.send(Tracked())
            switch end {
            case 0:
                a.finish()
                b.finish()
            case 1: b.send(completion: .failure(.first))
            default: subscriber?.cancel()
            }
            XCTAssertEqual(Tracked.count, before)
            subscriber = nil
            XCTAssertNil(weakSubscriber)
            XCTAssertFalse(a.isConnected || b.isConnected)
        }
    }

    func test_requestsFromASubjectBeforeAnotherSideUsesUpTheDemand() {
        let subject = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<[Int], Never>.checked(
            DemandScript(atSubscription: .max(1), reactions: [.answer(.max(1)), .answer(.max(1)), .nothing]))
        var isOutstanding: [Bool] = []
        subject
            .handleEvents(receiveRequest: { _ in isOutstanding.append(subscriber.outstanding > .none) })
            .combineLatest((1...9).publisher) { [$0, $1] }
            .subscribe(subscriber)
        subject.send(1)
        XCTAssertEqual(subscriber.values, [[1, 1], [1, 2], [1, 3]])
        XCTAssertFalse(isOutstanding.contains(false), "\(isOutstanding)")
        subscriber.cancel()
    }
}
