import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

/// Structures and enumerations that conform to `Subscription`, as clients have them.
final class StructureSubscriptionTests: XCTestCase {
    private struct Wrapped: Subscription {
        let inner: any Subscription
        let note: (String) -> Void

        var combineIdentifier: CombineIdentifier { inner.combineIdentifier }

        func request(_ demand: Subscribers.Demand) {
            note("request \(demand)")
            inner.request(demand)
        }

        func cancel() {
            note("cancel")
            inner.cancel()
        }
    }

    private enum Nothing: Subscription {
        case nothing

        var combineIdentifier: CombineIdentifier { CombineIdentifier() }
        func request(_ demand: Subscribers.Demand) {}
        func cancel() {}
    }

    private struct Wrapping<Upstream: Publisher>: Publisher {
        typealias Output = Upstream.Output
        typealias Failure = Upstream.Failure

        let upstream: Upstream
        let note: (String) -> Void

        func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.subscribe(
                AnySubscriber(
                    receiveSubscription: { subscriber.receive(subscription: Wrapped(inner: $0, note: note)) },
                    receiveValue: { subscriber.receive($0) }, receiveCompletion: { subscriber.receive(completion: $0) })
            )
        }
    }

    func test_aStructureServesASinkAndEveryKindOfConduit() {
        var notes: [String] = []
        let numbers = Wrapping(upstream: (1...4).publisher) { notes.append($0) }
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        numbers.map { $0 * 2 }.prefix(2).zip(numbers.dropFirst()).map { $0 + $1 }
            .merge(with: numbers.buffer(size: 9, prefetch: .keepFull, whenFull: .dropNewest))
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values.sorted(), [1, 2, 3, 4, 4, 7])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertFalse(notes.isEmpty)
    }

    func test_cancelReachesAStructureOnce() {
        var notes: [String] = []
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = Wrapping(upstream: subject) { notes.append($0) }.map { $0 }.sink { _ in }
        cancellable.cancel()
        cancellable.cancel()
        XCTAssertEqual(notes, ["request unlimited", "cancel"])
    }

    func test_aSubjectTakesAnEnumerationIn() {
        let subject = PassthroughSubject<Int, Never>()
        subject.send(subscription: Nothing.nothing)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(subscriber)
        subject.send(1)
        XCTAssertEqual(subscriber.values, [1])
    }
}
