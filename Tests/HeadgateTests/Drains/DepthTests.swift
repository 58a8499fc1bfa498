import Headgate
import HeadgateEngine
import TestSupport
import XCTest

/// Whatever a subscriber does while it is being connected, the thread is outside of every delivery afterwards.
final class DepthTests: XCTestCase {
    func test_aThreadIsOutsideAfterConnectingASubscriberThatActsAtOnce() {
        for action in Action.allCases {
            let subject = PassthroughSubject<Int, Never>()
            let just = Just(1)
            connect(action, to: subject.merge(with: just))
            connect(action, to: just.merge(with: subject))
            connect(action, to: subject.zip(just).map { $0 + $1 })
            connect(action, to: subject.combineLatest(just).map { $0 + $1 })
            connect(action, to: just.flatMap { Just($0) })
            connect(action, to: subject.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest))
            connect(action, to: just.buffer(size: 1, prefetch: .keepFull, whenFull: .dropNewest))
            connect(action, to: just.map { Just($0) }.switchToLatest())
            connect(action, to: just.prefix(untilOutputFrom: subject))
            connect(action, to: just.drop(untilOutputFrom: subject))
            connect(action, to: just.append(just))
            connect(action, to: Empty<Int, Never>().merge(with: Empty()))
            connect(action, to: just.share())
            connect(action, to: CurrentValueSubject(1))
            connect(action, to: just.withLatestFrom(subject))
            connect(action, to: just.conflate())
            connect(action, to: just.batch(count: 2).map(\.count))
            connect(action, to: just.groupBy(limit: 2, whenFull: .drop) { $0 }.flatMap { $0 })
            connect(action, to: just.window(count: 2, unread: .skip).flatMap { $0 })
        }
    }

    private func connect(
        _ action: Action, to publisher: some Publisher<Int, Never>, line: UInt = #line
    ) {
        var isInside: Bool?
        nonisolated(unsafe) let check = {
            publisher.subscribe(Actor(action))
            isInside = Drain.isInsideDelivery
        }
        let finished = expectation(description: "connected")
        Thread {
            check()
            finished.fulfill()
        }
        .start()
        wait(for: [finished], timeout: 60)
        XCTAssertEqual(isInside, false, "\(action)", line: line)
    }
}

private enum Action: CaseIterable {
    case nothing, request, cancel, requestAndCancel, cancelAndRequest
}

private final class Actor: Subscriber {
    let action: Action

    init(_ action: Action) { self.action = action }

    func receive(subscription: any Subscription) {
        switch action {
        case .nothing: break
        case .request: subscription.request(.unlimited)
        case .cancel: subscription.cancel()
        case .requestAndCancel:
            subscription.request(.max(1))
            subscription.cancel()
        case .cancelAndRequest:
            subscription.cancel()
            subscription.request(.max(1))
        }
    }

    func receive(_ input: Int) -> Subscribers.Demand { .none }

    func receive(completion: Subscribers.Completion<Never>) {}
}
