import Foundation
import Headgate
import Synchronization
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
        nonisolated(unsafe) var sender: Thread?
        nonisolated(unsafe) var delivered = 0
        nonisolated(unsafe) var elsewhere = 0
        nonisolated(unsafe) var late = 0
        let sink = subject.sink { _ in
            delivered += 1
            if Thread.current !== sender { elsewhere += 1 }
        }
        let isOver = Atomic(false)
        onThreads(3) { number in
            if number == 0 {
                sender = Thread.current
                for value in 1...Self.sends {
                    subject.send(value)
                    if delivered != value { late += 1 }
                }
                isOver.store(true, ordering: .releasing)
            } else {
                while !isOver.load(ordering: .acquiring) { subject.sink { _ in }.cancel() }
            }
        }
        XCTAssertEqual(delivered, Self.sends)
        XCTAssertLessThan(elsewhere, Self.sends / 100, "a thread that subscribes and cancels delivers nothing")
        XCTAssertLessThan(late, Self.sends / 100)
        sink.cancel()
    }

    func test_aSinkHasItsFirstValueWhenItHasBeenMadeWhileAnotherThreadSends() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let isOver = Atomic(false)
        nonisolated(unsafe) var without = 0
        onThreads(2) { number in
            if number == 0 {
                while !isOver.load(ordering: .acquiring) { subject.send(1) }
            } else {
                for _ in 0..<1000 {
                    let count = Atomic(0)
                    subject.sink { _ in count.add(1, ordering: .relaxed) }.cancel()
                    if count.load(ordering: .relaxed) == 0 { without += 1 }
                }
                isOver.store(true, ordering: .releasing)
            }
        }
        XCTAssertLessThan(without, 50)
    }

    func test_mergedValuesAreDeliveredByTheirSenders() {
        let subjects = (0..<2).map { _ in PassthroughSubject<Int, Never>() }
        nonisolated(unsafe) var threads: [Thread?] = [nil, nil]
        nonisolated(unsafe) var elsewhere = 0
        nonisolated(unsafe) var delivered = 0
        let sink = subjects[0].map { _ in 0 }.merge(with: subjects[1].map { _ in 1 })
            .sink { index in
                delivered += 1
                if Thread.current !== threads[index] { elsewhere += 1 }
            }
        let ready = Atomic(0)
        onThreads(2) { number in
            threads[number] = Thread.current
            ready.add(1, ordering: .acquiringAndReleasing)
            while ready.load(ordering: .acquiring) < 2 { sched_yield() }
            for value in 0..<Self.sends { subjects[number].send(value) }
        }
        XCTAssertEqual(delivered, 2 * Self.sends)
        XCTAssertLessThan(elsewhere, Self.sends / 5)
        sink.cancel()
    }

    func test_finiteDemandLosesNoValuesOfThreadsThatMeetInAMerge() {
        let subjects = (0..<2).map { _ in PassthroughSubject<Int, Never>() }
        let recorder = Recorder<Int, Never>(demand: .max(10 * Self.sends))
        subjects[0].merge(with: subjects[1]).subscribe(recorder)
        onThreads(2) { number in
            for value in 0..<Self.sends { subjects[number].send(value) }
        }
        XCTAssertEqual(recorder.values.count, 2 * Self.sends)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_aSinkThatWaitsForAThreadThatSendsToItGoesOn() {
        let subject = PassthroughSubject<Int, Never>()
        let isInside = DispatchSemaphore(value: 0)
        let hasSent = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var values: [Int] = []
        let sink = subject.sink { value in
            values.append(value)
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
        XCTAssertEqual(values, [1, 2])
        sink.cancel()
    }
}
