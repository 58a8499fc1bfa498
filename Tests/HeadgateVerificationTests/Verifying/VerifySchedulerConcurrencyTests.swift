import Dispatch
import Foundation
import Headgate
import HeadgateFoundation
import HeadgateTesting
import HeadgateVerification
import XCTest

/// Schedulers of all kinds raise no alarm, on clocks that the test advances and on real ones.
final class VerifySchedulerConcurrencyTests: XCTestCase {
    private func assertConforming(_ report: Verification, file: StaticString = #filePath, line: UInt = #line) {
        report.check(file: file, line: line) { XCTFail($0, file: $1, line: $2) }
    }

    func test_raisesNoAlarmAboutAQueue() {
        assertConforming(
            verify(scheduler: { DispatchQueue(label: "work") }) { queue, stride in
                let end = queue.now.advanced(by: stride)
                waitUntil { queue.now >= end }
                // What is due has run when this has.
                queue.sync {}
            })
    }

    func test_raisesNoAlarmAboutAnOperationQueue() {
        let make = {
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return queue
        }
        assertConforming(
            verify(scheduler: make) { queue, stride in
                let end = queue.now.advanced(by: stride)
                waitUntil { queue.now >= end }
                queue.waitUntilAllOperationsAreFinished()
            })
    }

    func test_raisesNoAlarmAboutARunLoop() {
        assertConforming(
            verify(scheduler: { RunLoop.current }) { loop, stride in
                let end = loop.now.advanced(by: stride)
                while loop.now < end { _ = loop.run(mode: .default, before: end.date) }
            })
    }

    func test_findsWhatIsWrongOnlyWhenTimeJumps() {
        let report = verify(scheduler: { PlainScheduler(.catchesUpThoughCancelled) }, advance: { $0.advance(by: $1) })
        XCTAssertEqual(
            report.broken.first?.script,
            "schedule 1 for every unit; six units pass at once; cancel in its run 2")
    }
}
