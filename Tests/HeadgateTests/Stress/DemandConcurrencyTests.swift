import Dispatch
import Headgate
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// Several threads ask and cancel at once.
///
/// Whoever brings demand where there is none delivers; the others add theirs.
final class DemandConcurrencyTests: XCTestCase {
    func test_whatTwoThreadsRequestIsDeliveredOneByOneAndCompletely() {
        let perThread = Scale.reduced(100_000)
        let counter = Counter(.none)
        (0...).publisher.map { $0 }.subscribe(counter)
        onThreads(2) { _ in
            for _ in 0..<perThread { counter.subscription?.request(.max(1)) }
        }
        XCTAssertEqual(counter.values, Array(0..<2 * perThread))
        XCTAssertFalse(counter.hasOverlapped)
        counter.subscription?.cancel()
    }

    func test_aCancellationFromAnotherThreadStopsAnEndlessDelivery() {
        for _ in 0..<Scale.reduced(1000) {
            let counter = Counter(.none)
            (0...).publisher.filter { _ in true }.prefix(1_000_000_000).subscribe(counter)
            let hasBegun = Atomic(false)
            counter.onValue = { hasBegun.store(true, ordering: .releasing) }
            onThreads(2) { thread in
                if thread == 0 {
                    counter.subscription?.request(.unlimited)
                } else {
                    while !hasBegun.load(ordering: .acquiring) {}
                    counter.subscription?.cancel()
                }
            }
            XCTAssertFalse(counter.hasOverlapped)
            XCTAssertFalse(counter.hasFinished)
        }
    }

    func test_pairsAreDeliveredOneByOneWhateverTheThreads() {
        let perSide = Scale.reduced(100_000)
        let left = PassthroughSubject<Int, Never>()
        let right = PassthroughSubject<Int, Never>()
        var pairs: [(Int, Int)] = []
        let sink = left.zip(right).sink { pairs.append($0) }
        onThreads(2) { thread in
            for number in 0..<perSide { (thread == 0 ? left : right).send(number) }
        }
        XCTAssertEqual(pairs.map(\.0), Array(0..<perSide))
        XCTAssertEqual(pairs.map(\.1), Array(0..<perSide))
        sink.cancel()
    }

    func test_whatFollowsInASuccessionMayDeliverOnAnotherThreadBeforeItHasBeenSubscribedTo() {
        let queue = DispatchQueue(label: "later publishers")
        for _ in 0..<Scale.reduced(2000) {
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            let later = (2...9).publisher.receive(on: queue)
            Just(1).append(later).append(later).subscribe(subscriber)
            waitUntil(timeout: 60_000) { subscriber.hasFinished }
            XCTAssertEqual(subscriber.values.count, 17)
        }
    }

    /// Takes numbers, and notes when a delivery begins inside another, whatever the thread.
    ///
    /// It makes no order between the threads, so that ThreadSanitizer sees only the order that the conduits make.
    private final class Counter: Subscriber {
        var values: [Int] = []
        var subscription: (any Subscription)?
        var hasFinished = false
        var hasOverlapped = false
        var onValue: () -> Void = {}
        private let isReceiving = Atomic(false)
        private let demand: Subscribers.Demand

        init(_ demand: Subscribers.Demand) { self.demand = demand }

        func receive(subscription: any Subscription) {
            self.subscription = subscription
            subscription.request(demand)
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            if isReceiving.exchange(true, ordering: .relaxed) { hasOverlapped = true }
            values.append(input)
            onValue()
            isReceiving.store(false, ordering: .relaxed)
            return .none
        }

        func receive(completion: Subscribers.Completion<Never>) { hasFinished = true }
    }
}
