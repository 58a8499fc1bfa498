import Foundation
import Headgate
import HeadgateCore
import Synchronization
import HeadgateTesting
import TestSupport
import XCTest

/// Rules 3.6 and 3.7: who delivers a value, and when, where several threads send, subscribe and cancel.
///
/// A thread that the machine puts to rest for longer than the bound while it delivers makes the others leave their values,
/// as rule 3.6 says. So what is counted here may be a few short of everything on a loaded machine, and is nearly nothing
/// where the rule is broken.
final class TurnsConcurrencyTests: XCTestCase {
    private static let sends = 20_000

    func test_aValueIsDeliveredByItsSenderBeforeSendReturnsThoughOthersSubscribeAndCancel() {
        let subject = PassthroughSubject<Int, Never>()
        // A value that was left after the bound is delivered while its sender goes on: hence atomics.
        let sender = Atomic<UInt>(0)
        let delivered = Atomic(0)
        let elsewhere = Atomic(0)
        let late = Atomic(0)
        let sink = subject.sink { _ in
            delivered.add(1, ordering: .relaxed)
            if Self.thread != sender.load(ordering: .relaxed) { elsewhere.add(1, ordering: .relaxed) }
        }
        let isOver = Atomic(false)
        onThreads(3) { number in
            if number == 0 {
                sender.store(Self.thread, ordering: .relaxed)
                for value in 1...Self.sends {
                    subject.send(value)
                    if delivered.load(ordering: .relaxed) != value { late.add(1, ordering: .relaxed) }
                }
                isOver.store(true, ordering: .releasing)
            } else {
                while !isOver.load(ordering: .acquiring) { subject.sink { _ in }.cancel() }
            }
        }
        XCTAssertEqual(delivered.load(ordering: .relaxed), Self.sends)
        XCTAssertLessThan(
            elsewhere.load(ordering: .relaxed), Self.sends / 50, "a thread that subscribes and cancels delivers nothing"
        )
        XCTAssertLessThan(late.load(ordering: .relaxed), Self.sends / 50)
        sink.cancel()
    }

    private static var thread: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue) }

    func test_aSinkHasItsFirstValueWhenItHasBeenMadeWhileAnotherThreadSends() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let isOver = Atomic(false)
        let without = Atomic(0)
        onThreads(2) { number in
            if number == 0 {
                while !isOver.load(ordering: .acquiring) { subject.send(1) }
            } else {
                for _ in 0..<1000 {
                    let count = Atomic(0)
                    subject.sink { _ in count.add(1, ordering: .relaxed) }.cancel()
                    if count.load(ordering: .relaxed) == 0 { without.add(1, ordering: .relaxed) }
                }
                isOver.store(true, ordering: .releasing)
            }
        }
        XCTAssertLessThan(without.load(ordering: .relaxed), 50)
    }

    func test_mergedValuesAreDeliveredByTheirSenders() {
        let subjects = (0..<2).map { _ in PassthroughSubject<UInt, Never>() }
        let elsewhere = Atomic(0)
        let delivered = Atomic(0)
        let sink = subjects[0].merge(with: subjects[1]).sink { sender in
            delivered.add(1, ordering: .relaxed)
            if Self.thread != sender { elsewhere.add(1, ordering: .relaxed) }
        }
        let ready = Atomic(0)
        onThreads(2) { number in
            let sender = Self.thread
            ready.add(1, ordering: .acquiringAndReleasing)
            while ready.load(ordering: .acquiring) < 2 { sched_yield() }
            for _ in 0..<Self.sends { subjects[number].send(sender) }
        }
        XCTAssertEqual(delivered.load(ordering: .relaxed), 2 * Self.sends)
        XCTAssertLessThan(elsewhere.load(ordering: .relaxed), Self.sends / 5)
        sink.cancel()
    }

    func test_finiteDemandLosesNoValuesOfThreadsThatMeetInAMerge() {
        let subjects = (0..<2).map { _ in PassthroughSubject<Int, Never>() }
        let subscriber = TestSubscriber<Int, Never>.checked(.first(10 * Self.sends))
        subjects[0].merge(with: subjects[1]).subscribe(subscriber)
        onThreads(2) { number in
            for value in 0..<Self.sends { subjects[number].send(value) }
        }
        XCTAssertEqual(subscriber.values.count, 2 * Self.sends)
    }

    func test_aSinkThatWaitsForAThreadThatSendsToItGoesOn() {
        let subject = PassthroughSubject<Int, Never>()
        let isInside = DispatchSemaphore(value: 0)
        let hasSent = DispatchSemaphore(value: 0)
        let values = Guarded<[Int]>([])
        let sink = subject.sink { value in
            values.withLock { $0.append(value) }
            if value == 1 {
                isInside.signal()
                hasSent.wait()
            }
        }
        onThreads(2) { number in
            if number == 0 { return subject.send(1) }
            isInside.wait()
            // The owner waits for this thread: it leaves its value after the bound.
            subject.send(2)
            hasSent.signal()
        }
        XCTAssertEqual(values.withLock { $0 }, [1, 2])
        sink.cancel()
    }
}
