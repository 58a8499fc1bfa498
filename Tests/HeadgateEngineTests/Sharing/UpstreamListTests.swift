import TestSupport
import XCTest

import HeadgateCombine
import HeadgateEngine

final class UpstreamListTests: XCTestCase {
    func test_requestsNothingBeforeItIsOpened() {
        let list = UpstreamList()
        let upstream = LoggingSubscription()
        list.add(ConduitSubscription.holding(upstream))
        XCTAssertEqual(upstream.calls, [])
    }

    func test_requestsEverythingOfEachOnceWhenItIsOpened() {
        let list = UpstreamList()
        let upstreams = (0..<3).map { _ in LoggingSubscription() }
        for upstream in upstreams { list.add(ConduitSubscription.holding(upstream)) }
        list.open()
        list.open()
        for upstream in upstreams { XCTAssertEqual(upstream.calls, ["request unlimited"]) }
    }

    func test_requestsAtOnceFromWhatComesLater() {
        let list = UpstreamList()
        list.open()
        let upstream = LoggingSubscription()
        list.add(ConduitSubscription.holding(upstream))
        XCTAssertEqual(upstream.calls, ["request unlimited"])
    }

    func test_cancelsEachOnceAndWhatComesLaterAtOnce() {
        for isOpen in [false, true] {
            let list = UpstreamList()
            if isOpen { list.open() }
            let early = LoggingSubscription()
            let late = LoggingSubscription()
            list.add(ConduitSubscription.holding(early))
            list.cancel()
            list.cancel()
            list.add(ConduitSubscription.holding(late))
            XCTAssertEqual(early.calls.filter { $0 == "cancel" }, ["cancel"])
            XCTAssertEqual(late.calls, ["cancel"])
        }
    }

    func test_releasesUpstreamsWhenCancelled() {
        let list = UpstreamList()
        var upstream: LoggingSubscription? = LoggingSubscription()
        weak let watched = upstream
        list.add(ConduitSubscription.holding(upstream!))
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
        let subscriptions = list.subscriptions.withLock { $0 ?? [] }
        XCTAssertLessThanOrEqual(subscriptions.count, 9)
        XCTAssertTrue(subscriptions.last === living)
    }

    func test_growsInProportionToTheNumberOfUpstreams() {
        assertGrowsLinearly(from: 2_000) { count in
            let list = UpstreamList()
            for _ in 0..<count { list.add(Gate(name: "")) }
        }
    }

    func test_comingAndGoingCostsTheSameHoweverManyStay() {
        // One below a power of two, where a list that looks for room by doubling would look at every step.
        assertGrowsLinearly(from: 1_024) { count in
            let list = UpstreamList()
            for _ in 0..<count - 1 { list.add(Gate(name: "")) }
            for _ in 0..<count {
                let guest = Gate(name: "")
                list.add(guest)
                guest.cancel()
            }
        }
    }
}
