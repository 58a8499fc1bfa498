import Dispatch
import HeadgateCombine
import HeadgateEngine
import Synchronization
import TestSupport
import XCTest

/// Notes values that come in the wrong order, at the same time, or unasked for.
private final class Judge: Subscriber, @unchecked Sendable {
    typealias Input = Int
    typealias Failure = Never

    let breaches = Atomic(0)
    let received = Atomic(0)
    let requested = Atomic(0)
    let end = DispatchSemaphore(value: 0)
    private let isBusy = Atomic(false)
    private let last = Atomic(-1)
    nonisolated(unsafe) private(set) var subscription: (any Subscription)?

    func request(_ count: Int) {
        requested.add(count, ordering: .sequentiallyConsistent)
        subscription?.request(.max(count))
    }

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
        let isAlone = !isBusy.exchange(true, ordering: .acquiringAndReleasing)
        let isInOrder = last.exchange(input, ordering: .relaxed) < input
        let count = received.add(1, ordering: .sequentiallyConsistent).newValue
        let isWanted = count <= requested.load(ordering: .sequentiallyConsistent)
        if !isAlone || !isInOrder || !isWanted { breaches.add(1, ordering: .relaxed) }
        isBusy.store(false, ordering: .releasing)
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
        if isBusy.load(ordering: .acquiring) { breaches.add(1, ordering: .relaxed) }
        end.signal()
    }
}

final class ScheduledConduitConcurrencyTests: XCTestCase {
    private let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)

    private func operators(_ subject: PassthroughSubject<Int, Never>) -> [AnyPublisher<Int, Never>] {
        [
            subject.receive(on: queue).eraseToAnyPublisher(),
            subject.delay(for: .microseconds(20), scheduler: queue).eraseToAnyPublisher(),
            subject.debounce(for: .microseconds(20), scheduler: queue).eraseToAnyPublisher(),
            subject.throttle(for: .microseconds(20), scheduler: queue, latest: true).eraseToAnyPublisher(),
            subject.timeout(.seconds(1000), scheduler: queue).eraseToAnyPublisher(),
            subject.collect(.byTimeOrCount(queue, .microseconds(20), 3)).map { $0[0] }.eraseToAnyPublisher(),
        ]
    }

    func test_deliversInOrderOneAtATimeAndOnlyWhatIsRequestedAndThenFinishes() {
        for index in 0..<6 {
            for _ in 0..<5 {
                let subject = PassthroughSubject<Int, Never>()
                let judge = Judge()
                operators(subject)[index].subscribe(judge)
                onThreads(3) { thread in
                    if thread == 0 {
                        for value in 0..<500 { subject.send(value) }
                    } else {
                        for _ in 0..<500 { judge.request(1) }
                    }
                }
                subject.send(completion: .finished)
                XCTAssertEqual(judge.end.wait(timeout: .now() + 60), .success, "operator \(index)")
                XCTAssertEqual(judge.breaches.load(ordering: .relaxed), 0, "operator \(index)")
            }
        }
    }

    func test_releasesEverythingWhenCancelledFromAnotherThread() {
        let living = Tracked.count
        for index in 0..<6 {
            for _ in 0..<5 {
                let subject = PassthroughSubject<Int, Never>()
                let tracked = Tracked()
                let cancellable = operators(subject)[index].sink { _ in _ = tracked }
                onThreads(2) { thread in
                    if thread == 0 {
                        for value in 0..<100 { subject.send(value) }
                    } else {
                        cancellable.cancel()
                    }
                }
            }
        }
        // A delivery that was under way may hold on to its subscriber until it returns, and so may the alarm of a moment.
        queue.sync(flags: .barrier) {}
        XCTAssertEqual(Tracked.count, living)
    }
}
