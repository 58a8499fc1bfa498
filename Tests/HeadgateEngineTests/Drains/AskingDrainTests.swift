import TestSupport
import XCTest

import HeadgateCombine
import HeadgateEngine

final class AskingDrainTests: XCTestCase {
    /// A drain whose work is to ask a subscription for so many values.
    private final class Conduit {
        let drain = AskingDrain<Int>()
        let upstream = LoggingSubscription()
        var done: [Int] = []
        var onWork: (Conduit, Int) -> Void = { _, _ in }

        func run(_ work: Int) {
            drain.run(work) { perform($0) }
        }

        func perform(_ work: Int) {
            done.append(work)
            if work > 0 { drain.ask(upstream, for: .max(work)) }
            onWork(self, work)
        }
    }

    func test_asksWhenItHasBeenLeft() {
        let conduit = Conduit()
        conduit.onWork = { conduit, _ in XCTAssertEqual(conduit.upstream.calls, []) }
        conduit.upstream.onCall = { [unowned conduit] in
            XCTAssertTrue(conduit.drain.enter())
            XCTAssertTrue(conduit.drain.leaveAtOnce())
        }
        conduit.run(1)
        XCTAssertEqual(conduit.upstream.calls, ["request max(1)"])
        XCTAssertTrue(conduit.drain.enter())
    }

    func test_asksBehindAllTheWorkInTheOrderInWhichItWasToldTo() {
        let conduit = Conduit()
        conduit.onWork = { conduit, work in
            XCTAssertEqual(conduit.upstream.calls, [])
            if work == 1 { (2...4).forEach { conduit.run($0) } }
        }
        conduit.run(1)
        XCTAssertEqual(conduit.done, [1, 2, 3, 4])
        XCTAssertEqual(conduit.upstream.calls, (1...4).map { "request max(\($0))" })
    }

    func test_asksForNothingThatHasBeenGivenUp() {
        let conduit = Conduit()
        conduit.onWork = { conduit, work in
            if work == 1 { (2...3).forEach { conduit.run($0) } }
            if work == 3 { conduit.drain.forgetAsks() }
        }
        conduit.run(1)
        XCTAssertEqual(conduit.upstream.calls, [])
        conduit.run(5)
        XCTAssertEqual(conduit.upstream.calls, ["request max(5)"])
    }

    func test_isFlatForAHundredThousandRequestsThatBringTheNext() {
        let conduit = Conduit()
        var depth = 0
        var deepest = 0
        var count = 0
        conduit.upstream.onCall = { [unowned conduit] in
            depth += 1
            deepest = max(deepest, depth)
            count += 1
            if count < 100_000 { conduit.run(1) }
            depth -= 1
        }
        conduit.run(1)
        XCTAssertEqual(count, 100_000)
        XCTAssertEqual(deepest, 1)
    }

    func test_letsGoOfWhatItHasAsked() {
        weak var upstream: LoggingSubscription?
        let conduit = Conduit()
        do {
            let subscription = LoggingSubscription()
            upstream = subscription
            conduit.onWork = { [unowned subscription] conduit, _ in conduit.drain.ask(subscription, for: .unlimited) }
            conduit.run(0)
            XCTAssertEqual(subscription.calls, ["request unlimited"])
        }
        XCTAssertNil(upstream)
    }
}
