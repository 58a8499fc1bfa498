import Dispatch
import Foundation
import Headgate
import HeadgateTesting
import XCTest

/// Runs the first block of each section of `Documentation/KitBesideOthers.md`, and counts the words of all blocks.
final class KitBesideOthersTests: XCTestCase {
    private enum Broken: Error { case yes }

    func test_elementsOfASynchronousPublisher() {
        XCTAssertEqual((1...3).publisher.map { $0 * 10 }.record().marbles, "(10 20 30 |)")
    }

    func test_debounceAsATimeLine() {
        let scheduler = TestScheduler(column: .milliseconds(500))
        let source = scheduler.hot("a-b-c-d---------e-------f---g---------|")
        let result = scheduler.start { source.debounce(for: 3, scheduler: scheduler) }
        XCTAssertEqual(result.marbles, "------------d---------e-----------g---|")
    }

    func test_delayShiftsEachEvent() {
        let scheduler = TestScheduler()
        let source = scheduler.hot("1-2|")
        XCTAssertEqual(scheduler.start { source.delay(for: 2, scheduler: scheduler) }.marbles, "--1-2|")
    }

    func test_oneValueAfterTheOtherFromASubject() {
        let subject = PassthroughSubject<String, Never>()
        let recorder = subject.record()
        subject.send("foo")
        XCTAssertEqual(recorder.values, ["foo"])
        subject.send("bar")
        XCTAssertEqual(recorder.values, ["foo", "bar"])
    }

    func test_valuesFromAnotherQueue() {
        let recorder = (1...3).publisher.receive(on: DispatchQueue(label: "q")).record()
        XCTAssertEqual(recorder.awaitCompletion().marbles, "(123|)")
    }

    func test_demand() {
        StepVerifier((1...3).publisher).request(2).expect(1, 2).expectNothing().request(1).expect(3).expectFinish()
            .verify { XCTFail($0, file: $1, line: $2) }
    }

    func test_whenUpstreamIsSubscribedToAndCancelled() {
        let scheduler = TestScheduler()
        let (source, stop) = (scheduler.hot("-1-2-3-4"), scheduler.hot("----0"))
        XCTAssertEqual(scheduler.start { source.prefix(untilOutputFrom: stop) }.marbles, "-1-2|")
        XCTAssertEqual(source.subscriptions, ["[---!"])
    }

    func test_aFailure() {
        XCTAssertEqual(Fail<Int, Broken>(error: .yes).record().failure, .yes)
    }

    func test_retrySubscribesAnewToAColdSource() {
        let scheduler = TestScheduler()
        let source = scheduler.cold("-1-x")
        XCTAssertEqual(scheduler.start { source.retry(1) }.marbles, "-1--1-x")
        XCTAssertEqual(source.subscriptions, ["[--]", "---[--]"])
    }

    func test_nothingIsPublishedForAWhile() {
        let scheduler = TestScheduler()
        XCTAssertEqual(scheduler.start { Just(1).delay(for: 5, scheduler: scheduler) }.marbles, "-----(1|)")
    }

    /// The blocks of each section; the first is ours.
    private var sections: [(title: String, blocks: [String])] {
        get throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let page = try String(
                contentsOf: root.appendingPathComponent("Documentation/KitBesideOthers.md"), encoding: .utf8)
            return page.components(separatedBy: "\n## ").dropFirst().map { section in
                let blocks = section.split(separator: /```swift (?:excerpt|foreign)\n/).dropFirst()
                    .map { $0.components(separatedBy: "```")[0] }
                return (section.components(separatedBy: "\n")[0], blocks)
            }
        }
    }

    func test_everyBlockOfOursIsRunHere() throws {
        let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
            .filter { !$0.isWhitespace }
        let sections = try sections
        XCTAssertEqual(sections.count, 10)
        for (title, blocks) in sections {
            XCTAssertTrue(source.contains(blocks[0].filter { !$0.isWhitespace }), title)
        }
    }

    func test_noneOfTheOthersTakesFewerWords() throws {
        func count(_ block: String) -> Int { block.matches(of: /"[^"]*"|\w+/).count }
        for (title, blocks) in try sections {
            let others = blocks.dropFirst().map(count)
            XCTAssertFalse(others.isEmpty, title)
            XCTAssertLessThanOrEqual(count(blocks[0]), others.min() ?? 0, title)
        }
    }
}
