import Headgate
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

@testable import conformance

/// The rules of the contract, run over every operator of the catalogue while two threads meet in it: one sends, the other
/// asks, moves the clock on and cancels.
final class CatalogueConcurrencyTests: XCTestCase {
    /// A subscriber whose values may come from any thread, one at a time.
    private final class Listener: Subscriber {
        let requested = Atomic(0)
        let received = Atomic(0)
        let isBusy = Atomic(false)
        let isOver = Atomic(false)
        let overlaps = Atomic(0)
        let excesses = Atomic(0)
        let late = Atomic(0)
        let subscription = Atomic<UInt>(0)
        // Plain, so that ThreadSanitizer sees whether deliveries are ordered.
        var plainCount = 0

        func receive(subscription: any Subscription) {
            let box = Unmanaged.passRetained(Box(subscription))
            self.subscription.store(UInt(bitPattern: box.toOpaque()), ordering: .releasing)
        }

        func withSubscription(_ body: (any Subscription) -> Void) {
            let address = subscription.load(ordering: .acquiring)
            guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
            body(Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue().subscription)
        }

        func forget() {
            let address = subscription.exchange(0, ordering: .acquiringAndReleasing)
            guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
            Unmanaged<Box>.fromOpaque(pointer).release()
        }

        func request(_ count: Int) {
            withSubscription {
                requested.add(count, ordering: .acquiringAndReleasing)
                $0.request(.max(count))
            }
        }

        func receive(_ input: String) -> Subscribers.Demand {
            if isBusy.exchange(true, ordering: .relaxed) { overlaps.add(1, ordering: .relaxed) }
            if isOver.load(ordering: .relaxed) { late.add(1, ordering: .relaxed) }
            plainCount += 1
            let count = received.add(1, ordering: .acquiringAndReleasing).newValue
            if count > requested.load(ordering: .acquiring) { excesses.add(1, ordering: .relaxed) }
            let more = count.isMultiple(of: 3) ? 1 : 0
            requested.add(more, ordering: .acquiringAndReleasing)
            isBusy.store(false, ordering: .relaxed)
            return .max(more)
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            if isBusy.load(ordering: .relaxed) { overlaps.add(1, ordering: .relaxed) }
            if isOver.exchange(true, ordering: .relaxed) { late.add(1, ordering: .relaxed) }
            plainCount += 1
        }
    }

    private final class Box {
        let subscription: any Subscription
        init(_ subscription: any Subscription) { self.subscription = subscription }
    }

    private enum Ending: CaseIterable { case none, cancel, finish, failure }

    private func meet(_ name: String, _ operation: Candidate.Operation, _ ending: Ending) {
        let source = PassthroughSubject<Int, VerificationFailure>()
        let scheduler = TestScheduler()
        let listener = Listener()
        operation.apply(source.eraseToAnyPublisher(), scheduler).subscribe(listener)
        scheduler.runDue()
        listener.request(1)
        onThreads(2) { thread in
            for number in 0..<Scale.reduced(2000) {
                if thread == 0 {
                    source.send(number % 7)
                } else {
                    listener.request(number % 3)
                    scheduler.advance(by: .milliseconds(400))
                }
            }
            switch (thread, ending) {
            case (1, .cancel): listener.withSubscription { $0.cancel() }
            case (0, .finish): source.send(completion: .finished)
            case (0, .failure): source.send(completion: .failure(.upstreamFailed))
            default: break
            }
        }
        listener.withSubscription { $0.cancel() }
        // What two threads have done is over, so nothing may come now.
        let count = listener.plainCount
        source.send(1)
        source.send(completion: .finished)
        listener.request(5)
        scheduler.runUntilIdle()
        let note = "\(name), \(ending)"
        XCTAssertEqual(listener.plainCount, count, "\(note): something behind the end")
        XCTAssertEqual(listener.overlaps.load(ordering: .relaxed), 0, "\(note): overlapping deliveries")
        XCTAssertEqual(listener.excesses.load(ordering: .relaxed), 0, "\(note): more than was asked for")
        XCTAssertEqual(listener.late.load(ordering: .relaxed), 0, "\(note): something behind the completion")
        listener.forget()
    }

    func test_deliversOneByOneWhatWasAskedForWhileTwoThreadsMeet() {
        for (name, operation) in Candidate.operations {
            for ending in Ending.allCases { meet(name, operation, ending) }
        }
    }
}
