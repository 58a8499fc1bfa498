import Headgate
import HeadgateTesting
import XCTest

/// What is attached or requested inside a delivery reaches an upstream that sends on its own before the call returns.
final class PunctualRequestTests: XCTestCase {
    private typealias Inner = PassthroughSubject<Int, Never>

    nonisolated(unsafe) private static let flattening:
        [(name: String, apply: (PassthroughSubject<Inner, Never>) -> AnyPublisher<Int, Never>)] =
            [
                ("flatMap", { $0.flatMap { $0 }.eraseToAnyPublisher() }),
                ("flatMap(max 2)", { $0.flatMap(maxPublishers: .max(2)) { $0 }.eraseToAnyPublisher() }),
                ("flatMap, map", { $0.flatMap { $0.map { $0 } }.eraseToAnyPublisher() }),
                ("flatMap, share", { $0.flatMap { $0.share() }.eraseToAnyPublisher() }),
                ("flatMap, merge", { $0.flatMap { $0.merge(with: Inner()) }.eraseToAnyPublisher() }),
                ("flatMap, flatMap", { $0.flatMap { $0.flatMap { Just($0) } }.eraseToAnyPublisher() }),
                ("switchToLatest", { $0.switchToLatest().eraseToAnyPublisher() }),
                ("flatMapLatest", { $0.flatMapLatest { $0 }.eraseToAnyPublisher() }),
                ("flatMapSequential", { $0.flatMapSequential(maxConcurrent: 2) { $0 }.eraseToAnyPublisher() }),
            ]

    func test_aPublisherThatIsAttachedInsideADeliveryLosesNothing() {
        for (name, apply) in Self.flattening {
            let outer = PassthroughSubject<Inner, Never>()
            let (first, second) = (Inner(), Inner())
            var values: [Int] = []
            let stream = apply(outer).sink {
                values.append($0)
                if $0 != 1 { return }
                outer.send(second)
                second.send(2)
            }
            outer.send(first)
            first.send(1)
            if name == "flatMapSequential" { first.send(completion: .finished) }
            second.send(3)
            XCTAssertEqual(values, [1, 2, 3], name)
            stream.cancel()
        }
    }

    func test_demandThatIsRequestedInsideADeliveryCountsAtOnce() {
        let (first, second) = (Inner(), Inner())
        let subscriber = TestSubscriber<Int, Never>(.first(1)) { subscriber, value in
            if value != 10 { return }
            subscriber.request(.max(5))
            second.send(2)
            second.send(3)
        }
        first.combineLatest(second) { $0 * 10 + $1 }.subscribe(subscriber)
        second.send(0)
        first.send(1)
        second.send(4)
        XCTAssertEqual(subscriber.values, [10, 12, 13, 14])
    }

    func test_aRequestInsideADeliveryReachesUpstreamBeforeItReturns() {
        typealias Values = AnyPublisher<Int, Never>
        let operators: [(name: String, expected: Int, apply: (Values, Values) -> Values)] = [
            ("map", 5, { first, _ in first.map { $0 }.eraseToAnyPublisher() }),
            ("append", 5, { $0.append($1).eraseToAnyPublisher() }),
            ("combineLatest", 5, { first, _ in first.combineLatest(Just(1)).map { $0.0 }.eraseToAnyPublisher() }),
            ("zip", 5, { first, _ in first.zip((1...100).publisher).map { $0.0 }.eraseToAnyPublisher() }),
            ("switchToLatest", 5, { first, _ in Just(first).switchToLatest().eraseToAnyPublisher() }),
            ("prefix(untilOutputFrom:)", 5, { $0.prefix(untilOutputFrom: $1).eraseToAnyPublisher() }),
            ("withLatestFrom", 5, { first, _ in first.withLatestFrom(Just(1)) { $0 + 0 * $1 }.eraseToAnyPublisher() }),
            ("amb", 5, { $0.amb($1).eraseToAnyPublisher() }),
            (
                "replaceEmpty, zip", 5,
                { first, _ in first.replaceEmpty(with: 0).zip((1...9).publisher).map { $0.0 }.eraseToAnyPublisher() }
            ),
            (
                "append, until, until", 5,
                { $0.append($1).prefix(untilOutputFrom: $1).drop(untilOutputFrom: Just(1)).eraseToAnyPublisher() }
            ),
            (
                "append, timeout, withLatestFrom", 5,
                { first, second in
                    first.append(second).timeout(
                        first: .seconds(9), scheduler: TestScheduler(), fallback: { _ in second }
                    )
                    .withLatestFrom(Just(1)) { $0 + 0 * $1 }.eraseToAnyPublisher()
                }
            ),
            (
                "prepend, withLatestFrom", 5,
                { first, _ in first.prepend([]).withLatestFrom(Just(1)) { $0 + 0 * $1 }.eraseToAnyPublisher() }
            ),
            (
                "receive(on:), withLatestFrom", 5,
                { first, _ in
                    first.receive(on: ImmediateScheduler.shared).withLatestFrom(Just(1)) { $0 + 0 * $1 }
                        .eraseToAnyPublisher()
                }
            ),
            ("shareReplay", 5, { first, _ in first.shareReplay(capacity: 0).eraseToAnyPublisher() }),
            ("shareReplay(capacity: 2)", 5, { first, _ in first.shareReplay(capacity: 2).eraseToAnyPublisher() }),
            ("broadcast", 5, { first, _ in first.broadcast(limit: 100).eraseToAnyPublisher() }),
        ]
        for (name, expected, apply) in operators {
            let subject = Inner()
            var requested = Subscribers.Demand.none
            let counted = subject.handleEvents(receiveRequest: { requested += $0 })
            var inside: Subscribers.Demand?
            let subscriber = TestSubscriber<Int, Never>(.first(1)) { subscriber, _ in
                requested = .none
                subscriber.request(.max(5))
                inside = requested
            }
            apply(counted.eraseToAnyPublisher(), Inner().eraseToAnyPublisher()).subscribe(subscriber)
            subject.send(1)
            XCTAssertEqual(inside, .max(expected), name)
        }
    }

    func test_aBufferKeepsWhatAHotPublisherSendsBeforeTheFirstDemand() {
        let operators: [(name: String, before: [Int], apply: (Inner) -> AnyPublisher<Int, Never>)] = [
            ("flatMap", [], { subject in Just(1).flatMap { _ in subject }.eraseToAnyPublisher() }),
            ("sequence, flatMap", [], { subject in [1].publisher.flatMap { _ in subject }.eraseToAnyPublisher() }),
            ("switchToLatest", [], { Just($0).switchToLatest().eraseToAnyPublisher() }),
            ("flatMapLatest", [], { subject in Just(1).flatMapLatest { _ in subject }.eraseToAnyPublisher() }),
            (
                "flatMapSequential", [],
                { subject in
                    Just(1).flatMapSequential(maxConcurrent: 2) { _ in subject }.eraseToAnyPublisher()
                }
            ),
            ("append", [0], { Just(0).append($0).eraseToAnyPublisher() }),
            ("prepend", [0], { $0.prepend(0).eraseToAnyPublisher() }),
        ]
        for (name, before, apply) in operators {
            let subject = Inner()
            let subscriber = TestSubscriber<Int, Never>(.first(0))
            apply(subject).buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest).subscribe(subscriber)
            subject.send(1)
            subscriber.request(.max(5))
            subject.send(2)
            XCTAssertEqual(subscriber.values, before + [1, 2], name)
        }
    }
}
