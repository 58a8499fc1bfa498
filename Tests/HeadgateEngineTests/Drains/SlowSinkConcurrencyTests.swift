import Glibc
import HeadgateCombine
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

@testable import Headgate
@testable import HeadgateEngine

/// Senders that together are faster than a sink are slowed to its pace.
final class SlowSinkConcurrencyTests: XCTestCase {
    /// Four threads send to a sink that takes a millisecond for each value.
    ///
    /// - Returns: How many values had been sent and not been received, at most.
    private func longestLag(_ stream: some Publisher<Int, Never>, _ send: @escaping (Int) -> Void) -> Int {
        let count = 100
        let sent = Atomic(0)
        let received = Atomic(0)
        let longest = Atomic(0)
        let sink = stream.sink { _ in
            usleep(1000)
            received.add(1, ordering: .relaxed)
        }
        onThreads(4) { _ in
            for value in 0..<count {
                send(value)
                let lag = sent.add(1, ordering: .relaxed).newValue - received.load(ordering: .relaxed)
                longest.max(lag, ordering: .relaxed)
            }
        }
        XCTAssertTrue(waitUntil(timeout: 60_000) { received.load(ordering: .relaxed) == 4 * count })
        sink.cancel()
        return longest.load(ordering: .relaxed)
    }

    func test_whateverIsSentToByManyThreadsSlowsThem() {
        let subject = PassthroughSubject<Int, Never>()
        func check(_ name: String, _ stream: some Publisher<Int, Never>, line: UInt = #line) {
            XCTAssertLessThan(longestLag(stream) { subject.send($0) }, 100, name, line: line)
        }
        check("subject", subject)
        check("share", subject.share())
        check("share(replay:)", subject.share(replay: 2))
        check("broadcast", subject.broadcast(limit: 400))
        check("partition", subject.partition(limit: 400) { $0 >= 0 }.matches)
        check("merge", subject.merge(with: Empty(completeImmediately: false)))
        let current = CurrentValueSubject<Int, Never>(0)
        XCTAssertLessThan(longestLag(current.dropFirst()) { current.send($0) }, 100)
        let replay = ReplaySubject<Int, Never>(bufferSize: 2)
        XCTAssertLessThan(longestLag(replay) { replay.send($0) }, 100)
    }

    func test_streamsOfTheirOwnThatJoinInAReplaySlowTheirSenders() {
        let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        let next = Atomic(0)
        let joined = Publishers.MergeMany(subjects).share(replay: 1)
        XCTAssertLessThan(
            longestLag(joined) { subjects[next.add(1, ordering: .relaxed).newValue % 4].send($0) }, 100)
    }
}
