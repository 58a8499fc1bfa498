import HeadgateCore
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
        let upstream = HandPublisher<Int, TestFailure>()
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
        XCTAssertEqual(upstream.send(7), .max(3))
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(notes, ["HandPublisher", "7", "true"])
        XCTAssertEqual(upstream.calls, [.request(.max(2))])
    }

    func test_asksForEverythingAndDropsItWithoutClosures() {
        let upstream = HandPublisher<Int, TestFailure>()
        upstream.subscribe(AnySubscriber())
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        XCTAssertEqual(upstream.send(7), .none)
        upstream.finish()
    }

    func test_passesEverythingToTheSubscriberItWraps() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .max(1)) { _, _ in .max(2) }
        upstream.subscribe(AnySubscriber(recorder))
        XCTAssertEqual(upstream.send(7), .max(2))
        upstream.finish()
        XCTAssertEqual(recorder.events, [.subscription("HandPublisher"), .value(7), .completion(.finished)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_hasTheIdentifierOfWhatItWraps() {
        let recorder = Recorder<Int, TestFailure>()
        let subscriber = AnySubscriber(recorder)
        XCTAssertEqual(subscriber.combineIdentifier, recorder.combineIdentifier)
        XCTAssertEqual(AnySubscriber(subscriber).combineIdentifier, recorder.combineIdentifier)
        let subject = NotingSubject()
        XCTAssertEqual(AnySubscriber(subject).combineIdentifier, CombineIdentifier(subject))
        let (first, second) = (AnySubscriber<Int, TestFailure>(), AnySubscriber<Int, TestFailure>())
        XCTAssertNotEqual(first.combineIdentifier, second.combineIdentifier)
    }

    func test_sendsEverythingIntoTheSubjectItWraps() {
        let upstream = HandPublisher<Int, TestFailure>()
        let subject = NotingSubject()
        upstream.subscribe(AnySubscriber(subject))
        XCTAssertEqual(upstream.send(7), .none)
        upstream.finish()
        XCTAssertEqual(subject.notes, ["subscription Subject", "value 7", "completion"])
    }

    func test_isWrappedAgainWithoutAnotherLayer() {
        let recorder = Recorder<Int, TestFailure>(demand: .max(1))
        var subscriber = AnySubscriber(recorder)
        for _ in 0..<100_000 { subscriber = AnySubscriber(subscriber) }
        _ = subscriber.receive(7)
        XCTAssertEqual(recorder.values, [7])
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
