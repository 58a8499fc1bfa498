import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class CircuitTests: XCTestCase {
    private var circuit = Circuit(CircuitBreakerPolicy(failures: 2, openFor: .seconds(10), successes: 2))

    private func run(_ outcome: Circuit.Outcome, at second: Int) {
        guard let ticket = circuit.admit(at: .seconds(second)) else { return XCTFail("rejected at \(second)") }
        circuit.end(ticket, outcome, at: .seconds(second))
    }

    func test_opensAfterSoManyFailuresInARow() {
        run(.failed, at: 0)
        run(.succeeded, at: 0)
        run(.failed, at: 0)
        XCTAssertEqual(circuit.state, .closed)
        run(.neutral, at: 0)
        run(.failed, at: 1)
        XCTAssertEqual(circuit.state, .open)
        XCTAssertNil(circuit.admit(at: .seconds(10)))
    }

    func test_triesOneRunAtATimeAndClosesAfterSoManySuccesses() throws {
        run(.failed, at: 0)
        run(.failed, at: 0)
        let trial = try XCTUnwrap(circuit.admit(at: .seconds(10)))
        XCTAssertEqual(circuit.state, .halfOpen)
        XCTAssertNil(circuit.admit(at: .seconds(10)), "one is being tried")
        circuit.end(trial, .succeeded, at: .seconds(11))
        XCTAssertEqual(circuit.state, .halfOpen)
        run(.succeeded, at: 12)
        XCTAssertEqual(circuit.state, .closed)
    }

    func test_aTrialThatFailsOpensItAnewAndOneThatIsCancelledMakesRoomForAnother() throws {
        run(.failed, at: 0)
        run(.failed, at: 0)
        run(.neutral, at: 10)
        XCTAssertEqual(circuit.state, .halfOpen)
        run(.failed, at: 11)
        XCTAssertEqual(circuit.state, .open)
        XCTAssertNil(circuit.admit(at: .seconds(20)))
        XCTAssertNotNil(circuit.admit(at: .seconds(21)))
    }

    func test_aRunOfAnEarlierTimeHasNoSay() throws {
        let late = try XCTUnwrap(circuit.admit(at: .zero))
        run(.failed, at: 0)
        run(.failed, at: 0)
        circuit.end(late, .succeeded, at: .seconds(1))
        XCTAssertEqual(circuit.state, .open)
        let trial = try XCTUnwrap(circuit.admit(at: .seconds(10)))
        circuit.end(late, .failed, at: .seconds(10))
        XCTAssertEqual(circuit.state, .halfOpen)
        circuit.end(trial, .succeeded, at: .seconds(10))
        circuit.end(trial, .succeeded, at: .seconds(10))
    }

    func test_triesAsManyRunsAtATimeAsThePolicySays() throws {
        circuit = Circuit(CircuitBreakerPolicy(failures: 1, openFor: .seconds(10), trials: 2))
        run(.failed, at: 0)
        let trial = try XCTUnwrap(circuit.admit(at: .seconds(10)))
        XCTAssertNotNil(circuit.admit(at: .seconds(10)))
        XCTAssertNil(circuit.admit(at: .seconds(10)))
        circuit.end(trial, .neutral, at: .seconds(11))
        XCTAssertNotNil(circuit.admit(at: .seconds(11)))
    }

    func test_triesTwiceAsManyAfterARejectionMayHaveCancelledATrial() throws {
        circuit = Circuit(CircuitBreakerPolicy(failures: 1, openFor: .seconds(10)))
        run(.failed, at: 0)
        for places in [1, 2, 4] {
            let trials = (0..<places).compactMap { _ in circuit.admit(at: .seconds(20)) }
            XCTAssertEqual(trials.count, places)
            XCTAssertNil(circuit.admit(at: .seconds(20)))
            trials.forEach { circuit.end($0, .neutral, at: .seconds(20)) }
        }
        run(.succeeded, at: 30)
        XCTAssertEqual(circuit.state, .closed)
        run(.failed, at: 30)
        XCTAssertNotNil(circuit.admit(at: .seconds(40)))
        XCTAssertNil(circuit.admit(at: .seconds(40)), "one again")
    }

    func test_saysWhatItsPolicyIs() {
        XCTAssertEqual(
            "\(circuit.policy)", "opens after 2 failures in a row for 10.0 seconds, closes after 2 successes in a row")
        XCTAssertEqual("\(CircuitOpen(name: "stock"))", "the circuit of stock is open")
        XCTAssertEqual("\(CircuitOpen(name: ""))", "the circuit is open")
    }
}

