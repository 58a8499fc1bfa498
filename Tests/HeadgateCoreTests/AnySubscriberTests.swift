import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

final class AnySubscriberTests: XCTestCase {
    private final class NotingSubject: Subject {
        typealias Output = Int
        typealias Failure = TestFailure

        var notes: [String] = []

        func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestFailure {}
        func send(_ value: Int) { notes.append("value \(value)") }
        func send(completion: Subscribers.Completion<TestFailure>) { notes.append("completion") }
        func send(subscription: any Subscription) { notes.append("subscription \(subscription)") }
    }

    func test_callsItsThreeClosures() {
        let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        var notes: [String] = []
        let subscriber = AnySubscriber<Int, TestFailure>(
            receiveSubscription: {
                notes.append("\($0)")
                $0.request(.max(2))
            },
            receiveValue: {
                notes.append("\($0)")
                return .max(3)
            },
            receiveCompletion: { notes.append("\($0 == .failure(.first))") })
        upstream.subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 7), .max(3))
        upstream.fail(.first)
        XCTAssertEqual(notes, ["TestPublisher", "7", "true"])
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .answer(.max(3))])
    }

    func test_requestsEverythingAndDropsItWithoutClosures() {
        let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        upstream.subscribe(AnySubscriber())
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        XCTAssertEqual(upstream.answer(to: 7), .none)
        upstream.finish()
    }

    func test_passesEverythingToTheSubscriberItWraps() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(1)) { _, _ in .max(2) }
        upstream.subscribe(AnySubscriber(subscriber))
        XCTAssertEqual(upstream.answer(to: 7), .max(2))
        upstream.finish()
        XCTAssertEqual(subscriber.received, [.subscription("TestPublisher"), .value(7), .completion(.finished)])
    }

    func test_hasTheIdentifierOfWhatItWraps() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        let wrapper = AnySubscriber(subscriber)
        XCTAssertEqual(wrapper.combineIdentifier, subscriber.combineIdentifier)
        XCTAssertEqual(AnySubscriber(wrapper).combineIdentifier, subscriber.combineIdentifier)
        let subject = NotingSubject()
        XCTAssertEqual(AnySubscriber(subject).combineIdentifier, CombineIdentifier(subject))
        let (first, second) = (AnySubscriber<Int, TestFailure>(), AnySubscriber<Int, TestFailure>())
        XCTAssertNotEqual(first.combineIdentifier, second.combineIdentifier)
    }

    func test_sendsEverythingIntoTheSubjectItWraps() {
        let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        let subject = NotingSubject()
        upstream.subscribe(AnySubscriber(subject))
        upstream.force(7)
        upstream.finish()
        XCTAssertEqual(upstream.calls, [], "a subject answers nothing")
        XCTAssertEqual(subject.notes, ["subscription Subject", "value 7", "completion"])
    }

    func test_isWrappedAgainWithoutAnotherLayer() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        var wrapped = AnySubscriber(subscriber)
        for _ in 0..<100_000 { wrapped = AnySubscriber(wrapped) }
        wrapped.receive(subscription: Subscriptions.empty)
        _ = wrapped.receive(7)
        XCTAssertEqual(subscriber.values, [7])
    }

    func test_isDescribed() {
        let subscriber = AnySubscriber<Int, TestFailure>()
        XCTAssertEqual("\(subscriber)", "Anonymous AnySubscriber")
        XCTAssertEqual(subscriber.playgroundDescription as? String, "Anonymous AnySubscriber")
        XCTAssertTrue(subscriber.customMirror.children.isEmpty)
    }

    func test_receivesEventsWithoutAValue() {
        var count = 0
        let subscriber = AnySubscriber<Void, Never>(receiveValue: {
            count += 1
            return .max(1)
        })
        XCTAssertEqual(subscriber.receive(), .max(1))
        XCTAssertEqual(count, 1)
    }

    private struct Outspoken: Subscriber, CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible
    {
        let combineIdentifier = CombineIdentifier()
        var description: String { "outspoken" }
        var customMirror: Mirror { Mirror(self, children: ["name": "outspoken"]) }
        var playgroundDescription: Any { 7 }

        func receive(subscription: any Subscription) {}
        func receive(_ input: Int) -> Subscribers.Demand { .none }
        func receive(completion: Subscribers.Completion<Never>) {}
    }

    func test_isDescribedAsWhatItHides() {
        let subscriber = AnySubscriber(AnySubscriber(Outspoken()))
        XCTAssertEqual("\(subscriber)", "outspoken")
        XCTAssertEqual(subscriber.customMirror.children.map(\.label), ["name"])
        XCTAssertEqual(subscriber.playgroundDescription as? Int, 7)
    }

    func test_sendsNothingIntoASubjectAfterTheEnd() {
        let subject = NotingSubject()
        let subscriber = AnySubscriber(subject)
        subscriber.receive(subscription: Subscriptions.empty)
        _ = subscriber.receive(1)
        subscriber.receive(completion: .finished)
        _ = subscriber.receive(7)
        subscriber.receive(completion: .finished)
        XCTAssertEqual(subject.notes, ["subscription Subject", "value 1", "completion"])
    }
}
