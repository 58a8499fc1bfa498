import Glibc
import Headgate
import HeadgateCore
import HeadgateFlow
import Synchronization
import TestSupport
import XCTest

@testable import HeadgateCombine
@testable import HeadgateEngine

/// A sender inside a delivery doesn't wait, so what it sends is performed by whoever owns the drain: not for ever.
final class OverdueOwnerConcurrencyTests: XCTestCase {
    /// A thread that sends from inside a delivery until another has come back from its own call.
    private final class Sending {
        static let limit = 2000

        let sent = Atomic(0)
        let isBack = Atomic(false)

        func goOn(_ send: @escaping () -> Void) {
            let outer = PassthroughSubject<Int, Never>()
            let sending = outer.sink { _ in
                while !self.isBack.load(ordering: .acquiring), self.sent.load(ordering: .relaxed) < Self.limit {
                    send()
                    self.sent.add(1, ordering: .releasing)
                    usleep(500)
                }
            }
            outer.send(0)
            sending.cancel()
        }
    }

    private final class Stream {
        let drain = Drain()
        let performed = Atomic(0)
        let isOwned = Atomic(false)

        /// Sends as a subject does; each delivery takes a millisecond.
        func send() {
            if drain.enter() || drain.waitForTurn() {
                deliver()
                drain.leave()
            } else {
                drain.postpone { self.deliver() }
            }
        }

        private func deliver() {
            usleep(1000)
            performed.add(1, ordering: .relaxed)
        }
    }

    /// What one thread brings to a stream as its owner, while another sends from inside a delivery, twice as fast as the stream
    /// delivers.
    ///
    /// - Returns: How much was sent before the owner came back, of at most `Sending.limit`.
    private func sentUntilBack(_ stream: Stream) -> Int {
        let sending = Sending()
        onThreads(2) { thread in
            if thread == 0 {
                XCTAssertTrue(stream.drain.enter())
                stream.isOwned.store(true, ordering: .releasing)
                while sending.sent.load(ordering: .acquiring) == 0 { usleep(100) }
                stream.drain.leave()
                sending.isBack.store(true, ordering: .releasing)
            } else {
                while !stream.isOwned.load(ordering: .acquiring) { usleep(100) }
                sending.goOn { Drain.send { stream.send() } }
            }
        }
        let sent = sending.sent.load(ordering: .relaxed)
        XCTAssertEqual(stream.performed.load(ordering: .relaxed), sent)
        return sent
    }

    func test_anOwnerComesBackWhileAnotherThreadGoesOnSendingFromInsideADelivery() {
        XCTAssertLessThan(sentUntilBack(Stream()), Sending.limit)
    }