final class CircuitBreakerTests: XCTestCase {
    private let scheduler = TestScheduler()
    private lazy var breaker = CircuitBreaker(
        CircuitBreakerPolicy(failures: 2, openFor: .seconds(10)), name: "stock", scheduler: scheduler)

    private func run(_ upstream: TestPublisher<Int, any Error>) -> TestSubscriber<Int, any Error> {
        let subscriber = TestSubscriber<Int, any Error>.checked(.first(3))
        upstream.circuitBreaker(breaker).subscribe(subscriber)
        return subscriber
    }

    func test_rejectsWithoutSubscribingWhileItIsOpenAndClosesAfterASuccess() {
        let upstream = TestPublisher<Int, any Error>()
        var states: [CircuitState] = []
        let watch = breaker.statePublisher.sink { states.append($0) }
        for _ in 0..<2 {
            let subscriber = run(upstream)
            upstream.send(1)
            upstream.fail(TestFailure.first)
            XCTAssertEqual(subscriber.failure as? TestFailure, .first)
        }
        let rejected = run(upstream)
        XCTAssertEqual(rejected.failure as? CircuitOpen, CircuitOpen(name: "stock"))
        XCTAssertEqual(upstream.subscriptionCount, 2)
        scheduler.advance(by: 10)
        let trial = run(upstream)
        XCTAssertEqual(upstream.subscriptionCount, 3)
        XCTAssertNotNil(run(upstream).failure, "one is being tried")
        upstream.finish()
        XCTAssertTrue(trial.hasFinished)
        XCTAssertEqual(states, [.closed, .open, .halfOpen, .closed])
        watch.cancel()
    }

    func test_aTrialThatIsCancelledMakesRoomForAnother() {
        let upstream = TestPublisher<Int, any Error>()
        for _ in 0..<2 {
            _ = run(upstream)
            upstream.fail(TestFailure.first)
        }
        scheduler.advance(by: 10)
        run(upstream).cancel()
        XCTAssertNil(run(upstream).failure)
    }

    func test_aRunSucceedsAfterAsManyValuesAsThePolicySays() {
        let policy = CircuitBreakerPolicy(failures: 2, openFor: .seconds(10), values: 2)
        breaker = CircuitBreaker(policy, scheduler: scheduler)
        XCTAssertEqual(
            "\(policy)",
            "opens after 2 failures in a row for 10.0 seconds, closes after 1 success; a run succeeds after 2 values")
        let upstream = TestPublisher<Int, any Error>()
        for _ in 0..<2 {
            _ = run(upstream)
            upstream.send(1)
            upstream.fail(TestFailure.first)
        }
        scheduler.advance(by: 10)
        let trial = run(upstream)
        upstream.send(1)
        XCTAssertEqual(breaker.state, .halfOpen)
        upstream.send(2)
        XCTAssertEqual(breaker.state, .closed, "it need not end")
        upstream.send(3)
        upstream.fail(TestFailure.first)
        XCTAssertNotNil(trial.failure)
        XCTAssertEqual(breaker.state, .closed)
        _ = run(upstream)
        upstream.fail(TestFailure.first)
        XCTAssertEqual(breaker.state, .open, "a failure after the success counts as the first of two")
    }

    func test_aTrialThatHasSucceededByItsValuesMakesRoomForAnother() {
        breaker = CircuitBreaker(
            CircuitBreakerPolicy(failures: 1, openFor: .seconds(10), successes: 2, values: 1), scheduler: scheduler)
        let upstreams = (0..<3).map { _ in TestPublisher<Int, any Error>() }
        _ = run(upstreams[0])
        upstreams[0].fail(TestFailure.first)
        scheduler.advance(by: 10)
        let first = run(upstreams[1])
        upstreams[1].send(1)
        XCTAssertEqual(breaker.state, .halfOpen)
        let second = run(upstreams[2])
        XCTAssertNil(second.failure)
        first.cancel()
        XCTAssertNotNil(run(upstreams[0]).failure, "the second is being tried")
        upstreams[2].finish()
        XCTAssertEqual(breaker.state, .closed)
    }

