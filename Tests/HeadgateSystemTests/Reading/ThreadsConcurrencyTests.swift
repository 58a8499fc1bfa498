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
}
