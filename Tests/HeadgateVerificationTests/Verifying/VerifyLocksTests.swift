import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// A lock that one thread can't take twice is found before anybody waits for it in vain.
final class VerifyLocksTests: XCTestCase {
    private let effort = Effort(depth: 3, systematicScripts: 100, randomScripts: 20, timeout: 50)

    private func assertCaught(
        _ report: Verification, _ finding: String, file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertEqual(report.brokenRules, [.noLockHeld], "\(report)", file: file, line: line)
        XCTAssertEqual(report.broken.first?.breach.finding, finding, file: file, line: line)
        let reason = "while a lock is held, a script may never return"
        XCTAssertEqual(report[.valuesAgainstDemand], .notCheckable(reason), file: file, line: line)
    }

    func test_aLockHeldWhileAValueIsDelivered() {
        assertCaught(
            verify(publisher: LockingCountdown(holds: .value), .finite, effort: effort),
            "request(_:) on another thread waits for the delivery to return")
        assertCaught(
            verify(operator: { Locking(upstream: $0, holds: .value) }, effort: effort),
            "request(_:) on another thread waits for the delivery to return")
    }

    func test_aLockHeldWhileTheSubscriptionIsHandedOut() {
        assertCaught(
            verify(publisher: LockingCountdown(holds: .subscription), .finite, effort: effort),
            "request(_:) on another thread waits for receive(subscription:) to return")
    }

    /// No script calls back on the thread that is inside `receive(completion:)`, so all scripts return.
    func test_aLockHeldWhileTheEndIsReportedHidesNoOtherRule() {
        let report = verify(publisher: LockingCountdown(holds: .end), .finite, effort: effort)
        XCTAssertEqual(report.brokenRules, [.noLockHeld], "\(report)")
        XCTAssertEqual(
            report.broken.first?.breach.finding,
            "request(_:) on another thread waits for receive(completion:) to return")
        XCTAssertEqual(report[.valuesAgainstDemand], .held)
        XCTAssertTrue(report.isComplete)
        XCTAssertTrue(report.excusing(.noLockHeld, because: "it is known").isConforming)
    }

    /// What hangs can't be checked, and an excuse does not turn that into conformance.
    func test_excusingALockIsNotEnoughIfScriptsNeverReturn() {
        let report = verify(publisher: LockingCountdown(holds: .value), .finite, effort: effort)
            .excusing(.noLockHeld, because: "it is known")
        XCTAssertEqual(report.brokenRules, [])
        XCTAssertFalse(report.isComplete)
        XCTAssertFalse(report.isConforming)
        XCTAssertTrue(report.unchecked.contains(.demandAddsUp))
        var failures: [String] = []
        report.check { message, _, _ in failures.append(message) }
        XCTAssertEqual(failures.count, 1)
        XCTAssertTrue(failures[0].hasPrefix("publisher is not checked completely:"), failures[0])
    }

    func test_aLockHeldWhileUpstreamIsRequested() {
        assertCaught(
            verify(operator: { Locking(upstream: $0, holds: .request) }, effort: effort),
            "another thread that requests or delivers waits while upstream is requested from")
    }

    func test_aLockHeldWhileUpstreamIsCancelledHidesNoOtherRule() {
        let report = verify(operator: { Locking(upstream: $0, holds: .cancel) }, .transparent, effort: effort)
        XCTAssertEqual(report.brokenRules, [.noLockHeld], "\(report)")
        XCTAssertEqual(
            report.broken.first?.breach.finding,
            "another thread that requests or delivers waits while upstream is cancelled")
        XCTAssertTrue(report.isComplete)
    }

    func test_raisesNoAlarmAboutALockThatIsFreeDuringCalls() {
        let publisher = verify(publisher: LockingCountdown(holds: nil), .finite, effort: effort)
        XCTAssertEqual(publisher.broken.map(\.description), [])
        let report = verify(operator: { Locking(upstream: $0, holds: nil) }, .transparent, effort: effort)
        XCTAssertEqual(report.broken.map(\.description), [])
    }
}

/// Counts down from three, and holds its lock at one place.
private struct LockingCountdown: Publisher {
    enum Place { case subscription, value, end }

    typealias Output = Int
    typealias Failure = Never

    let holds: Place?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        let inner = Inner(subscriber, holds: holds)
        inner.call(at: .subscription) { subscriber.receive(subscription: inner) }
    }

    private final class Inner<S: Subscriber>: Subscription where S.Input == Int, S.Failure == Never {
        private let holds: Place?
        private let lock = NSLock()
        private var downstream: S?
        private var outstanding = Subscribers.Demand.none
        private var isServing = false
        private var next = 3

        init(_ downstream: S, holds: Place?) {
            self.downstream = downstream
            self.holds = holds
        }

        func call<Result>(at place: Place, _ body: () -> Result) -> Result {
            place == holds ? lock.withLock(body) : body()
        }

        func request(_ demand: Subscribers.Demand) {
            let isMine = lock.withLock {
                outstanding += demand
                defer { isServing = true }
                return !isServing
            }
            guard isMine else { return }
            while let (value, downstream) = take() {
                let more = call(at: .value) { downstream.receive(value) }
                lock.withLock { outstanding += more }
            }
            guard let downstream = lock.withLock({ next == 0 ? downstream.take() : nil }) else { return }
            call(at: .end) { downstream.receive(completion: .finished) }
        }

        private func take() -> (Int, S)? {
            lock.withLock {
                guard outstanding > .none, next > 0, let downstream else {
                    isServing = false
                    return nil
                }
                outstanding -= 1
                next -= 1
                return (next + 1, downstream)
            }
        }

        func cancel() { _ = lock.withLock { downstream.take() } }
    }
}

/// Passes everything on, and holds its lock at one place.
private struct Locking<Upstream: Publisher>: Publisher {
    enum Place { case value, request, cancel }

    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    let holds: Place?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        upstream.subscribe(Inner(subscriber, holds: holds))
    }

    private final class Inner<S: Subscriber>: Subscriber, Subscription
    where S.Input == Upstream.Output, S.Failure == Upstream.Failure {
        typealias Input = S.Input
        typealias Failure = S.Failure

        private let holds: Place?
        private let lock = NSLock()
        private var downstream: S?
        private var upstream: (any Subscription)?

        init(_ downstream: S, holds: Place?) {
            self.downstream = downstream
            self.holds = holds
        }

        private func call<Result>(at place: Place, _ body: () -> Result) -> Result {
            lock.withLock {}
            return place == holds ? lock.withLock(body) : body()
        }

        func receive(subscription: any Subscription) {
            upstream = subscription
            downstream?.receive(subscription: self)
        }

        func receive(_ input: Input) -> Subscribers.Demand { call(at: .value) { downstream?.receive(input) ?? .none } }

        func receive(completion: Subscribers.Completion<Failure>) {
            let old = upstream.take()
            downstream.take()?.receive(completion: completion)
            withExtendedLifetime(old) {}
        }

        func request(_ demand: Subscribers.Demand) { call(at: .request) { upstream?.request(demand) } }

        func cancel() {
            call(at: .cancel) { upstream.take()?.cancel() }
            downstream = nil
        }
    }
}