    func test_aStateThatChangesWhileAnotherIsPublishedIsPublishedAfterIt() {
        let upstream = TestPublisher<Int, any Error>()
        var states: [CircuitState] = []
        let watch = breaker.statePublisher.sink { [self] state in
            if state == .open {
                scheduler.advance(by: 10)
                let trial = run(upstream)
                upstream.finish()
                XCTAssertTrue(trial.hasFinished)
                XCTAssertEqual(breaker.state, .closed)
            }
            states.append(state)
        }
        for _ in 0..<2 {
            _ = run(upstream)
            upstream.fail(TestFailure.first)
        }
        XCTAssertEqual(states, [.closed, .open, .halfOpen, .closed])
        watch.cancel()
    }

    func test_failuresThatDoNotCountLeaveItClosed() {
        for _ in 0..<10 {
            let subscriber = TestSubscriber<Int, any Error>.checked(.unlimited)
            Fail(error: TestFailure.second as any Error)
                .circuitBreaker(breaker, where: { ($0 as? TestFailure) != .second })
                .subscribe(subscriber)
        }
        XCTAssertEqual(breaker.state, .closed)
    }

    func test_aTypedFailureIsMade() {
        let breaker = CircuitBreaker(
            CircuitBreakerPolicy(failures: 1, openFor: .seconds(1)), scheduler: ImmediateScheduler.shared)
        let made = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        for subscriber in [TestSubscriber<Int, TestFailure>.checked(.unlimited), made] {
            FailsAtOnce().circuitBreaker(breaker, rejected: { _ in .second }).subscribe(subscriber)
        }
        XCTAssertEqual(made.failure, .second, "a clock that stands still keeps it open")
    }

    func test_worksWithARealClock() {
        let breaker = CircuitBreaker(
            CircuitBreakerPolicy(failures: 1, openFor: .milliseconds(1)), scheduler: DispatchQueue(label: "clock"))
        FailsAtOnce().circuitBreaker(breaker, rejected: { _ in .second })
            .subscribe(TestSubscriber<Int, TestFailure>.checked(.unlimited))
        XCTAssertEqual(breaker.state, .open)
        waitUntil {
            Just(1).setFailureType(to: TestFailure.self).circuitBreaker(breaker, rejected: { _ in .second })
                .subscribe(TestSubscriber<Int, TestFailure>.checked(.unlimited))
            return breaker.state == .closed
        }
    }
}

final class CircuitBreakerConcurrencyTests: XCTestCase {
    func test_runsOfSeveralThreadsAreCountedOnceEach() {
        let breaker = CircuitBreaker(
            CircuitBreakerPolicy(failures: 400, openFor: .seconds(1000)), scheduler: ImmediateScheduler.shared)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<100 {
                FailsAtOnce().circuitBreaker(breaker, rejected: { _ in .second })
                    .subscribe(TestSubscriber<Int, TestFailure>.checked(.unlimited))
            }
        }
        XCTAssertEqual(breaker.state, .open)
    }

    func test_theLastPublishedStateIsTheState() {
        for _ in 1...300 {
            let breaker = CircuitBreaker(
                CircuitBreakerPolicy(failures: 1, openFor: .zero), scheduler: ImmediateScheduler.shared)
            let published = Guarded<[CircuitState]>([])
            let watch = breaker.statePublisher.sink { state in published.withLock { $0.append(state) } }
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                for _ in 0..<10 {
                    FailsAtOnce().circuitBreaker(breaker, rejected: { _ in .second })
                        .subscribe(TestSubscriber<Int, TestFailure>.checked(.unlimited))
                    Just(1).setFailureType(to: TestFailure.self).circuitBreaker(breaker, rejected: { _ in .second })
                        .subscribe(TestSubscriber<Int, TestFailure>.checked(.unlimited))
                }
            }
            let states = published.withLock { $0 }
            XCTAssertEqual(states.last, breaker.state)
            for (state, next) in zip(states, states.dropFirst()) {
                XCTAssertTrue(state == .open ? next == .halfOpen : state == .closed ? next == .open : true)
            }
            watch.cancel()
        }
    }
}

