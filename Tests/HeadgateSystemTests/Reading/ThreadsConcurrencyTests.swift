import Dispatch
import Foundation
import HeadgateSystem
import HeadgateTesting
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
