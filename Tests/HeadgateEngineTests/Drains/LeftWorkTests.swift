import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

@testable import Headgate
@testable import HeadgateCombine
@testable import HeadgateEngine

/// Who only subscribes, requests or cancels performs nothing that an owner has left to callers that wait.
final class LeftWorkTests: XCTestCase {
    /// Does something while work is left to a caller that waits, and then performs that work as this caller.
    private func leaving(_ work: @escaping () -> Void, in drain: borrowing Drain, while body: () -> Void) {
        XCTAssertTrue(drain.enter())
        drain.postpone(work)
        drain.waiting.add(1, ordering: .relaxed)
        XCTAssertTrue(drain.leaveToOthers())
        body()
        drain.waiting.subtract(1, ordering: .relaxed)
        XCTAssertTrue(drain.takeOver())
        drain.leave()
    }

    /// A subject with one subscriber is subscribed to once more, and then the first subscriber cancels.
    private func check(_ subject: some Subject<Int, Never>, in drain: borrowing Drain, line: UInt = #line) {
        var received: [String] = []
        let first = subject.sink { received.append("first \($0)") }
        var second: AnyCancellable?
        leaving({ received.append("left") }, in: drain) {
            second = subject.sink { received.append("second \($0)") }
            first.cancel()
            XCTAssertEqual(received, ["first 0"], line: line)
        }
        XCTAssertEqual(received, ["first 0", "left", "second 0"], line: line)
        withExtendedLifetime(second) {}
    }

    func test_whoSubscribesToACurrentValueOrCancels() {
        let subject = CurrentValueSubject<Int, Never>(0)
        check(subject, in: subject.hub.drain)
    }

    func test_whoSubscribesToAReplayOrCancels() {
        let subject = ReplaySubject<Int, Never>(bufferSize: 1)
        subject.send(0)
        check(subject, in: subject.hub.drain)
    }

    func test_whoRequestsFromAReplay() {
        let subject = ReplaySubject<Int, Never>(bufferSize: 1)
        subject.send(0)
        let subscriber = TestSubscriber<Int, Never>.checked(.first(0))
        subject.subscribe(subscriber)
        var isPerformed = false
        leaving({ isPerformed = true }, in: subject.hub.drain) {
            subscriber.request(.max(1))
            XCTAssertFalse(isPerformed)
        }
        XCTAssertEqual(subscriber.values, [0])
        subscriber.cancel()
    }

    func test_whoRequestsFromAMerge() throws {
        var subscription: (any Subscription)?
        let subscriber = TestSubscriber<Int, Never>.checked(.first(0))
        PassthroughSubject<Int, Never>().merge(with: [1, 2].publisher)
            .handleEvents(receiveSubscription: { subscription = $0 })
            .subscribe(subscriber)
        let conduit = try XCTUnwrap(subscription as? JoiningConduit<Int, Never>)
        var isPerformed = false
        leaving({ isPerformed = true }, in: conduit.drain) {
            // There are requests that the owner has left.
            conduit.leavesSlowly.store(true, ordering: .relaxed)
            subscriber.request(.max(1))
            XCTAssertFalse(isPerformed)
        }
        XCTAssertTrue(isPerformed)
        subscriber.cancel()
    }
}
