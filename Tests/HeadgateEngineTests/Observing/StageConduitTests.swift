@testable import HeadgateFlow
import HeadgateCore
@testable import HeadgateEngine
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class StageConduitTests: XCTestCase {
    private let upstream = TestPublisher<Int, Never>()

    private func attach(_ script: DemandScript) -> (StageRun, TestSubscriber<Int, Never>) {
        let subscriber = TestSubscriber<Int, Never>.checked(script)
        let conduit = StageConduit(
            StageAccount("all", of: "flow", number: 0, in: StageContext(StageClock())), subscriber)
        conduit.attach(to: upstream)
        return (conduit.run, subscriber)
    }

    private func mode(_ run: StageRun) -> UInt8 { run.mode.load(ordering: .relaxed) }

    func test_oneByOneNoDemandIsCountedUntilARequestComes() {
        let (run, subscriber) = attach(.oneByOne)
        XCTAssertEqual(mode(run), StageRun.Mode.isLimited)
        upstream.send(1)
        XCTAssertEqual(mode(run), StageRun.Mode.isSteady)
        upstream.send(2)
        XCTAssertTrue(run.answered.isBegun)
        subscriber.request(.max(1))
        XCTAssertEqual(mode(run), StageRun.Mode.isLimited)
        XCTAssertTrue(run.answered.isBegun, "it is younger than the last value")
        upstream.send(3)
        XCTAssertFalse(run.answered.isBegun, "it is older than the last value")
        upstream.send(4)
        XCTAssertEqual(mode(run), StageRun.Mode.isLimited)
        XCTAssertEqual(run.outstanding, 2)
        upstream.finish()
    }

    func test_unlimitedDemandEndsTheCounting() {
        let (run, subscriber) = attach(.oneByOne)
        upstream.send(1)
        subscriber.request(.unlimited)
        XCTAssertEqual(mode(run), 0)
        XCTAssertFalse(run.answered.isBegun)
        upstream.send(2)
        XCTAssertEqual(mode(run), 0)
        upstream.finish()
    }

    func test_theLastOfAWindowEndsInATimeWithoutDemand() {
        let (run, subscriber) = attach(.first(2))
        upstream.send(1)
        XCTAssertFalse(run.held.isBegun)
        upstream.send(2)
        XCTAssertTrue(run.held.isBegun)
        XCTAssertFalse(run.answered.isBegun)
        subscriber.request(.max(1))
        XCTAssertFalse(run.held.isBegun)
        XCTAssertTrue(run.answered.isBegun)
        upstream.finish()
    }
}
