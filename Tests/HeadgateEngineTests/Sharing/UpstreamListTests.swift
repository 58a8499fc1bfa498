import TestSupport
import XCTest

import HeadgateCombine
import HeadgateEngine

final class UpstreamListTests: XCTestCase {
    func test_asksForNothingBeforeItIsOpened() {
        let list = UpstreamList()
        let upstream = LoggingSubscription()
        list.add(upstream)
        XCTAssertEqual(upstream.calls, [])
    }

    func test_asksEachForEverythingOnceWhenItIsOpened() {
        let list = UpstreamList()
        let upstreams = (0..<3).map { _ in LoggingSubscription() }
        for upstream in upstreams { list.add(upstream) }
        list.open()
        list.open()
        for upstream in upstreams { XCTAssertEqual(upstream.calls, ["request unlimited"]) }
    }

    func test_asksWhatComesLaterAtOnce() {
        let list = UpstreamList()
        list.open()
        let upstream = LoggingSubscription()
        list.add(upstream)
        XCTAssertEqual(upstream.calls, ["request unlimited"])
    }

    func test_cancelsEachOnceAndWhatComesLaterAtOnce() {
        for isOpen in [false, true] {
            let list = UpstreamList()
            if isOpen { list.open() }
            let early = LoggingSubscription()
            let late = LoggingSubscription()
            list.add(early)
            list.cancel()
            list.cancel()
            list.add(late)
            XCTAssertEqual(early.calls.filter { $0 == "cancel" }, ["cancel"])
            XCTAssertEqual(late.calls, ["cancel"])
        }
    }

    func test_letsGoOfUpstreamsWhenCancelled() {
        let list = UpstreamList()
        var upstream: LoggingSubscription? = LoggingSubscription()
        weak let watched = upstream
        list.add(upstream!)
        upstream = nil
        list.cancel()
        XCTAssertNil(watched)
    }
}

final class UpstreamListGrowthTests: XCTestCase {
    func test_forgetsWhatHasBeenDetached() {
        let list = UpstreamList()
        for _ in 0..<1_000 {
            let detachable = Gate(name: "")
            list.add(detachable)
            detachable.cancel()
        }
        let living = Gate(name: "")
        list.add(living)
        list.state.withLock {
            guard case .waiting(let subscriptions) = $0 else { return XCTFail("nobody has asked") }
            XCTAssertLessThanOrEqual(subscriptions.count, 9)
            XCTAssertTrue(subscriptions.last as AnyObject === living)
        }
    }
}
