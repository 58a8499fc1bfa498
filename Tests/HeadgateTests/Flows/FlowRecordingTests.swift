import Foundation
import Headgate
import HeadgateFlow
import HeadgateTesting
import TestSupport
import XCTest

final class FlowRecordingTests: XCTestCase {
    private let scheduler = TestScheduler()
    private lazy var flow = Flow("re</script>cord", scheduler: scheduler)

    private func runStream(_ name: String = "all") {
        let upstream = TestPublisher<String, TestFailure>()
        let scheduler = scheduler
        let subscriber = TestSubscriber<String, TestFailure>(.first(2))
        upstream.stage(name, in: flow).handleEvents(receiveOutput: { _ in scheduler.advance(by: 2) })
            .subscribe(subscriber)
        scheduler.advance(by: 1)
        upstream.send("</script><b>\"\n\u{2028}")
        upstream.send("second")
        scheduler.advance(by: 3)
        upstream.fail(.first)
    }

    private struct Event: Decodable {
        var name: String
        var ph: String
        var ts: Double?
        var dur: Double?
        var args: [String: Argument]?
    }

    private enum Argument: Decodable, Equatable {
        case text(String)
        case number(Int)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self = try (try? container.decode(Int.self)).map(Argument.number) ?? .text(container.decode(String.self))
        }
    }

    func test_theTraceIsAnArrayOfEvents() throws {
        let recording = flow.record()
        runStream()
        let events = try JSONDecoder().decode([Event].self, from: Data(recording.trace.utf8))
        let states = events.filter { $0.ph == "X" }
        XCTAssertEqual(states.map(\.name), ["starved", "busy", "busy", "held"])
        XCTAssertEqual(states.map(\.ts), [0, 1e6, 3e6, 5e6])
        XCTAssertEqual(states.map(\.dur), [1e6, 2e6, 2e6, 3e6])
        XCTAssertEqual(states[1].args?["value"], .text("</script><b>\"\n\u{2028}"))
        XCTAssertEqual(
            events.filter { $0.ph == "C" }.compactMap { $0.args?["values"] }, [0, 2, 1, 0].map(Argument.number))
        XCTAssertEqual(events.last?.name, "failed")
        XCTAssertEqual(events.last?.args?["failure"], .text("first"))
    }

    func test_aRequestInsideADeliveryDoesNotDivideIt() throws {
        let recording = flow.record()
        let upstream = TestPublisher<String, Never>()
        let scheduler = scheduler
        var subscription: (any Subscription)?
        upstream.stage("all", in: flow).subscribe(
            AnySubscriber(
                receiveSubscription: {
                    subscription = $0
                    $0.request(.max(1))
                },
                receiveValue: { _ in
                    scheduler.advance(by: 1)
                    subscription?.request(.max(1))
                    scheduler.advance(by: 1)
                    return .none
                }))
        upstream.send("one")
        upstream.send("two")
        let events = try JSONDecoder().decode([Event].self, from: Data(recording.trace.utf8))
        let busy = events.filter { $0.name == "busy" }
        XCTAssertEqual(busy.map(\.dur), [2e6, 2e6])
        XCTAssertEqual(busy.map { $0.args?["value"] }, [.text("one"), .text("two")])
    }

    /// What the Trace Event Format requires of each kind of event, with concurrent and nested streams.
    func test_eachEventOfATraceHasTheMembersOfItsKind() throws {
        let recording = flow.record()
        runStream()
        let scheduler = scheduler
        (1...6).publisher.stage("outer", in: flow)
            .flatMap(maxPublishers: .max(3)) { number in
                Just(number).delay(for: .milliseconds(number), scheduler: scheduler).stage("inner", in: self.flow)
            }
            .stage("joined", in: flow)
            .subscribe(TestSubscriber.checked(.unlimited))
        scheduler.runUntilIdle()
        PassthroughSubject<Int, Never>().stage("cancelled", in: flow).sink { _ in }.cancel()

        let array = try JSONSerialization.jsonObject(with: Data(recording.trace.utf8))
        let events = try XCTUnwrap(array as? [[String: Any]])
        var ends: [Int: Double] = [:], states: [Int: Double] = [:], titles: [Int: String] = [:], kinds: Set<String> = []
        for event in events {
            let kind = try XCTUnwrap(event["ph"] as? String)
            kinds.insert(kind)
            XCTAssertNotNil(event["name"] as? String)
            XCTAssertEqual(event["pid"] as? Int, 1)
            let thread = try XCTUnwrap(event["tid"] as? Int)
            let arguments = event["args"] as? [String: Any]
            if kind == "M" {
                XCTAssertNil(event["ts"])
                if event["name"] as? String == "thread_name" { titles[thread] = arguments?["name"] as? String }
                continue
            }
            let time = try XCTUnwrap(event["ts"] as? Double)
            XCTAssertGreaterThanOrEqual(time, 0)
            switch kind {
            case "X":
                let duration = try XCTUnwrap(event["dur"] as? Double)
                XCTAssertGreaterThanOrEqual(time, ends[thread] ?? 0, "the states of a stream don't overlap")
                ends[thread] = time + duration
                if event["name"] as? String == "starved" { states[thread, default: 0] += duration }
            case "C":
                XCTAssertEqual(arguments?.count, 1)
                XCTAssertGreaterThanOrEqual(try XCTUnwrap(arguments?["values"] as? Int), 0)
            case "i":
                XCTAssertEqual(event["s"] as? String, "t")
            default:
                XCTFail("a kind that has no place here: \(kind)")
            }
        }
        XCTAssertEqual(kinds, ["M", "X", "C", "i"])
        XCTAssertEqual(titles.count, 10, "a thread for each stream")
        // In microseconds, and what the flow says.
        for stage in flow.snapshot.stages {
            let threads = titles.filter { $0.value.hasPrefix(stage.name + " #") }.keys
            let traced = threads.reduce(0) { $0 + (states[$1] ?? 0) }
            XCTAssertEqual(traced, (stage.times[.starved] ?? .zero) / .microseconds(1), stage.name)
        }
    }

    func test_theMostRecentEventsAreKept() {
        let recording = flow.record(limit: 3)
        runStream()
        XCTAssertEqual(recording.eventCount, 3)
    }

    func test_nothingIsRecordedBeforeAndAfter() {
        runStream()
        let recording = flow.record()
        XCTAssertEqual(recording.eventCount, 0)
        XCTAssertEqual(recording.trace.split(separator: "\n").count, 3)
        recording.stop()
        runStream()
        XCTAssertEqual(recording.eventCount, 0)
    }

    func test_aStreamThatRunsAlreadyIsRecordedFromThenOn() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.stage("all", in: flow).subscribe(subscriber)
        upstream.send(1)
        let first = flow.record(), second = flow.record()
        upstream.send(2)
        first.stop()
        upstream.send(3)
        XCTAssertEqual([first.eventCount, second.eventCount], [2, 4])
        XCTAssertEqual(subscriber.values, [1, 2, 3])
    }
}