extension CircuitBreakerTests {
    // Two runs in one stream.

    func test_aStreamThatMakesTwoRunsAtOnceCloses() {
        breaker = CircuitBreaker(
            CircuitBreakerPolicy(failures: 1, openFor: .seconds(5)), name: "stock", scheduler: scheduler)
        var isUp = false
        let scheduler = self.scheduler
        let breaker = self.breaker
        func get(_ id: Int) -> some Publisher<Int, any Error> {
            Deferred {
                isUp
                    ? Just(id).setFailureType(to: (any Error).self).delay(for: 1, scheduler: scheduler)
                        .eraseToAnyPublisher()
                    : Fail<Int, any Error>(error: TestFailure.first).eraseToAnyPublisher()
            }
            .circuitBreaker(breaker)
        }
        var answered = 0
        for minute in 0...4 {
            isUp = minute > 0
            let page = get(1).zip(get(2)).sink(receiveCompletion: { _ in }, receiveValue: { _ in answered += 1 })
            scheduler.advance(by: .seconds(60))
            page.cancel()
        }
        XCTAssertEqual(breaker.state, .closed)
        XCTAssertEqual(answered, 3, "all but the first minute after the service is back")
    }

    func test_aTrialThatIsReleasedWithoutAnEndGivesItsPlaceBack() {
        breaker = CircuitBreaker(CircuitBreakerPolicy(failures: 1, openFor: .seconds(1)), scheduler: scheduler)
        let broken = TestPublisher<Int, any Error>()
        _ = run(broken)
        broken.send(completion: .failure(TestFailure.first))
        scheduler.advance(by: .seconds(2))
        Vanishing().circuitBreaker(breaker).subscribe(
            Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
        XCTAssertEqual(breaker.state, .halfOpen)
        let next = TestPublisher<Int, any Error>()
        let subscriber = run(next)
        next.send(completion: .finished)
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(breaker.state, .closed)
    }

    /// Releases its subscriber without an end.
    private struct Vanishing: Publisher {
        typealias Output = Int
        typealias Failure = any Error

        func receive(subscriber: some Subscriber<Int, any Error>) {
            subscriber.receive(subscription: Subscriptions.empty)
        }
    }

    func test_aRunThatATimeoutCancelsCountsIfThePolicySaysSo() {
        for (silence, order, state) in [
            (nil, "before", CircuitState.closed), (.seconds(1), "before", .open), (nil, "after", .open),
        ] as [(Duration?, String, CircuitState)] {
            let breaker = CircuitBreaker(
                CircuitBreakerPolicy(failures: 3, openFor: .seconds(60), silence: silence), scheduler: scheduler)
            for _ in 1...3 {
                let service = Empty<Int, any Error>(completeImmediately: false)
                let broken =
                    order == "before"
                    ? service.circuitBreaker(breaker)
                        .timeout(.seconds(1), scheduler: scheduler, customError: { TestFailure.first })
                        .eraseToAnyPublisher()
                    : service.timeout(.seconds(1), scheduler: scheduler, customError: { TestFailure.first })
                        .circuitBreaker(breaker).eraseToAnyPublisher()
                broken.subscribe(Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
                scheduler.advance(by: .seconds(2))
            }
            XCTAssertEqual(breaker.state, state, "\(order) \(String(describing: silence))")
        }
    }

    func test_aRunThatHasAnsweredIsNotSilent() {
        breaker = CircuitBreaker(
            CircuitBreakerPolicy(failures: 1, openFor: .seconds(60), silence: .seconds(1)), scheduler: scheduler)
        let upstream = TestPublisher<Int, any Error>()
        let subscriber = run(upstream)
        upstream.send(1)
        scheduler.advance(by: .seconds(5))
        subscriber.cancel()
        XCTAssertEqual(breaker.state, .closed)
    }
}
