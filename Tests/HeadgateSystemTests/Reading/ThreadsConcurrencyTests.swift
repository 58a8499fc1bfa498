import Dispatch
import Foundation
import HeadgateSystem
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class ThreadsConcurrencyTests: XCTestCase {
    private func startAndCancel(_ count: Int) {
        let folder = Folder()
        let path = folder.write("text", to: "file")
        for _ in 0..<count {
            let subscriber = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            File(path).follow(from: .beginning).subscribe(subscriber)
            subscriber.cancel()
        }
    }

    func test_aThousandCancelledStreamsLeaveNoThread() {
        // What the process keeps is there already.
        startAndCancel(1)
        let before = threadCount()
        startAndCancel(1000)
        // Dispatch keeps those of its global queue for some seconds: one per processor, however many streams there were.
        let most = before + ProcessInfo.processInfo.activeProcessorCount
        eventually("their threads have ended: \(threadCount()) instead of \(most)") { threadCount() <= most }
    }

    /// Also when no more threads can be started for the work that waits, and it waits for long.
    func test_workThatMayBlockIsDoneWhenAllThreadsHaveBeenBlockedForLong() {
        let gate = DispatchSemaphore(value: 0)
        let begun = Atomic(0)
        let done = Atomic(0)
        let queues = (0..<300).map { DeliveryQueue.waiting("\($0)") }
        for queue in queues {
            queue.run {
                begun.add(1, ordering: .relaxed)
                gate.wait()
                done.add(1, ordering: .relaxed)
            }
        }
        eventually("all threads are blocked") { begun.load(ordering: .relaxed) == 256 }
        // A time of the system's: more threads are looked for every 20 milliseconds, in vain.
        usleep(2_000_000)
        XCTAssertEqual(begun.load(ordering: .relaxed), 256)
        for _ in queues { gate.signal() }
        eventually("all is done") { done.load(ordering: .relaxed) == queues.count }
    }

    func test_aQueueThatBlocksDelaysNoneThatBecameBusyWithIt() {
        let (first, second) = (DeliveryQueue.sharing("first"), DeliveryQueue.sharing("second"))
        for round in 0..<500 {
            let firstRuns = DispatchSemaphore(value: 0)
            let secondRuns = DispatchSemaphore(value: 0)
            let met = DispatchSemaphore(value: 0)
            func run(_ queue: DeliveryQueue, _ mine: DispatchSemaphore, _ other: DispatchSemaphore) {
                queue.run {
                    mine.signal()
                    if other.wait(timeout: .now() + 10) == .success { met.signal() }
                }
            }
            run(first, firstRuns, secondRuns)
            run(second, secondRuns, firstRuns)
            for _ in 0..<2 where met.wait(timeout: .now() + 20) == .timedOut {
                return XCTFail("In round \(round) one queue waited for the other.")
            }
        }
    }
}
