import Headgate
import Synchronization
import TestSupport
import XCTest

/// The end, the demand and the cancellation meet where a last value waits.
final class LastValueConcurrencyTests: XCTestCase {
    private typealias Upstream = PassthroughSubject<Int, Never>

    private let operators: [(Upstream) -> AnyPublisher<Int, Never>] = [
        { $0.count().eraseToAnyPublisher() }, { $0.replaceEmpty(with: 0).eraseToAnyPublisher() },
    ]

    func test_deliversOnceWhenTheEndAndTheDemandMeetOnTwoThreads() {
        for operate in operators {
            for _ in 0..<500 {
                let upstream = Upstream()
                let received = Received()
                operate(upstream).subscribe(received)
                onThreads(2) { thread in
                    if thread == 0 { upstream.send(completion: .finished) } else { received.request() }
                }
                XCTAssertEqual(received.counts, [1, 1])
            }
        }
    }

    func test_keepsNothingWhenTheEndAndTheCancellationMeetOnTwoThreads() {
        for operate in operators {
            for _ in 0..<500 {
                let upstream = Upstream()
                weak var subscriber: Received?
                do {
                    let received = Received()
                    subscriber = received
                    operate(upstream).subscribe(received)
                    onThreads(2) { thread in
                        if thread == 0 { upstream.send(completion: .finished) } else { received.cancel() }
                    }
                    XCTAssertEqual(received.counts, [0, 0])
                }
                XCTAssertNil(subscriber)
            }
        }
    }

    func test_deliversOnceAtMostWhenTheEndTheDemandAndTheCancellationMeet() {
        for operate in operators {
            for _ in 0..<500 {
                let upstream = Upstream()
                let received = Received()
                operate(upstream).subscribe(received)
                onThreads(3) { thread in
                    switch thread {
                    case 0: upstream.send(completion: .finished)
                    case 1: received.request()
                    default: received.cancel()
                    }
                }
                XCTAssertTrue([[0, 0], [1, 0], [1, 1]].contains(received.counts), "\(received.counts)")
            }
        }
    }

    /// Counts what it hears.
    ///
    /// It makes no order between the threads, so that ThreadSanitizer sees only the order that the conduits make.
    private final class Received: Subscriber, Sendable {
        private let values = Atomic(0)
        private let completions = Atomic(0)

        // Written once, before the threads begin.
        private nonisolated(unsafe) var subscription: (any Subscription)?

        /// How many values, and how many completions.
        var counts: [Int] { [values.load(ordering: .relaxed), completions.load(ordering: .relaxed)] }

        func receive(subscription: any Subscription) { self.subscription = subscription }

        func receive(_ input: Int) -> Subscribers.Demand {
            values.add(1, ordering: .relaxed)
            return .none
        }

        func receive(completion: Subscribers.Completion<Never>) { completions.add(1, ordering: .relaxed) }

        func request() { subscription?.request(.max(1)) }

        func cancel() { subscription?.cancel() }
    }
}
