import Foundation
import HeadgateTesting
import Synchronization
import XCTest

/// Correct publishers that deliver on threads of their own raise no alarm, alone and on a busy machine, in any run.
///
/// The environment variable `RUNS` is the number of runs of each kind. A few prove little, and a thousand take some
/// minutes for each test.
final class ManyRunsConcurrencyTests: XCTestCase {
    private let effort = Effort(depth: 2, systematicScripts: 24, randomScripts: 4)

    private func assertNoAlarm(_ kind: String, file: StaticString = #filePath, line: UInt = #line) throws {
        let place = try XCTUnwrap(HoppingCountdown.places.first { $0.name == kind }, file: file, line: line)
        let runs = ProcessInfo.processInfo.environment["RUNS"].flatMap(Int.init) ?? 1
        run(runs, "\(kind), alone", place.hop, file, line)
        let isOver = Mutex(false)
        let threads = (0..<2).map { _ in
            Thread { while !isOver.withLock({ $0 }) { for _ in 0..<10_000 where Bool.random() {} } }
        }
        for thread in threads { thread.start() }
        run(runs, "\(kind), beside two busy loops", place.hop, file, line)
        isOver.withLock { $0 = true }
    }

    private func run(
        _ runs: Int, _ name: String, _ hop: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        _ file: StaticString, _ line: UInt
    ) {
        var alarms = 0
        for _ in 0..<runs {
            let report = verify(publisher: HoppingCountdown(hop: hop), [.finite, .asynchronous], effort: effort)
            if report.isConforming { continue }
            alarms += 1
            XCTFail("\(name): \(report)", file: file, line: line)
        }
        if runs > 1 { print("\(name): \(alarms) alarms in \(runs) runs") }
    }

    func test_aSerialQueueRaisesNoAlarm() throws { try assertNoAlarm("a serial queue") }
    func test_aConcurrentQueueRaisesNoAlarm() throws { try assertNoAlarm("a concurrent queue") }
    func test_aTaskRaisesNoAlarm() throws { try assertNoAlarm("a task") }
    func test_anActorRaisesNoAlarm() throws { try assertNoAlarm("an actor") }
    func test_jitterRaisesNoAlarm() throws { try assertNoAlarm("a queue with jitter") }
}
