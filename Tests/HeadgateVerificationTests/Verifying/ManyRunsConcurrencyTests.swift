import Foundation
import HeadgateCore
import HeadgateTesting
import HeadgateVerification
import Synchronization
import XCTest

/// Correct publishers that deliver on threads of their own raise no alarm, alone and on a busy machine, in any run.
///
/// The environment variable `RUNS` is the number of runs of each kind. A few prove little, and a thousand take some
/// minutes for each test.
final class ManyRunsConcurrencyTests: XCTestCase {
    private let effort = Effort(depth: 2, systematicScripts: 24, randomScripts: 4)

    private func assertNoAlarm(_ kind: String, file: StaticString = #filePath, line: UInt = #line) {
        let wish = ProcessInfo.processInfo.environment["RUNS"].flatMap(Int.init)
        // Alone, `AsynchronousConcurrencyTests` verifies them once.
        if let wish { run(wish, kind, "alone", file, line) }
        let isOver = Guarded(false)
        let threads = (0..<2).map { _ in
            Thread { while !isOver.withLock({ $0 }) { for _ in 0..<10_000 where Bool.random() {} } }
        }
        for thread in threads { thread.start() }
        run(wish ?? 1, kind, "beside two busy loops", file, line)
        isOver.withLock { $0 = true }
    }

    /// A run waits most of its time, so several run at a time, each with a queue of its own.
    private func run(_ runs: Int, _ kind: String, _ load: String, _ file: StaticString, _ line: UInt) {
        let alarms = Guarded<[String]>([])
        let left = Atomic(runs)
        let threads = (0..<min(runs, 24)).map { _ in
            {
                guard let place = HoppingCountdown.places.first(where: { $0.name == kind }) else { return }
                while left.subtract(1, ordering: .relaxed).newValue >= 0 {
                    let report = verify(
                        publisher: HoppingCountdown(hop: place.hop), [.finite, .asynchronous], effort: self.effort)
                    if !report.isConforming { alarms.withLock { $0.append("\(report)") } }
                }
            }
        }
        XCTAssertTrue(runSideBySide(threads, timeout: 36_000_000), kind, file: file, line: line)
        XCTAssertLessThan(left.load(ordering: .relaxed), 0, "no place is called \(kind)", file: file, line: line)
        for alarm in alarms.withLock({ $0 }) { XCTFail("\(kind), \(load): \(alarm)", file: file, line: line) }
        if runs > 1 { print("\(kind), \(load): \(alarms.withLock { $0.count }) alarms in \(runs) runs") }
    }

    func test_aSerialQueueRaisesNoAlarm() { assertNoAlarm("a serial queue") }
    func test_aConcurrentQueueRaisesNoAlarm() { assertNoAlarm("a concurrent queue") }
    func test_aTaskRaisesNoAlarm() { assertNoAlarm("a task") }
    func test_anActorRaisesNoAlarm() { assertNoAlarm("an actor") }
    func test_jitterRaisesNoAlarm() { assertNoAlarm("a queue with jitter") }
}
