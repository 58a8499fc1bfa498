import Headgate
import HeadgateVerification
import TestSupport
import XCTest

/// What a closure reads that it could not capture when it was written.
private final class Holder: @unchecked Sendable {
    var stream: AnyCancellable?
}

/// Upstreams as they are often written: they send whenever they are told to, also from inside their own delivery.
///
/// With optimisation and a sanitizer, these tests find a subscriber that is released while it runs.
final class UnserializedUpstreamTests: XCTestCase {
    private struct Broken: Error {}

    private final class Unserialized: Publisher, Subscription {
        typealias Output = Int
        typealias Failure = any Error

        private var subscriber: AnySubscriber<Int, any Error>?

        func receive(subscriber: some Subscriber<Int, any Error>) {
            self.subscriber = AnySubscriber(subscriber)
            subscriber.receive(subscription: self)
        }

        func request(_ demand: Subscribers.Demand) {}

        func cancel() { subscriber = nil }

        func send(_ value: Int) { _ = subscriber?.receive(value) }

        func send(completion: Subscribers.Completion<any Error>) {
            let subscriber = subscriber
            self.subscriber = nil
            subscriber?.receive(completion: completion)
        }
    }

    private typealias Chain = (Unserialized) -> AnyPublisher<Int, any Error>

    private let chains: [(name: String, build: Chain)] = [
        ("map", { $0.map { $0 }.eraseToAnyPublisher() }),
        ("scan", { $0.scan(0) { $1 }.eraseToAnyPublisher() }),
        ("append", { $0.append(9).eraseToAnyPublisher() }),
        ("prepend", { $0.prepend([]).eraseToAnyPublisher() }),
        ("catch", { $0.catch { _ in Empty<Int, any Error>() }.eraseToAnyPublisher() }),
        ("retry", { $0.retry(1).eraseToAnyPublisher() }),
        ("first", { $0.first().eraseToAnyPublisher() }),
        ("prefix", { $0.prefix(2).eraseToAnyPublisher() }),
        ("buffer", { $0.buffer(size: 4, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher() }),
        ("merge", { $0.merge(with: Empty()).eraseToAnyPublisher() }),
        ("flatMap", { $0.flatMap { [$0].publisher.setFailureType(to: (any Error).self) }.eraseToAnyPublisher() }),
        ("concatMap", { $0.concatMap { Just($0).setFailureType(to: (any Error).self) }.eraseToAnyPublisher() }),
        (
            "switchToLatest",
            { $0.map { Just($0).setFailureType(to: (any Error).self) }.switchToLatest().eraseToAnyPublisher() }
        ),
        ("share", { $0.share().eraseToAnyPublisher() }),
        ("share(replay:)", { $0.share(replay: 1).eraseToAnyPublisher() }),
        ("collect", { $0.collect(1).compactMap(\.first).eraseToAnyPublisher() }),
    ]

    /// Subscribes with a closure that sends from inside the delivery of 1, and then uses what it has captured.
    private func check(
        _ inside: @escaping (Unserialized, AnyCancellable?) -> Void, _ verify: (String, [Int]) -> Void
    ) {
        for (name, build) in chains {
            let before = Tracked.count
            do {
                let upstream = Unserialized()
                var seen: [Int] = []
                let holder = Holder()
                let captured = [Tracked()]
                let label = String(repeating: name, count: 3)
                holder.stream = build(upstream).sink(
                    receiveCompletion: { _ in },
                    receiveValue: { value in
                        if value == 1 { inside(upstream, holder.stream) }
                        if label.hasPrefix(name), captured.count == 1 { seen.append(value) }
                    })
                upstream.send(1)
                upstream.send(completion: .finished)
                verify(name, seen)
                holder.stream = nil
            }
            XCTAssertEqual(Tracked.count, before, name)
        }
    }

    func test_aSubscriberIsNotReleasedWhileItRunsThoughUpstreamFinishesInside() {
        check { upstream, _ in
            upstream.send(completion: .finished)
        } _: { name, seen in
            XCTAssertEqual(seen.filter { $0 == 1 }, [1], name)
        }
    }

    func test_aSubscriberIsNotReleasedWhileItRunsThoughUpstreamFailsInside() {
        check { upstream, _ in
            upstream.send(completion: .failure(Broken()))
        } _: { name, seen in
            XCTAssertEqual(seen, [1], name)
        }
    }

    func test_aSubscriberIsNotReleasedWhileItRunsThoughUpstreamFinishesAndDownstreamCancelsInside() {
        check { upstream, stream in
            upstream.send(completion: .finished)
            stream?.cancel()
        } _: { name, seen in
            XCTAssertEqual(seen.filter { $0 == 1 }, [1], name)
        }
    }
}
