import Dispatch
import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// Publishers that are right, and deliver on threads of their own, raise no alarm, and no test sleeps to wait for them.
final class NoAlarmConcurrencyTests: XCTestCase {
    private let effort = Effort(depth: 3, systematicScripts: 80, randomScripts: 10)
    private let stressEffort = StressEffort(rounds: 12)

    private func assertConforming(_ report: Verification, file: StaticString = #filePath, line: UInt = #line) {
        report.check(file: file, line: line) { XCTFail($0, file: $1, line: $2) }
    }

    func test_aPublisherOnAQueueOfItsOwnNeedsNoSettling() {
        let queue = DispatchQueue(label: "values")
        let report = verify(
            publisher: (1...30).publisher.receive(on: queue), [.finite, .asynchronous, .holdsSubscribers],
            effort: effort)
        assertConforming(report)
        XCTAssertEqual(report[.flatStack], .held)
        XCTAssertEqual(report[.demandAddsUp], .held)
    }

    /// The stacks of new threads lie wherever there is room, often each below the one before.
    func test_aPublisherThatUsesANewThreadForEveryValueIsFlat() {
        let report = verify(publisher: EveryValueOnANewThread(), [.finite, .asynchronous], effort: effort)
        assertConforming(report)
        XCTAssertEqual(report[.flatStack], .held)
    }

    func test_stressNeedsNoSettlingForAPublisherOnAQueue() {
        let queue = DispatchQueue(label: "values")
        let publisher = (1...40).publisher.receive(on: queue)
        assertConforming(stress(publisher: publisher, [.finite, .asynchronous], effort: stressEffort))
    }

    func test_stressBearsASettlingTimeThatIsTooShort() {
        let queue = DispatchQueue(label: "values")
        assertConforming(
            stress(
                operator: { upstream, _ in upstream.receive(on: queue) }, .endsWithUpstream, effort: stressEffort,
                settle: { usleep(1) }))
    }

    /// Delivers on one thread at a time, and every value on a new one.
    private final class EveryValueOnANewThread: Publisher {
        typealias Output = Int
        typealias Failure = VerificationFailure

        func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == VerificationFailure {
            subscriber.receive(subscription: Inner(AnySubscriber(subscriber)))
        }

        private final class Inner: Subscription, @unchecked Sendable {
            // All state is behind the lock, and the subscriber is called outside it.

            private let lock = NSLock()
            private var downstream: ClosurePublisher.Visitor?
            private var outstanding = Subscribers.Demand.none
            private var next = 1
            private var isServing = false

            init(_ downstream: ClosurePublisher.Visitor) { self.downstream = downstream }

            func cancel() { _ = lock.withLock { downstream.take() } }

            func request(_ demand: Subscribers.Demand) {
                let isMine = lock.withLock {
                    outstanding += demand
                    if isServing || outstanding == .none || downstream == nil { return false }
                    isServing = true
                    return true
                }
                if isMine { hop() }
            }

            private func hop() { Thread.detachNewThread { self.serve() } }

            private func serve() {
                let work = lock.withLock { () -> (Int, ClosurePublisher.Visitor)? in
                    guard outstanding > .none, next <= 30, let downstream else {
                        isServing = false
                        return nil
                    }
                    outstanding -= 1
                    next += 1
                    return (next - 1, downstream)
                }
                guard let (value, visitor) = work else { return }
                let more = visitor.receive(value)
                let isOver = lock.withLock {
                    outstanding += more
                    return next > 30
                }
                if isOver { return lock.withLock { downstream.take() }?.receive(completion: .finished) ?? () }
                hop()
            }
        }
    }
}
