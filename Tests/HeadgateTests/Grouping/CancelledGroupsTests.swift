import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class CancelledGroupsTests: XCTestCase {
    /// The group has no subscriber when the stream of groups is cancelled, which cancels upstream: whoever subscribes to
    /// it after that, in the same delivery, has to learn that nothing will come.
    func test_aGroupThatIsSubscribedToAfterTheGroupsAreCancelledEnds() {
        let subject = PassthroughSubject<Int, Never>()
        let reader = TestSubscriber<Int, Never>.checked(.unlimited)
        let groups = TestSubscriber<GroupedPublisher<Int, Int, Never>, Never>.checked(.unlimited) { subscriber, group in
            subscriber.cancel()
            group.subscribe(reader)
        }
        subject.groupBy(limit: 10, whenFull: .drop) { $0 % 2 }.subscribe(groups)
        subject.send(1)
        // Either the group goes on, or it has finished.
        subject.send(3)
        subject.send(completion: .finished)
        XCTAssertTrue(reader.hasFinished, "\(reader.values)")
    }

    /// The order of the two calls alone makes the difference.
    func test_aGroupThatIsSubscribedToBeforeTheGroupsAreCancelledGoesOn() {
        let subject = PassthroughSubject<Int, Never>()
        let reader = TestSubscriber<Int, Never>.checked(.unlimited)
        let groups = TestSubscriber<GroupedPublisher<Int, Int, Never>, Never>.checked(.unlimited) { subscriber, group in
            group.subscribe(reader)
            subscriber.cancel()
        }
        subject.groupBy(limit: 10, whenFull: .drop) { $0 % 2 }.subscribe(groups)
        subject.send(1)
        subject.send(3)
        subject.send(completion: .finished)
        XCTAssertEqual(reader.values, [1, 3])
        XCTAssertTrue(reader.hasFinished)
    }
}
