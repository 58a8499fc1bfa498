import Foundation
import HeadgateCombine
import Synchronization
import TestSupport
import XCTest

private let stops = Atomic(0)

final class BreakpointTests: XCTestCase {
    private var previous: sigaction = sigaction()

    override func setUp() {
        super.setUp()
        stops.store(0, ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in _ = stops.add(1, ordering: .relaxed) }
        sigaction(SIGTRAP, &action, &previous)
    }

    override func tearDown() {
        sigaction(SIGTRAP, &previous, nil)
        super.tearDown()
    }

    private func stopCount(_ body: () -> Void) -> Int {
        let before = stops.load(ordering: .relaxed)
        body()
        return stops.load(ordering: .relaxed) - before
    }

    func test_stopsWhereAClosureSaysSo() {
        let numbers = (1...3).publisher
        XCTAssertEqual(stopCount { _ = numbers.breakpoint(receiveOutput: { $0 > 1 }).sink { _ in } }, 2)
        XCTAssertEqual(stopCount { _ = numbers.breakpoint(receiveSubscription: { _ in true }).sink { _ in } }, 1)
        XCTAssertEqual(stopCount { _ = numbers.breakpoint(receiveCompletion: { _ in true }).sink { _ in } }, 1)
        XCTAssertEqual(stopCount { _ = numbers.breakpoint(receiveOutput: { $0 > 3 }).sink { _ in } }, 0)
        XCTAssertEqual(stopCount { _ = numbers.breakpoint().sink { _ in } }, 0)
    }

    func test_stopsAtAFailure() {
        let recorder = Recorder<Int, TestFailure>()
        XCTAssertEqual(stopCount { Fail(error: .first).breakpointOnError().subscribe(recorder) }, 1)
        XCTAssertEqual(recorder.failure, .first)
        XCTAssertEqual(stopCount { _ = Just(1).breakpointOnError().sink { _ in } }, 0)
    }

    func test_isTransparent() {
        let upstream = HandPublisher<Int, Never>()
        let recorder = Recorder<Int, Never>(demand: .max(2)) { _, _ in .max(1) }
        upstream.breakpoint().subscribe(recorder)
        XCTAssertEqual(upstream.send(1), .max(1))
        upstream.finish()
        XCTAssertEqual(recorder.events, [.subscription("HandPublisher"), .value(1), .completion(.finished)])
        let other = Recorder<Int, Never>()
        upstream.breakpoint().subscribe(other)
        other.cancel()
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .request(.none), .cancel])
    }

    func test_letsGoOfClosuresAndSubscriber() {
        assertLetsGo { tracked in
            Just(tracked).breakpoint(receiveOutput: { _ in
                _ = tracked
                return false
            })
        }
    }
}
