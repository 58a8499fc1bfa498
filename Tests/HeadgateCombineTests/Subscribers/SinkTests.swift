import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class SinkTests: XCTestCase {
    func test_receivesValuesAndTheCompletion() {
        let upstream = TestPublisher<Int, TestFailure>()
        var values: [Int] = []
        var completions: [Subscribers.Completion<TestFailure>] = []
        let sink = upstream.sink(receiveCompletion: { completions.append($0) }, receiveValue: { values.append($0) })
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        upstream.send(1)
        upstream.send(2)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(values, [1, 2])
        XCTAssertEqual(completions, [.failure(.first)])
        sink.cancel()
        XCTAssertEqual(upstream.cancelCount, 0, "what has ended is not cancelled")
    }

    func test_cancelsUpstreamOnceWhenCancelledAndWhenReleased() {
        let upstream = TestPublisher<Int, Never>()
        var sink: AnyCancellable? = upstream.sink { _ in }
        sink?.cancel()
        sink?.cancel()
        sink = nil
        XCTAssertEqual(upstream.cancelCount, 1)
        _ = upstream.sink { _ in }
        XCTAssertEqual(upstream.cancelCount, 2)
    }

    func test_hearsNothingAfterCancelAndTheEndEvenFromABadPublisher() {
        var heard: [String] = []
        let sink = Subscribers.Sink<Int, Never>(
            receiveCompletion: { _ in heard.append("end") }, receiveValue: { heard.append("\($0)") })
        let first = LoggingSubscription()
        let second = LoggingSubscription()
        sink.receive(subscription: first)
        sink.receive(subscription: second)
        XCTAssertEqual(sink.receive(1), .none)
        sink.receive(completion: .finished)
        sink.receive(completion: .finished)
        XCTAssertEqual(sink.receive(2), .none)
        sink.cancel()
        XCTAssertEqual(heard, ["1", "end"])
        XCTAssertEqual(first.calls, ["request unlimited"])
        XCTAssertEqual(second.calls, ["cancel"], "a second subscription is refused")
    }

    func test_cancelFromInsideStopsAtOnce() {
        let subject = PassthroughSubject<Int, Never>()
        var values: [Int] = []
        var sink: AnyCancellable?
        sink = subject.sink {
            values.append($0)
            sink?.cancel()
        }
        subject.send(1)
        subject.send(2)
        XCTAssertEqual(values, [1])
    }

    func test_releasesItsClosuresAtTheEndAndAfterCancel() {
        let before = Tracked.count
        for ends in [false, true] {
            let upstream = TestPublisher<Int, Never>()
            let tracked = Tracked()
            let sink = upstream.sink(
                receiveCompletion: { _ in _ = tracked }, receiveValue: { _ in _ = tracked })
            if ends { upstream.finish() } else { sink.cancel() }
        }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_showsItself() {
        let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
        XCTAssertEqual("\(sink)", "Sink")
        XCTAssertEqual(sink.playgroundDescription as? String, "Sink")
        XCTAssertTrue(sink.customMirror.children.isEmpty)
    }

    /// A subscriber as a user would write it: takes three values, and three more when told to.
    private final class ThreeAtATime: Subscriber {
        typealias Input = Int
        typealias Failure = Never
        var values: [Int] = []
        var hasFinished = false
        private var subscription: (any Subscription)?

        func receive(subscription: any Subscription) {
            self.subscription = subscription
            more()
        }

        func more() { subscription?.request(.max(3)) }

        func receive(_ input: Int) -> Subscribers.Demand {
            values.append(input)
            return .none
        }

        func receive(completion: Subscribers.Completion<Never>) {
            hasFinished = true
            subscription = nil
        }
    }

    func test_aHandWrittenSubscriberGetsThreeAtATime() {
        let subscriber = ThreeAtATime()
        (1...7).publisher.map { $0 * 10 }.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [10, 20, 30])
        subscriber.more()
        XCTAssertEqual(subscriber.values, [10, 20, 30, 40, 50, 60])
        XCTAssertFalse(subscriber.hasFinished)
        subscriber.more()
        XCTAssertEqual(subscriber.values.last, 70)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_releasesItsClosuresAtTheEndAndAtCancelThoughItIsHeld() {
        let before = Tracked.count
        for ends in [true, false] {
            let upstream = TestPublisher<Int, Never>()
            let sink = Subscribers.Sink<Int, Never>(
                receiveCompletion: { [tracked = Tracked()] _ in _ = tracked },
                receiveValue: { [tracked = Tracked()] _ in _ = tracked })
            upstream.subscribe(sink)
            upstream.send(1)
            XCTAssertEqual(Tracked.count, before + 2)
            if ends { upstream.finish() } else { sink.cancel() }
            XCTAssertEqual(Tracked.count, before)
            withExtendedLifetime(sink) {}
        }
    }

    func test_anOwnerThatItsClosuresKeepIsFreedAtTheEnd() {
        final class Owner {
            let tracked = Tracked()
            var sink: Subscribers.Sink<Int, Never>?
        }
        let before = Tracked.count
        do {
            let owner = Owner()
            let sink = Subscribers.Sink<Int, Never>(
                receiveCompletion: { _ in }, receiveValue: { _ in withExtendedLifetime(owner) {} })
            owner.sink = sink
            (1...3).publisher.subscribe(sink)
        }
        XCTAssertEqual(Tracked.count, before)
    }
}
