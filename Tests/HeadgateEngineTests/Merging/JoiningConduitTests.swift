import TestSupport
import XCTest

import HeadgateCombine
import HeadgateEngine
import Synchronization

final class JoiningConduitTests: XCTestCase {
    /// A conduit whose work is to request a number of values from an upstream.
    private final class Fixture {
        let conduit: JoiningConduit<Int, Never>
        let upstream = LoggingSubscription()
        var done: [Int] = []
        var onWork: (Fixture, Int) -> Void = { _, _ in }

        init(requestsWhileDemanded: Bool = false) {
            conduit = JoiningConduit(
                name: "Test", requestsWhileDemanded: requestsWhileDemanded, AnySubscriber()
            ) { _, _ in }
            conduit.phase = .connected
        }

        func run(_ work: Int) {
            conduit.attend { self.perform(work) }
        }

        func perform(_ work: Int) {
            done.append(work)
            if work > 0 { conduit.request(.max(work), from: Self.side(upstream)) }
            onWork(self, work)
        }

        static func side(_ subscription: LoggingSubscription) -> Upstream {
            let side = Upstream()
            side.subscription = ConduitSubscription.holding(subscription)
            return side
        }
    }

    /// Sends a value on another thread and then one on its own, while a subscriber is being attached.
    private struct Hasty: Publisher {
        typealias Output = Int
        typealias Failure = Never

        func receive(subscriber: some Subscriber<Int, Never>) {
            let subject = PassthroughSubject<Int, Never>()
            subject.receive(subscriber: subscriber)
            onThreads(1) { _ in subject.send(1) }
            subject.send(2)
        }
    }

    func test_valuesOfSeveralThreadsKeepTheirOrderWhileTheSubscriberIsAttached() {
        var values: [Int] = []
        let sink = Hasty().buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest).sink { values.append($0) }
        XCTAssertEqual(values, [1, 2])
        sink.cancel()
    }

    func test_requestsWhenItHasBeenLeft() {
        let fixture = Fixture()
        fixture.onWork = { fixture, _ in XCTAssertEqual(fixture.upstream.calls, []) }
        fixture.upstream.onCall = { [unowned fixture] in
            XCTAssertTrue(fixture.conduit.drain.enter())
            XCTAssertTrue(fixture.conduit.drain.leave())
        }
        fixture.run(1)
        XCTAssertEqual(fixture.upstream.calls, ["request max(1)"])
        XCTAssertTrue(fixture.conduit.drain.enter())
        fixture.conduit.drain.leave()
    }

    func test_requestsAfterAllTheWorkInTheOrderInWhichItWasRequested() {
        let fixture = Fixture()
        fixture.onWork = { fixture, work in
            XCTAssertEqual(fixture.upstream.calls, [])
            if work == 1 { (2...4).forEach { fixture.run($0) } }
        }
        fixture.run(1)
        XCTAssertEqual(fixture.done, [1, 2, 3, 4])
        XCTAssertEqual(fixture.upstream.calls, (1...4).map { "request max(\($0))" })
    }

    func test_requestsNothingThatHasBeenGivenUp() {
        let fixture = Fixture()
        fixture.onWork = { fixture, work in
            if work == 1 { (2...3).forEach { fixture.run($0) } }
            if work == 3 { fixture.conduit.forgetRequests() }
        }
        fixture.run(1)
        XCTAssertEqual(fixture.upstream.calls, [])
        fixture.run(5)
        XCTAssertEqual(fixture.upstream.calls, ["request max(5)"])
    }

    func test_requestsAgainFromAnUpstreamWhoseRequestHasBeenGivenUp() {
        let fixture = Fixture()
        let side = Fixture.side(fixture.upstream)
        fixture.onWork = { fixture, _ in
            fixture.conduit.request(.max(1), from: side)
            fixture.conduit.forgetRequests()
            fixture.conduit.request(.max(2), from: side)
        }
        fixture.run(0)
        XCTAssertEqual(fixture.upstream.calls, ["request max(2)"])
    }

    func test_makesOneRequestOfWhatHasBecomeDueFromAnUpstreamMeanwhile() {
        let fixture = Fixture()
        let side = Fixture.side(fixture.upstream)
        fixture.onWork = { fixture, work in
            fixture.conduit.request(.max(1), from: side)
            if work == 0 { [-2, -1].forEach { fixture.run($0) } }
        }
        fixture.run(0)
        XCTAssertEqual(fixture.upstream.calls, ["request max(3)"])
    }

    func test_requestsNothingFromAnUpstreamThatHasCompletedMeanwhile() {
        let fixture = Fixture()
        let side = Fixture.side(fixture.upstream)
        fixture.onWork = { fixture, _ in
            fixture.conduit.request(.max(1), from: side)
            fixture.run(-1)
            XCTAssertTrue(fixture.conduit.end(side))
            fixture.onWork = { _, _ in }
        }
        fixture.run(0)
        XCTAssertEqual(fixture.done, [0, -1])
        XCTAssertEqual(fixture.upstream.calls, [])
    }

    func test_whatWaitsForDemandIsRequestedOnceThereIsSome() {
        let fixture = Fixture(requestsWhileDemanded: true)
        let side = Fixture.side(fixture.upstream)
        fixture.onWork = { fixture, work in
            if work == 0 { fixture.conduit.request(.max(3), from: side) } else { fixture.conduit.requestWhatIsDue() }
        }
        fixture.run(0)
        fixture.run(-1)
        XCTAssertEqual(fixture.upstream.calls, [])
        fixture.conduit.outstanding.add(.max(1))
        fixture.run(-1)
        XCTAssertEqual(fixture.upstream.calls, ["request max(3)"])
    }

    func test_isFlatForAHundredThousandRequestsThatBringTheNext() {
        let fixture = Fixture()
        var depth = 0
        var deepest = 0
        var count = 0
        fixture.upstream.onCall = { [unowned fixture] in
            depth += 1
            deepest = max(deepest, depth)
            count += 1
            if count < 100_000 { fixture.run(1) }
            depth -= 1
        }
        fixture.run(1)
        XCTAssertEqual(count, 100_000)
        XCTAssertEqual(deepest, 1)
    }

    func test_releasesWhatItHasRequestedFrom() {
        weak var upstream: LoggingSubscription?
        let fixture = Fixture()
        do {
            let subscription = LoggingSubscription()
            upstream = subscription
            fixture.onWork = { [unowned subscription] fixture, _ in
                fixture.conduit.request(.unlimited, from: Fixture.side(subscription))
            }
            fixture.run(0)
            XCTAssertEqual(subscription.calls, ["request unlimited"])
        }
        XCTAssertNil(upstream)
    }

    func test_releasesAHundredThousandUpstreamsThatAreDue() {
        weak var last: Upstream?
        do {
            let fixture = Fixture(requestsWhileDemanded: true)
            for _ in 0..<100_000 {
                let side = Fixture.side(fixture.upstream)
                fixture.conduit.request(.max(1), from: side)
                last = side
            }
            XCTAssertNotNil(last)
        }
        XCTAssertNil(last)
    }
}
