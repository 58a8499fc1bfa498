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

    func test_receivesNothingAfterCancelAndTheEndEvenFromABadPublisher() {
        var received: [String] = []
        let sink = Subscribers.Sink<Int, Never>(
            receiveCompletion: { _ in received.append("end") }, receiveValue: { received.append("\($0)") })
        let first = LoggingSubscription()
        let second = LoggingSubscription()
        sink.receive(subscription: first)
        sink.receive(subscription: second)
        XCTAssertEqual(sink.receive(1), .none)
        sink.receive(completion: .finished)
        sink.receive(completion: .finished)
        XCTAssertEqual(sink.receive(2), .none)
        sink.cancel()
        XCTAssertEqual(received, ["1", "end"])
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

    /// `sink` receives from a publisher that has all its values without a subscription; `Subscribers.Sink` has one.
    private func assertReceivesWhatASinkReceives<Output: Equatable>(
        _ publisher: some Publisher<Output, TestFailure>, file: StaticString = #filePath, line: UInt = #line
    ) {
        var attached: [String] = []
        var made: [String] = []
        let cancellable = publisher.sink(
            receiveCompletion: { attached.append("\($0)") }, receiveValue: { attached.append("\($0)") })
        publisher.subscribe(
            Subscribers.Sink(receiveCompletion: { made.append("\($0)") }, receiveValue: { made.append("\($0)") }))
        XCTAssertEqual(attached, made, file: file, line: line)
        cancellable.cancel()
        XCTAssertEqual(attached, made, "there is nothing to cancel", file: file, line: line)
    }

    func test_receivesTheSameFromWhatHasAllItsValues() {
        let range = (1...5).publisher.setFailureType(to: TestFailure.self)
        let fulfilled = Future<Int, TestFailure> { $0(.success(1)) }
        let record = Record<Int, TestFailure>(output: [1, 2], completion: .failure(.first))
        assertReceivesWhatASinkReceives(range)
        assertReceivesWhatASinkReceives(range.map { $0 * 2 }.filter { $0 > 4 })
        assertReceivesWhatASinkReceives(range.scan(0, +).prefix(2))
        assertReceivesWhatASinkReceives(range.prefix(0))
        assertReceivesWhatASinkReceives(range.first { $0 == 3 })
        assertReceivesWhatASinkReceives(
            range.tryMap { if $0 == 3 { throw TestFailure.first } else { $0 } }.mapError { _ in TestFailure.first })
        assertReceivesWhatASinkReceives(range.collect())
        assertReceivesWhatASinkReceives(range.reduce(0, +).map { $0 + 1 })
        assertReceivesWhatASinkReceives(range.eraseToAnyPublisher())
        assertReceivesWhatASinkReceives([Int]().publisher.setFailureType(to: TestFailure.self))
        assertReceivesWhatASinkReceives(Just(1).setFailureType(to: TestFailure.self).append(2))
        assertReceivesWhatASinkReceives(Optional(1).publisher.setFailureType(to: TestFailure.self))
        assertReceivesWhatASinkReceives(Int?.none.publisher.setFailureType(to: TestFailure.self))
        assertReceivesWhatASinkReceives(Result<Int, TestFailure>.success(1).publisher)
        assertReceivesWhatASinkReceives(
            Result<Int, TestFailure>.failure(.first).publisher.replaceError(with: 0).setFailureType(
                to: TestFailure.self))
        assertReceivesWhatASinkReceives(Empty<Int, TestFailure>())
        assertReceivesWhatASinkReceives(Fail<Int, TestFailure>(error: .first).map { $0 + 1 })
        assertReceivesWhatASinkReceives(record)
        assertReceivesWhatASinkReceives(fulfilled)
        assertReceivesWhatASinkReceives(Future<Int, TestFailure> { $0(.failure(.first)) })
    }

    func test_whatItReceivesWithoutASubscriptionMaySubscribeAgain() {
        var values: [Int] = []
        var cancellables: Set<AnyCancellable> = []
        (1...2).publisher.sink { outer in
            Just(outer).map { $0 * 10 }.sink { values.append($0) }.store(in: &cancellables)
            values.append(outer)
        }.store(in: &cancellables)
        XCTAssertEqual(values, [10, 1, 20, 2])
    }

    func test_releasesItsClosuresAfterWhatHasAllItsValues() {
        let before = Tracked.count
        let cancellables = [
            Just(1).sink { [tracked = Tracked()] _ in withExtendedLifetime(tracked) {} },
            (1...3).publisher.map { [tracked = Tracked()] in withExtendedLifetime((tracked, $0)) { $0.1 } }.sink { _ in
            },
            Empty<Int, Never>().sink { [tracked = Tracked()] _ in withExtendedLifetime(tracked) {} },
        ]
        XCTAssertEqual(Tracked.count, before)
        withExtendedLifetime(cancellables) {}
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
