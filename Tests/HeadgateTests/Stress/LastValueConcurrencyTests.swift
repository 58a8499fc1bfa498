import Dispatch
import Headgate
import Synchronization
import XCTest

/// A subscriber that counts what it hears, from any thread.
private final class Heard: Subscriber, Sendable {
    let values = Atomic(0)
    let completions = Atomic(0)

    // Written once, before the threads begin.
    private nonisolated(unsafe) var subscription: (any Subscription)?

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
        values.add(1, ordering: .releasing)
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) { completions.add(1, ordering: .releasing) }

    func request() { subscription?.request(.max(1)) }

    func cancel() { subscription?.cancel() }
}

final class LastValueConcurrencyTests: XCTestCase {
    func test_aFoldDeliversOnceWhenTheEndAndTheDemandMeetOnTwoThreads() {
        for _ in 0..<500 {
            let upstream = PassthroughSubject<Int, Never>()
            let heard = Heard()
            upstream.count().subscribe(heard)
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                if thread == 0 { upstream.send(completion: .finished) } else { heard.request() }
            }
            XCTAssertEqual(heard.values.load(ordering: .acquiring), 1)
            XCTAssertEqual(heard.completions.load(ordering: .acquiring), 1)
        }
    }

    func test_aTailDeliversOnceWhenTheEndAndTheDemandMeetOnTwoThreads() {
        for _ in 0..<500 {
            let upstream = PassthroughSubject<Int, Never>()
            let heard = Heard()
            upstream.replaceEmpty(with: 9).subscribe(heard)
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                if thread == 0 { upstream.send(completion: .finished) } else { heard.request() }
            }
            XCTAssertEqual(heard.values.load(ordering: .acquiring), 1)
            XCTAssertEqual(heard.completions.load(ordering: .acquiring), 1)
        }
    }

    func test_aFoldKeepsNothingWhenTheEndAndTheCancellationMeetOnTwoThreads() {
        for _ in 0..<500 {
            let upstream = PassthroughSubject<Int, Never>()
            weak var subscriber: Heard?
            do {
                let heard = Heard()
                subscriber = heard
                upstream.count().subscribe(heard)
                DispatchQueue.concurrentPerform(iterations: 2) { thread in
                    if thread == 0 { upstream.send(completion: .finished) } else { heard.cancel() }
                }
                XCTAssertEqual(heard.values.load(ordering: .acquiring), 0)
            }
            XCTAssertNil(subscriber)
        }
    }

    func test_aTailKeepsNothingWhenTheEndAndTheCancellationMeetOnTwoThreads() {
        for _ in 0..<500 {
            let upstream = PassthroughSubject<Int, Never>()
            weak var subscriber: Heard?
            do {
                let heard = Heard()
                subscriber = heard
                upstream.replaceEmpty(with: 9).subscribe(heard)
                DispatchQueue.concurrentPerform(iterations: 2) { thread in
                    if thread == 0 { upstream.send(completion: .finished) } else { heard.cancel() }
                }
                XCTAssertEqual(heard.values.load(ordering: .acquiring), 0)
            }
            XCTAssertNil(subscriber)
        }
    }

    func test_deliversOnceAtTheMostWhenTheEndTheDemandAndTheCancellationMeet() {
        func run<P: Publisher>(_ operate: (PassthroughSubject<Int, Never>) -> P)
        where P.Output == Int, P.Failure == Never {
            for _ in 0..<500 {
                let upstream = PassthroughSubject<Int, Never>()
                let heard = Heard()
                operate(upstream).subscribe(heard)
                DispatchQueue.concurrentPerform(iterations: 3) { thread in
                    switch thread {
                    case 0: upstream.send(completion: .finished)
                    case 1: heard.request()
                    default: heard.cancel()
                    }
                }
                XCTAssertLessThanOrEqual(heard.values.load(ordering: .acquiring), 1)
                XCTAssertLessThanOrEqual(
                    heard.completions.load(ordering: .acquiring), heard.values.load(ordering: .acquiring))
            }
        }
        run { $0.count() }
        run { $0.replaceEmpty(with: 9) }
    }
}