    func test_aSubscriberComesBackWhileAnotherThreadGoesOnSendingFromInsideADelivery() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let sending = Sending()
        let received = Atomic(0)
        let first = subject.sink { _ in
            usleep(1000)
            received.add(1, ordering: .relaxed)
        }
        onThreads(2) { thread in
            if thread == 0 {
                let second =
                    subject
                    // Until the other thread has sent what this one is left with.
                    .handleEvents(receiveSubscription: { _ in
                        sending.sent.add(1, ordering: .releasing)
                        while sending.sent.load(ordering: .acquiring) < 3 { usleep(100) }
                    })
                    .sink { _ in }
                sending.isBack.store(true, ordering: .releasing)
                second.cancel()
            } else {
                while sending.sent.load(ordering: .acquiring) == 0 { usleep(100) }
                sending.goOn { subject.send(1) }
            }
        }
        XCTAssertLessThan(sending.sent.load(ordering: .relaxed), Sending.limit)
        // The first of those counted was the subscription, and the subject had a value.
        XCTAssertEqual(received.load(ordering: .relaxed), sending.sent.load(ordering: .relaxed))
        withExtendedLifetime(first) {}
    }

    /// One thread sends a value, and meanwhile others go on sending from inside a delivery, faster than the sink.
    private func checkTheSenderComesBack(
        _ name: String, sending first: @escaping () -> Void, and second: @escaping () -> Void, others: Int = 1,
        to stream: some Publisher<Int, Never>, line: UInt = #line
    ) {
        let sending = Sending()
        let received = Atomic(0)
        let sink = stream.sink { _ in
            if received.add(1, ordering: .relaxed).oldValue == 0 {
                while sending.sent.load(ordering: .acquiring) == 0 { usleep(100) }
            }
            usleep(1000)
        }
        onThreads(1 + others) { thread in
            if thread == 0 {
                first()
                return sending.isBack.store(true, ordering: .releasing)
            }
            while received.load(ordering: .relaxed) == 0 { usleep(100) }
            sending.goOn(second)
        }
        XCTAssertLessThan(sending.sent.load(ordering: .relaxed), Sending.limit, name, line: line)
        XCTAssertEqual(received.load(ordering: .relaxed), 1 + sending.sent.load(ordering: .relaxed), name, line: line)
        sink.cancel()
    }

    func test_aSenderComesBackFromWhateverJoinsOrSharesStreams() {
        let subject = PassthroughSubject<Int, Never>()
        let other = PassthroughSubject<Int, Never>()
        func check(_ name: String, _ stream: some Publisher<Int, Never>, both: Bool = false) {
            checkTheSenderComesBack(
                name, sending: { subject.send(1) }, and: { (both ? subject : other).send(2) }, to: stream)
        }
        check("merge", subject.merge(with: other))
        check("flatMap", [subject, other].publisher.flatMap { $0 })
        check("combineLatest", subject.prepend(0).combineLatest(other.prepend(0)) { $0 + $1 }.dropFirst())
        check("share", subject.merge(with: other).share())
        check("subject", subject, both: true)
        let replay = ReplaySubject<Int, Never>(bufferSize: 1)
        checkTheSenderComesBack("replay", sending: { replay.send(1) }, and: { replay.send(2) }, to: replay)
        check("share(replay:)", subject.share(replay: 1), both: true)
        check("buffer", subject.buffer(size: 4000, prefetch: .keepFull, whenFull: .dropOldest), both: true)
    }

    func test_aSenderComesBackFromThreeThatSendFromInsideDeliveries() {
        let subject = PassthroughSubject<Int, Never>()
        checkTheSenderComesBack(
            "three", sending: { subject.send(1) }, and: { subject.send(2) }, others: 3, to: subject)
    }

    func test_aSenderOfAnEmitterComesBackWhileOthersGoOnSending() {
        let emitter = Guarded<Emitter<Int, Never>?>(nil)
        let stream = Publishers.emitter(Int.self, buffering: .unbounded) { new in
            emitter.withLock { $0 = new }
        }
        func send(_ value: Int) { emitter.withLock { $0 }?.send(value) }
        // What a subject sends from inside a delivery waits for nobody.
        let relay = PassthroughSubject<Int, Never>()
        let relaying = relay.sink { send($0) }
        checkTheSenderComesBack("one", sending: { send(1) }, and: { relay.send(2) }, to: stream)
        checkTheSenderComesBack("three", sending: { send(1) }, and: { send(2) }, others: 3, to: stream)
        relaying.cancel()
    }

    func test_aStageCountsWhatSendersThatWaitHaveSent() {
        let flow = Flow("overdue")
        let subject = PassthroughSubject<Int, Never>()
        let received = Atomic(0)
        checkTheSenderComesBack(
            "stage", sending: { subject.send(1) }, and: { subject.send(2) },
            to: subject.stage("in", in: flow).map { value in
                received.add(1, ordering: .relaxed)
                return value
            }
            .stage("out", in: flow))
        let count = received.load(ordering: .relaxed)
        XCTAssertEqual(flow.snapshot.stages.map(\.values), [count, count])
    }

    /// The sender that the owner has come to wait for waits for the owner: until the wait ends with its bound.
    func test_aSinkThatWaitsForASenderFromInsideADeliveryGoesOn() {
        let subject = PassthroughSubject<Int, Never>()
        let sending = Sending()
        let received = Atomic(0)
        let sink = subject.sink { _ in
            let number = received.add(1, ordering: .relaxed).newValue
            if number == 1 {
                while sending.sent.load(ordering: .acquiring) == 0 { usleep(100) }
            } else if number > 3 {
                // Until the other thread has come back from one more call, for which it waits once the owner is overdue.
                let before = sending.sent.load(ordering: .acquiring)
                while sending.sent.load(ordering: .acquiring) == before, !sending.isBack.load(ordering: .relaxed) {
                    usleep(100)
                }
            }
            usleep(1000)
        }
        onThreads(2) { thread in
            if thread == 0 {
                subject.send(1)
                return sending.isBack.store(true, ordering: .releasing)
            }
            while received.load(ordering: .relaxed) == 0 { usleep(100) }
            sending.goOn { subject.send(2) }
        }
        XCTAssertLessThan(sending.sent.load(ordering: .relaxed), Sending.limit)
        XCTAssertEqual(received.load(ordering: .relaxed), 1 + sending.sent.load(ordering: .relaxed))
        sink.cancel()
    }
}
