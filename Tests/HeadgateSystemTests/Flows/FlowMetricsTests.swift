import Foundation
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// What Prometheus' own tool finds in the numbers of a flow; skipped where it is not installed.
final class FlowMetricsTests: XCTestCase {
    private let scheduler = TestScheduler()

    /// Two flows whose names need escapes, with streams in every state and every outcome, and a queue that drops.
    private var metrics: String {
        let flows = ["plain", "a \"flow\"\n\\"].map { Flow($0, scheduler: scheduler) }
        for flow in flows {
            let upstream = TestPublisher<Int, TestFailure>()
            let subscribers = [DemandScript.unlimited, .first(1), .none].map { TestSubscriber<Int, TestFailure>($0) }
            for subscriber in subscribers {
                upstream.stage("", in: flow).onBackpressureBuffer(limit: 1, whenFull: .dropOldest) { _ in }
                    .stage("two\nlines \\ \"quoted\" {,} = Größe", in: flow).subscribe(subscriber)
            }
            for number in 1...4 {
                scheduler.advance(by: 1)
                upstream.send(number)
            }
            subscribers[1].cancel()
            Fail<Int, TestFailure>(error: .first).stage("failed", in: flow).subscribe(TestSubscriber(.unlimited))
            (1...3).publisher.stage("finished", in: flow).subscribe(TestSubscriber(.unlimited))
        }
        return Flow.prometheus(flows)
    }

    /// What `promtool check metrics` prints and finds fault with, and how it exits.
    private func check(_ text: String) throws -> (output: String, errors: String, exit: CommandExit?) {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/promtool") else {
            throw XCTSkip("promtool is not installed")
        }
        let subscriber = TestSubscriber<CommandEvent, SystemError>.checked(.unlimited)
        Command("/usr/bin/promtool", "check", "metrics", "--extended", input: .bytes(Bytes(text))).events()
            .subscribe(subscriber)
        eventually { subscriber.completion != nil }
        return (subscriber.text.output, subscriber.text.errors, subscriber.exit)
    }

    func test_promtoolReadsEverySampleAndFindsNoFault() throws {
        let result = try check(metrics)
        XCTAssertEqual(result.errors, "")
        XCTAssertEqual(result.exit, .status(0))
        let counts = result.output.split(separator: "\n").reduce(into: [String: Int]()) { counts, line in
            let words = line.split(separator: " ")
            counts[String(words[0])] = Int(words[1])
        }
        // Four stages of two flows.
        XCTAssertEqual(
            counts.filter { $0.key != "Metric" },
            [
                "headgate_stage_values_total": 8, "headgate_stage_streams_total": 8,
                "headgate_stage_completions_total": 24, "headgate_stage_dropped_values_total": 8,
                "headgate_stage_state_seconds_total": 24, "headgate_stage_waiting_values": 8,
                "headgate_stage_demand_values": 8, "headgate_stage_active_streams": 24, "Total": 112,
            ])
    }

    func test_promtoolNoticesEachKindOfFault() throws {
        let text = metrics
        let faults = [
            ("\\\"flow\\\"", "\"flow\""), ("\\n\\\\\"", "\n\""), ("\\\\ \\\"quoted", "\\ \\\"quoted"),
            ("} +Inf", "} unlimited"),
            ("values_total counter", "values_total gauge"), ("# HELP headgate_stage_waiting_values", "# HALP"),
            ("headgate_stage_values_total", "headgate_stage_values"),
        ]
        for (sound, broken) in faults {
            XCTAssertTrue(text.contains(sound), sound)
            let result = try check(text.replacingOccurrences(of: sound, with: broken))
            XCTAssertNotEqual(result.exit, .status(0), "\(sound) → \(broken)")
        }
    }
}
