import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class AmbTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    func test_theFirstToSendAValueStaysAndTheOthersAreCancelled() {
        let hands = (0..<3).map { _ in Hand() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        hands.amb().subscribe(subscriber)
        XCTAssertEqual(hands.map(\.requested), [.max(2), .max(2), .max(2)])
        hands[1].send(1)
        XCTAssertEqual(hands.map(\.cancelCount), [1, 0, 1])
        hands[0].send(7)
        hands[1].send(2)
        subscriber.request(.max(1))
        XCTAssertEqual(hands.map(\.requested), [.max(2), .max(3), .max(2)])
        hands[1].finish()
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_anEndMayBeFirst() {
        for ending in [Subscribers.Completion<TestFailure>.finished, .failure(.first)] {
            let (first, second) = (Hand(), Hand())
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.none)
            first.amb(second).subscribe(subscriber)
            second.send(completion: ending)
            XCTAssertEqual(subscriber.completion, ending)
            XCTAssertEqual([first.cancelCount, second.cancelCount], [1, 0])
        }
    }

    func test_aSourceThatAnswersAtOnceWinsAndNothingOfTheOtherIsReceived() {
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOne)
        [1, 2].publisher.amb([3, 4].publisher).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_takesAnyNumber() {
        let hands = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        var received: [Int] = []
        var cancellables: [AnyCancellable] = []
        hands[0].amb(with: hands[1], hands[2]).sink { received.append($0) }.store(in: &cancellables)
        hands[0].amb(with: hands[1...]).sink { received.append($0) }.store(in: &cancellables)
        hands[2].send(1)
        hands[0].send(2)
        XCTAssertEqual(received, [1, 1])
        let none = TestSubscriber<Int, Never>.checked(.none)
        [Just<Int>]().amb().subscribe(none)
        XCTAssertTrue(none.hasFinished)
    }
}
