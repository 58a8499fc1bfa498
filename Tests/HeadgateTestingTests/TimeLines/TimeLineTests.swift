import Headgate
import HeadgateTesting
import XCTest

final class TimeLineTests: XCTestCase {
    func test_readsWhatItPrints() {
        for row in ["1---2---3---|", "--a--(bc)-x", "10--20--30|", "(10 20)--|", "-----", "(3|)"] {
            XCTAssertEqual(TimeLine(values: row).text(of: .values), row)
        }
        for row in ["^3--^*---", "!", "^1--!"] {
            XCTAssertEqual(TimeLine(values: "", demand: row).text(of: .demand), row)
        }
        XCTAssertEqual(TimeLine(values: "", subscription: "[---]").text(of: .subscription), "[---]")
    }

    func test_readsSignsAndTheirPlaces() {
        let line = TimeLine(values: "1-20x", demand: "^2--!")
        XCTAssertEqual(line.signs(on: .values), [.value("1"), .value("20x")])
        XCTAssertEqual(line.signs(on: .demand), [.request(.max(2)), .cancel])
        XCTAssertEqual(line.entries.map(\.column), [0, 0, 2, 4])
        XCTAssertEqual(TimeLine(values: "1-x").signs(on: .values), [.value("1"), .failure])
    }

    func test_drawsRowsBelowEachOther() {
        XCTAssertEqual(
            TimeLine(values: "--1-2|", demand: "^2", subscription: "[----]").description,
            """
            values        --1-2|
            demand        ^2----
            subscription  [----]
            """)
    }

    func test_keepsValuesApart() {
        var line = TimeLine()
        for (column, value) in ["1", "20", "3"].enumerated() { line.append(.value(value), to: .values, at: column) }
        XCTAssertEqual(line.text(of: .values), "1-20-3")
        XCTAssertEqual(TimeLine(values: line.text(of: .values)).signs(on: .values), line.signs(on: .values))
    }

    func test_showsTheFirstDifferenceWithACaret() {
        XCTAssertNil(TimeLine(values: "1--2---").difference(from: TimeLine(values: "1--2")))
        XCTAssertEqual(
            TimeLine(values: "1--3|").difference(from: TimeLine(values: "1--2|")),
            """
            values
              expected  1--2|
              actual    1--3|
                           ^
            """)
    }

    func test_drawsWhatASubscriberReceived() {
        let subscriber = TestSubscriber<Int, Never>(.first(2))
        (1...3).publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.timeLine().description, "values  --1-2\ndemand  ^2---")
        subscriber.check("--1-2", demand: "^2---") { XCTFail($0, file: $1, line: $2) }
        var failures: [String] = []
        subscriber.check("--1-3", demand: "^2---") { message, _, _ in failures.append(message) }
        XCTAssertEqual(failures, ["values\n  expected  --1-3\n  actual    --1-2\n                ^"])
    }

    func test_playsAndDrawsTime() {
        let scheduler = TestScheduler()
        let source = TestPublisher<Int, TestError>()
        let subscriber = TestSubscriber<Int, TestError>(.unlimited, clock: scheduler)
        source.map { $0 + 1 }.subscribe(subscriber)
        source.play("1--(23)-4-x", on: scheduler, failure: .first)
        XCTAssertTrue(scheduler.runUntilIdle())
        subscriber.check("2--(34)-5-x", column: .seconds(1)) { XCTFail($0, file: $1, line: $2) }
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_printsALiveStreamWhenItIsOver() {
        var shown: [String] = []
        let subscriber = TestSubscriber<Int, Never>(.oneByOne)
        (1...3).publisher.printingTimeLine("numbers") { shown.append($0) }.subscribe(subscriber)
        XCTAssertEqual(
            shown,
            [
                """
                numbers
                values        --1-2-3-|
                demand        ^1^1^1^1-
                subscription  [-------]
                """
            ])
        shown = []
        let cancelling = TestSubscriber<Int, Never>(.cancelling(atValue: 2))
        (1...3).publisher.printingTimeLine("numbers") { shown.append($0) }.subscribe(cancelling)
        XCTAssertEqual(shown.count, 1)
        XCTAssertEqual(shown.first?.contains("!"), true)
    }
}
