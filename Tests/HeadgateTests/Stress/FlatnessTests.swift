import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// The stack does not grow with the length of a stream, wherever requests and sends come from.
final class FlatnessTests: XCTestCase {
    func test_aSinkMaySendIntoItsOwnSubjectAHundredThousandTimes() {
        let count = 100_000
        let subject = PassthroughSubject<Int, Never>()
        let depth = StackDepth()
        var last = 0
        let sink = subject.sink { value in
            depth.note()
            last = value
            if value < count { subject.send(value + 1) }
        }
        subject.send(1)
        XCTAssertEqual(last, count)
        XCTAssertLessThan(depth.spread, 4096)
        sink.cancel()
    }

    func test_aMillionValuesMayBeRequestedOneByOneByAnswering() {
        let count = Scale.reduced(1_000_000)
        let depth = StackDepth()
        var received = 0
        var hasFinished = false
        (0..<count).publisher.map { $0 + 1 }.filter { $0 > 0 }.subscribe(
            AnySubscriber(
                receiveSubscription: { $0.request(.max(1)) },
                receiveValue: { _ in
                    depth.note()
                    received += 1
                    return .max(1)
                },
                receiveCompletion: { _ in hasFinished = true }))
        XCTAssertEqual(received, count)
        XCTAssertTrue(hasFinished)
        XCTAssertLessThan(depth.spread, 4096)
    }

    func test_aMillionValuesMayBeRequestedOneByOneFromInsideReceive() {
        let count = Scale.reduced(1_000_000)
        let depth = StackDepth()
        var upstream: (any Subscription)?
        var received = 0
        var hasFinished = false
        (0..<count).publisher.map { $0 + 1 }.prefix(count).subscribe(
            AnySubscriber(
                receiveSubscription: { subscription in
                    upstream = subscription
                    subscription.request(.max(1))
                },
                receiveValue: { _ in
                    depth.note()
                    received += 1
                    upstream?.request(.max(1))
                    return .none
                },
                receiveCompletion: { _ in hasFinished = true }))
        XCTAssertEqual(received, count)
        XCTAssertTrue(hasFinished)
        XCTAssertLessThan(depth.spread, 4096)
    }

    func test_aRequestPassesThroughStagesThatMayEndTheStreamWithoutGrowingTheStack() {
        let depth = StackDepth()
        let upstream = TestPublisher<Int, Never> { _, demand in
            if demand > .none { depth.note() }
        }
        for stages in [1, 500] {
            let subscriber = TestSubscriber<Int, Never>.checked()
            (0..<stages).reduce(upstream.eraseToAnyPublisher()) { publisher, _ in
                publisher.prefix(10).eraseToAnyPublisher()
            }
            .subscribe(subscriber)
            subscriber.request(1)
        }
        XCTAssertEqual(depth.notes, 2)
        XCTAssertLessThan(depth.spread, 4096)
    }

    func test_aCancellationPassesThroughStagesThatMayEndTheStreamWithoutGrowingTheStack() {
        let depth = StackDepth()
        for stages in [1, 500] {
            let upstream = CancelProbe(depth)
            let subscriber = TestSubscriber<Int, Never>.checked()
            (0..<stages).reduce(upstream.eraseToAnyPublisher()) { publisher, _ in
                publisher.prefix(10).eraseToAnyPublisher()
            }
            .subscribe(subscriber)
            subscriber.cancel()
        }
        XCTAssertEqual(depth.notes, 2)
        XCTAssertLessThan(depth.spread, 4096)
    }

    func test_aPipelineOfAThousandStagesIsServedCancelledAndReleased() {
        let before = Tracked.count
        for hasEnd in [false, true] {
            let subject = PassthroughSubject<Int, Never>()
            var values: [Int] = []
            var tracked = Optional(Tracked())
            let sink = (0..<1000).reduce(subject.eraseToAnyPublisher()) { publisher, index in
                switch index % 3 {
                case 0: publisher.map { $0 + 1 }.eraseToAnyPublisher()
                case 1: publisher.filter { [tracked] _ in tracked != nil }.eraseToAnyPublisher()
                default: publisher.prefix(10).eraseToAnyPublisher()
                }
            }
            .sink { values.append($0) }
            tracked = nil
            subject.send(0)
            if hasEnd { subject.send(completion: .finished) } else { sink.cancel() }
            subject.send(1)
            XCTAssertEqual(values, [334])
        }
        XCTAssertEqual(Tracked.count, before)
    }
}

/// A publisher that notes how deep the stack is when it is cancelled.
private struct CancelProbe: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let depth: StackDepth

    init(_ depth: StackDepth) { self.depth = depth }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscriber.receive(subscription: Probe(depth))
    }

    private final class Probe: Subscription {
        let depth: StackDepth

        init(_ depth: StackDepth) { self.depth = depth }

        func request(_ demand: Subscribers.Demand) {}

        func cancel() { depth.note() }
    }
}
