import HeadgateCombine
import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

/// Counts its open connections, and runs a closure inside the cancellation of one.
private final class CountingConnectable: ConnectablePublisher {
    typealias Output = Int
    typealias Failure = Never

    let subject = PassthroughSubject<Int, Never>()
    let counts = Guarded((open: 0, most: 0, made: 0))
    var whileCancelling: (() -> Void)?

    func receive(subscriber: some Subscriber<Int, Never>) { subject.receive(subscriber: subscriber) }

    func connect() -> any Cancellable {
        counts.withLock {
            $0.made += 1
            $0.open += 1
            if $0.open > $0.most { $0.most = $0.open }
        }
        return AnyCancellable { [self] in
            whileCancelling?()
            counts.withLock { $0.open -= 1 }
        }
    }
}

final class AutoconnectTests: XCTestCase {
    func test_connectsWhoArrivesInsideTheCancellationWhenItIsDone() {
        let upstream = CountingConnectable()
        let shared = upstream.autoconnect()
        let first = TestSubscriber<Int, Never>.checked(.unlimited)
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(first)
        upstream.whileCancelling = { [unowned upstream] in
            upstream.whileCancelling = nil
            shared.subscribe(second)
            XCTAssertEqual(upstream.counts.withLock { $0.made }, 1, "the old connection is still there")
        }
        first.cancel()
        XCTAssertEqual(upstream.counts.withLock { [$0.open, $0.most, $0.made] }, [1, 1, 2])
        upstream.subject.send(1)
        XCTAssertEqual(second.values, [1])
        second.cancel()
        XCTAssertEqual(upstream.counts.withLock { $0.open }, 0)
    }

    func test_connectsNobodyWhoArrivesAndLeavesInsideTheCancellation() {
        let upstream = CountingConnectable()
        let shared = upstream.autoconnect()
        let first = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(first)
        upstream.whileCancelling = { [unowned upstream] in
            upstream.whileCancelling = nil
            shared.sink { _ in }.cancel()
        }
        first.cancel()
        XCTAssertEqual(upstream.counts.withLock { [$0.open, $0.most, $0.made] }, [0, 1, 1])
        let later = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(later)
        XCTAssertEqual(upstream.counts.withLock { [$0.open, $0.most, $0.made] }, [1, 1, 2])
    }

    func test_multicastAndAutoconnectIgnoreWhatIsSentAfterTheEndOrACancellation() {
        for isCancelled in [false, true] {
            let unruly = Unruly()
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            PassthroughSubject<Int, Never>().multicast { unruly }.autoconnect().subscribe(subscriber)
            unruly.send(1)
            if isCancelled { subscriber.cancel() } else { unruly.send(completion: .finished) }
            unruly.send(2)
            unruly.send(completion: .finished)
            XCTAssertEqual(subscriber.values, [1])
            XCTAssertEqual(subscriber.hasFinished, !isCancelled)
        }
    }
}

final class AutoconnectConcurrencyTests: XCTestCase {
    func test_thereIsOneConnectionWhileThereAreSubscribersAndNeverTwo() {
        for _ in 0..<Scale.reduced(20_000) {
            let upstream = CountingConnectable()
            nonisolated(unsafe) let shared = upstream.autoconnect()
            let first = shared.sink { _ in }
            nonisolated(unsafe) var seconds: AnyCancellable?
            onThreads(2) {
                if $0 == 0 { first.cancel() } else { seconds = shared.sink { _ in } }
            }
            XCTAssertEqual(upstream.counts.withLock { [$0.open, $0.most] }, [1, 1])
            seconds?.cancel()
            XCTAssertEqual(upstream.counts.withLock { $0.open }, 0)
        }
    }
}

/// A subject that stops for nothing.
private final class Unruly: Subject {
    typealias Output = Int
    typealias Failure = Never

    private let hand = TestPublisher<Int, Never>(keepsSubscribers: true)

    func receive(subscriber: some Subscriber<Int, Never>) { hand.receive(subscriber: subscriber) }

    func send(_ value: Int) { hand.force(value) }

    func send(completion: Subscribers.Completion<Never>) { hand.force(completion: completion) }

    func send(subscription: any Subscription) {}
}
