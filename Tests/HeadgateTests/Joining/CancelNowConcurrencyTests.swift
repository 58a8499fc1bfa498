import Headgate
import Synchronization
import TestSupport
import XCTest

/// When `cancel()` returns, each upstream has been cancelled (rule 5.1), whatever is being delivered on whichever thread.
final class CancelNowConcurrencyTests: XCTestCase {
    private typealias Values = AnyPublisher<Int, Never>

    /// What joins or keeps values; the first upstream is the one that sends.
    nonisolated(unsafe) private static let operators: [(name: String, apply: (Values, Values) -> Values)] = [
        ("map", { first, _ in first.map { $0 }.eraseToAnyPublisher() }),
        ("merge", { $0.merge(with: $1).eraseToAnyPublisher() }),
        ("combineLatest", { $0.combineLatest($1.prepend(0)).map { $0.0 }.eraseToAnyPublisher() }),
        ("zip", { $0.zip($1.prepend(1, 2, 3)).map { $0.0 }.eraseToAnyPublisher() }),
        ("amb", { $0.amb($1).eraseToAnyPublisher() }),
        ("append", { $0.append($1).eraseToAnyPublisher() }),
        ("flatMap", { first, other in other.prepend(0).flatMap { _ in first }.eraseToAnyPublisher() }),
        ("flatMap, outer", { first, _ in first.flatMap { Just($0) }.eraseToAnyPublisher() }),
        (
            "flatMapSequential",
            { first, other in
                other.prepend(0).flatMapSequential(maxConcurrent: 2) { _ in first }.eraseToAnyPublisher()
            }
        ),
        (
            "switchToLatest",
            { first, other in
                other.prepend(0).map { _ in first }.switchToLatest().eraseToAnyPublisher()
            }
        ),
        ("prefix(untilOutputFrom:)", { $0.prefix(untilOutputFrom: $1).eraseToAnyPublisher() }),
        ("drop(untilOutputFrom:)", { $0.drop(untilOutputFrom: $1.prepend(0)).eraseToAnyPublisher() }),
        ("withLatestFrom", { $0.withLatestFrom($1.prepend(0)) { $0 + 0 * $1 }.eraseToAnyPublisher() }),
        (
            "buffer",
            { first, _ in
                first.buffer(size: 9, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher()
            }
        ),
        ("share", { first, _ in first.share().eraseToAnyPublisher() }),
        ("shareReplay", { first, _ in first.shareReplay(capacity: 2).eraseToAnyPublisher() }),
        ("share(replay:)", { first, _ in first.share(replay: 2).eraseToAnyPublisher() }),
        ("broadcast", { first, _ in first.broadcast(limit: 4).eraseToAnyPublisher() }),
        ("partition", { first, _ in first.partition(limit: 4) { _ in true }.0.eraseToAnyPublisher() }),
        ("prefetch", { first, _ in first.prefetch(9).eraseToAnyPublisher() }),
        ("conflate", { first, _ in first.conflate().eraseToAnyPublisher() }),
        ("batch", { first, _ in first.batch(count: 1).map { $0[0] }.eraseToAnyPublisher() }),
    ]

    /// What a closure reads that it could not capture when it was written.
    private final class Holder: @unchecked Sendable {
        var stream: (any Cancellable)?
        var subscription: (any Subscription)?
        var inside = 0
    }

    private final class Fixture: Sendable {
        let first = PassthroughSubject<Int, Never>()
        let second = PassthroughSubject<Int, Never>()
        let cancelled = Atomic(0)

        func values(_ apply: (Values, Values) -> Values) -> Values {
            apply(counted(first), counted(second))
        }

        private func counted(_ subject: PassthroughSubject<Int, Never>) -> Values {
            subject.handleEvents(receiveCancel: { self.cancelled.add(1, ordering: .relaxed) }).eraseToAnyPublisher()
        }
    }

    func test_cancelInsideADeliveryReachesUpstreamBeforeItReturns() {
        for (name, apply) in Self.operators {
            let fixture = Fixture()
            let holder = Holder()
            holder.stream = fixture.values(apply).sink { _ in
                holder.stream?.cancel()
                holder.inside = fixture.cancelled.load(ordering: .relaxed)
            }
            fixture.first.send(1)
            XCTAssertGreaterThan(holder.inside, 0, name)
            XCTAssertEqual(holder.inside, fixture.cancelled.load(ordering: .relaxed), "\(name): all of them at once")
        }
    }

    func test_cancelOnAnotherThreadReachesUpstreamDuringADelivery() {
        for (name, apply) in Self.operators {
            let fixture = Fixture()
            let isDelivering = Atomic(false)
            let isOver = Atomic(false)
            let held = Atomic(0)
            let stream = fixture.values(apply).sink { _ in
                isDelivering.store(true, ordering: .relaxed)
                while !isOver.load(ordering: .relaxed) { usleep(100) }
            }
            onThreads(2) { thread in
                if thread == 0 { return fixture.first.send(1) }
                while !isDelivering.load(ordering: .relaxed) { usleep(100) }
                stream.cancel()
                XCTAssertGreaterThan(fixture.cancelled.load(ordering: .relaxed), 0, name)
                // Nobody receives this: nothing is waited for.
                let begun = ContinuousClock.now
                for value in 0..<200 { fixture.second.send(value) }
                if ContinuousClock.now - begun > .milliseconds(100) { held.add(1, ordering: .relaxed) }
                isOver.store(true, ordering: .relaxed)
            }
            XCTAssertEqual(held.load(ordering: .relaxed), 0, "\(name): a sender waited for a cancelled stream")
        }
    }

    func test_anUpstreamThatIsBeingAttachedIsCancelledAsSoonAsItIs() {
        let holder = Holder()
        let late = Deferred {
            holder.subscription?.cancel()
            return PassthroughSubject<Int, Never>().handleEvents(receiveCancel: { holder.inside += 1 })
        }
        let outer = PassthroughSubject<Int, Never>()
        let subscriber = Canceller { holder.subscription = $0 }
        outer.flatMap { _ in late }.subscribe(subscriber)
        outer.send(1)
        XCTAssertEqual(holder.inside, 1)
    }

    private struct Canceller: Subscriber {
        let combineIdentifier = CombineIdentifier()
        let receiveSubscription: (any Subscription) -> Void

        init(_ receiveSubscription: @escaping (any Subscription) -> Void) {
            self.receiveSubscription = receiveSubscription
        }

        func receive(subscription: any Subscription) {
            receiveSubscription(subscription)
            subscription.request(.unlimited)
        }

        func receive(_ input: Int) -> Subscribers.Demand { .none }

        func receive(completion: Subscribers.Completion<Never>) {}
    }
}
