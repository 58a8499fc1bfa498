import Headgate
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class UsingWhenTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    private let acquisition = Hand()
    private let upstream = Hand()
    private let cleaning = Hand()
    private let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)

    private var outcomes: [String] = []

    private func connect(_ subscriber: TestSubscriber<Int, TestFailure>) {
        Publishers.usingWhen(acquire: acquisition) { _ in
            self.upstream
        } release: { resource, outcome in
            self.outcomes.append("\(resource) \(outcome)")
            return self.cleaning
        }
        .subscribe(subscriber)
    }

    func test_theEndWaitsForTheRelease() {
        connect(subscriber)
        acquisition.send(7)
        XCTAssertEqual(acquisition.cancelCount, 1, "one resource is enough")
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(outcomes, ["7 finished"])
        XCTAssertNil(subscriber.completion)
        cleaning.send(0)
        cleaning.finish()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aFailureIsReportedAfterTheRelease() {
        connect(subscriber)
        acquisition.send(7)
        upstream.fail(.first)
        XCTAssertEqual(outcomes, ["7 failed(TestSupport.TestFailure.first)"])
        XCTAssertNil(subscriber.completion)
        cleaning.fail(.second)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_aReleaseThatFailsIsTheFailureOfAStreamThatHasFinished() {
        connect(subscriber)
        acquisition.send(7)
        upstream.finish()
        cleaning.fail(.second)
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_cancelReleasesAndDoesNotCancelTheRelease() {
        connect(subscriber)
        acquisition.send(7)
        subscriber.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(outcomes, ["7 cancelled"])
        XCTAssertTrue(cleaning.isConnected)
        XCTAssertEqual(cleaning.cancelCount, 0)
    }

    func test_cancelDuringTheReleaseLetsItGoOn() {
        connect(subscriber)
        acquisition.send(7)
        upstream.finish()
        subscriber.cancel()
        XCTAssertEqual(outcomes, ["7 finished"])
        XCTAssertTrue(cleaning.isConnected)
        XCTAssertEqual(cleaning.cancelCount, 0)
        cleaning.finish()
        XCTAssertNil(subscriber.completion)
    }

    func test_withoutAResourceNothingIsReleased() {
        connect(subscriber)
        acquisition.finish()
        XCTAssertTrue(subscriber.hasFinished)
        let other = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        connect(other)
        acquisition.fail(.first)
        XCTAssertEqual(other.failure, .first)
        let third = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        connect(third)
        third.cancel()
        XCTAssertEqual(acquisition.cancelCount, 0)
        acquisition.finish()
        XCTAssertEqual(outcomes, [])
    }

    func test_demandIsForwarded() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        connect(subscriber)
        acquisition.send(7)
        XCTAssertEqual(upstream.requested, .max(2))
        subscriber.request(.max(3))
        XCTAssertEqual(upstream.requested, .max(5))
    }

    func test_theEndNeedsNoDemand() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(1))
        connect(subscriber)
        acquisition.send(7)
        upstream.send(1)
        upstream.finish()
        cleaning.finish()
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_acquiresNothingBeforeThereIsDemand() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .none)
        connect(subscriber)
        XCTAssertEqual(acquisition.requested, .none)
        subscriber.request(1)
        XCTAssertTrue(acquisition.requested > .none)
    }

    func test_aReleaseThatFailsAfterCancelIsUndeliverable() {
        let received = Atomic(0)
        Undeliverables.observe { signal in
            if case .failure(let failure) = signal, failure as? TestFailure == .second {
                received.add(1, ordering: .relaxed)
            }
        }
        defer { Undeliverables.observe(nil) }
        connect(subscriber)
        acquisition.send(7)
        subscriber.cancel()
        cleaning.fail(.second)
        XCTAssertEqual(received.load(ordering: .relaxed), 1)
    }
}

final class UsingWhenConcurrencyTests: XCTestCase {
    func test_releasesOnceWhenTheEndAndCancelMeet() {
        for _ in 0..<200 {
            let released = Atomic(0)
            let upstream = PassthroughSubject<Int, Never>()
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            Publishers.usingWhen(acquire: Just(1)) { _ in
                upstream
            } release: { _, _ in
                released.add(1, ordering: .relaxed)
                return Empty<Int, Never>()
            }
            .subscribe(subscriber)
            onThreads(2) { number in
                if number == 0 { upstream.send(completion: .finished) } else { subscriber.cancel() }
            }
            XCTAssertEqual(released.load(ordering: .relaxed), 1)
        }
    }
}

extension UsingWhenTests {
    func test_aResourceThatComesAfterTheCancellationIsReleasedOnce() {
        connect(subscriber)
        subscriber.cancel()
        XCTAssertEqual(acquisition.cancelCount, 0, "it may be handing the resource out")
        XCTAssertEqual(outcomes, [])
        acquisition.send(7)
        XCTAssertEqual(outcomes, ["7 cancelled"])
        XCTAssertEqual(acquisition.cancelCount, 1)
        acquisition.finish()
        XCTAssertEqual(outcomes, ["7 cancelled"])
        XCTAssertEqual(subscriber.values, [])
    }

    func test_whatIsCancelledBeforeItsFirstDemandAcquiresNothing() {
        let patient = TestSubscriber<Int, TestFailure>.checked(.none)
        connect(patient)
        patient.cancel()
        XCTAssertEqual(acquisition.calls, [.cancel])
    }

    func test_aFutureThatIsFulfilledAfterTheCancellationIsReleased() {
        var fulfil: ((Result<Int, Never>) -> Void)?
        var released: [String] = []
        let reading = Publishers.usingWhen(acquire: Deferred { Future<Int, Never> { fulfil = $0 } }) { _ in
            Just("row")
        } release: { resource, outcome in
            released.append("\(resource) \(outcome)")
            return Empty<Never, Never>()
        }
        .sink { _ in XCTFail("cancelled") }
        reading.cancel()
        fulfil?(.success(1))
        XCTAssertEqual(released, ["1 cancelled"])
    }

    func test_anAcquisitionThatFailsAfterTheCancellationIsUndeliverable() {
        connect(subscriber)
        subscriber.cancel()
        acquisition.fail(.first)
        XCTAssertEqual(outcomes, [])
        XCTAssertNil(subscriber.completion)
    }
}
