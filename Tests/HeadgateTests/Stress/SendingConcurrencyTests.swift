import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// Several threads send into the same subjects.
///
/// They meet there, and nothing overlaps, is lost or changes its order.
final class SendingConcurrencyTests: XCTestCase {
    private struct Message: Hashable {
        let thread: Int
        let number: Int
    }

    func test_twoSubjectsThatSendIntoEachOtherFromTwoThreadsNeitherBlockNorLose() {
        let sends = Scale.reduced(200_000)
        let left = PassthroughSubject<Int, Never>()
        let right = PassthroughSubject<Int, Never>()
        var receivedLeft = 0
        var receivedRight = 0
        let sinks = [
            left.sink { hops in
                receivedLeft += 1
                if hops > 0 { right.send(hops - 1) }
            },
            right.sink { hops in
                receivedRight += 1
                if hops > 0 { left.send(hops - 1) }
            },
        ]
        onThreads(2) { thread in
            for _ in 0..<sends / 4 { (thread == 0 ? left : right).send(1) }
        }
        XCTAssertEqual(receivedLeft, sends / 2)
        XCTAssertEqual(receivedRight, sends / 2)
        for sink in sinks { sink.cancel() }
    }

    func test_whatTwoThreadsSendIsDeliveredOneByOneAndCompletely() {
        let perThread = Scale.reduced(100_000)
        let subject = PassthroughSubject<Message, Never>()
        let subscriber = TestSubscriber<Message, Never>.checked(.unlimited)
        subject.subscribe(subscriber)
        onThreads(2) { thread in
            for number in 0..<perThread { subject.send(Message(thread: thread, number: number)) }
        }
        let values = subscriber.values
        XCTAssertEqual(values.count, 2 * perThread)
        for thread in 0..<2 {
            XCTAssertEqual(values.filter { $0.thread == thread }.map(\.number), Array(0..<perThread))
        }
    }

    func test_sixteenSinksSeeOneOrderAndAreServedInTurn() {
        let perThread = Scale.reduced(10_000)
        let subject = PassthroughSubject<Message, Never>()
        var received: [[Message]] = Array(repeating: [], count: 16)
        var turns: [Int] = []
        let sinks = (0..<16).map { index in
            subject.sink { message in
                received[index].append(message)
                turns.append(index)
            }
        }
        onThreads(2) { thread in
            for number in 0..<perThread { subject.send(Message(thread: thread, number: number)) }
        }
        XCTAssertEqual(received[0].count, 2 * perThread)
        XCTAssertTrue(received.allSatisfy { $0 == received[0] })
        XCTAssertTrue(turns.enumerated().allSatisfy { $0.element == $0.offset % 16 })
        for sink in sinks { sink.cancel() }
    }

    func test_subscribersMayComeAndGoWhileOthersSend() {
        let rounds = Scale.reduced(20_000)
        let subject = PassthroughSubject<Int, Never>()
        let steady = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(steady)
        onThreads(3) { thread in
            for round in 0..<rounds {
                if thread == 0 {
                    subject.send(round)
                } else {
                    subject.map { $0 }.prefix(2).sink { _ in }.cancel()
                }
            }
        }
        XCTAssertEqual(steady.values, Array(0..<rounds))
    }

    func test_theEndComesOnceWhenSeveralThreadsSendIt() {
        for _ in 0..<Scale.reduced(1000) {
            let subject = PassthroughSubject<Int, TestFailure>()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            subject.prefix(3).subscribe(subscriber)
            onThreads(2) { thread in
                subject.send(thread)
                subject.send(completion: thread == 0 ? .finished : .failure(.first))
            }
            XCTAssertNotNil(subscriber.completion)
        }
    }
}
