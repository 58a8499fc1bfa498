import Headgate
import HeadgateTesting
import XCTest

/// Tests in few words: publishers of a row, the rows of upstream, and a stream that is started and runs to its end.
final class StartTests: XCTestCase {
    func test_whenUpstreamIsSubscribedToRequestedFromAndCancelled() {
        let scheduler = TestScheduler()
        let (source, stop) = (scheduler.hot("-1-2-3-4"), scheduler.hot("----0"))
        XCTAssertEqual(scheduler.start { source.prefix(untilOutputFrom: stop) }.marbles, "-1-2|")
        XCTAssertEqual(source.subscriptions, ["[---!"])
        XCTAssertEqual(source.requests, ["^*"])
        XCTAssertEqual(stop.subscriptions.count, 1)
    }

    func test_retrySubscribesAnewToAColdSource() {
        let scheduler = TestScheduler()
        let source = scheduler.cold("-1-x")
        XCTAssertEqual(scheduler.start { source.retry(1) }.marbles, "-1--1-x")
        XCTAssertEqual(source.subscriptions, ["[--]", "---[--]"])
        XCTAssertEqual(source.requests, ["^*", "---^*"])
    }

    func test_startsAndDisposesAtTheGivenTimes() {
        let scheduler = TestScheduler()
        var created: [TestTime] = []
        let source = scheduler.cold("1-2-3-4|", of: Int.self)
        let hot = scheduler.hot("a-b-c")
        let subscriber = scheduler.start(created: 2, subscribed: 3, disposed: 8) {
            created.append(scheduler.now)
            return source
        }
        XCTAssertEqual(created.map(\.description), ["2s"])
        XCTAssertEqual(subscriber.marbles, "---1-2-3")
        XCTAssertEqual(source.subscriptions, ["---[----!"])
        XCTAssertEqual(subscriber.breaches, [])
        XCTAssertEqual(hot.subscriptions, [])
    }

    func test_demandIsAScript() {
        let scheduler = TestScheduler()
        let source = scheduler.cold("1-2-3|")
        let subscriber = scheduler.start(demand: .first(1, then: .answer(.max(1)))) { source }
        XCTAssertEqual(subscriber.marbles, "1-2--|")
        XCTAssertEqual(source.requests, ["(^1 ^1)"])
    }
}
