import Headgate
import TestSupport
import XCTest

/// The rules of the contract, each run over every operator of the catalogue.
final class CatalogueTests: XCTestCase {
    /// One run of an operator between an upstream that keeps to the contract and a recorder, driven at random.
    private final class Run {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder: Recorder<String, TestFailure>
        var random: SeededGenerator
        let clock = VirtualScheduler()
        var upstreamHasEnded = false
        var hasCancelled = false
        private var next = 0

        init(_ subject: CataloguedOperator, seed: UInt64) {
            random = SeededGenerator(seed: seed)
            recorder = Recorder()
            recorder.keepsSubscription = true
            recorder.onValue = { [unowned self] recorder, _ in
                switch Int.random(in: 0..<8, using: &self.random) {
                case 0: recorder.request(1)
                case 1: self.cancel()
                case 2: self.sendIfOwed()
                case 3, 4: return .max(1)
                default: break
                }
                return .none
            }
            Catalogue.clock = clock
            subject.apply(upstream.eraseToAnyPublisher()).subscribe(recorder)
            clock.runDue()
        }

        var owed: Subscribers.Demand { upstream.requested + answered - sent }
        private var answered = Subscribers.Demand.none
        private var sent = 0
        private var isSending = false

        /// Sends a value if one is owed, as a source that keeps to the contract: never inside the delivery of another.
        func sendIfOwed() {
            if isSending || upstreamHasEnded || !upstream.isConnected || owed == .none { return }
            isSending = true
            sent += 1
            next += 1
            answered += upstream.send(next % 7)
            isSending = false
        }

        func end(_ completion: Subscribers.Completion<TestFailure>) {
            if isSending || upstreamHasEnded || !upstream.isConnected { return }
            upstreamHasEnded = true
            upstream.send(completion: completion)
        }

        func cancel() {
            if hasCancelled { return }
            hasCancelled = true
            recorder.cancel()
        }

        func doSomething() {
            switch Int.random(in: 0..<28, using: &random) {
            case 0: end(.finished)
            case 1: end(.failure(.first))
            case 2: cancel()
            case 3: recorder.request(.none)
            case 4: recorder.request(.unlimited)
            case 5...10: recorder.request(Int.random(in: 1...3, using: &random))
            case 11, 12: clock.advance(by: 1)
            case 13: clock.runDue()
            default: sendIfOwed()
            }
        }
    }

    private func forEachRun(
        runs: Int = 100, steps: Int = 30, _ check: (CataloguedOperator, Run, _ note: String) -> Void
    ) {
        for subject in Catalogue.operators {
            for seed in 0..<UInt64(runs) {
                let run = Run(subject, seed: seed)
                for _ in 0..<steps { run.doSomething() }
                run.clock.runDue()
                check(subject, run, "\(subject.name), seed \(seed): \(run.recorder.events) \(run.upstream.calls)")
            }
        }
    }

    func test_keepsToTheContractUnderRandomScripts_1_1_to_1_4_and_4_1() {
        forEachRun { _, run, note in
            XCTAssertEqual(run.recorder.breaches, [], note)
        }
    }

    func test_cancelsUpstreamOnceOnEveryExit_5_1() {
        forEachRun { _, run, note in
            let downstreamIsOver =
                (run.hasCancelled || run.recorder.completion != nil) && run.upstream.subscriptionCount > 0
            if run.upstreamHasEnded {
                XCTAssertLessThanOrEqual(run.upstream.cancelCount, 1, note)
            } else {
                XCTAssertEqual(run.upstream.cancelCount, downstreamIsOver ? 1 : 0, note)
            }
        }
    }

    func test_cancelsUpstreamBeforeItEndsTheStream_5_2() {
        var earlyEnds = 0
        // Two conduits, of which the inner one hears of the end while it delivers, and cancels when it has.
        for subject in Catalogue.operators where subject.name != "zip of three" {
            let upstream = HandPublisher<Int, TestFailure>()
            let recorder = Recorder<String, TestFailure>(demand: .unlimited)
            var hasEndedUpstream = false
            recorder.onCompletion = { _ in
                if hasEndedUpstream { return }
                earlyEnds += 1
                XCTAssertEqual(upstream.cancelCount, 1, subject.name)
            }
            subject.apply(upstream.eraseToAnyPublisher()).subscribe(recorder)
            for value in 0..<8 where upstream.isConnected { upstream.send(value) }
            hasEndedUpstream = true
            upstream.finish()
        }
        XCTAssertGreaterThan(earlyEnds, 10)
    }

    func test_takesNoNoticeOfARequestForNothing_2_3() {
        for subject in Catalogue.operators {
            let upstream = HandPublisher<Int, TestFailure>()
            let recorder = Recorder<String, TestFailure>()
            recorder.keepsSubscription = true
            subject.apply(upstream.eraseToAnyPublisher()).subscribe(recorder)
            let requested = upstream.requested
            let events = recorder.events
            recorder.request(.none)
            XCTAssertEqual(upstream.requested, requested, subject.name)
            XCTAssertEqual(recorder.events, events, subject.name)
            upstream.finish()
            recorder.request(.none)
            recorder.cancel()
            recorder.request(.none)
            XCTAssertEqual(recorder.breaches, [], subject.name)
        }
    }

    func test_takesNoNoticeOfARequestAfterTheEndOrCancel_2_5() {
        var ends = 0
        for subject in Catalogue.operators {
            for (demand, cancels) in [(1, true), (1000, false)] {
                let recorder = Recorder<String, TestFailure>()
                recorder.keepsSubscription = true
                subject.apply((0..<100).publisher.setFailureType(to: TestFailure.self).eraseToAnyPublisher())
                    .subscribe(recorder)
                recorder.request(demand)
                if cancels { recorder.cancel() } else if recorder.completion == nil { continue }
                ends += 1
                let events = recorder.events
                recorder.request(5)
                XCTAssertEqual(recorder.events, events, subject.name)
                XCTAssertEqual(recorder.breaches, [], subject.name)
            }
        }
        XCTAssertGreaterThan(ends, 90)
    }

    func test_letsGoOfEverythingAtTheEnd_5_3() {
        for subject in Catalogue.operators {
            for exit in ["finish", "failure", "cancel"] {
                weak var weakRecorder: Recorder<String, TestFailure>?
                weak var subscription: (any Subscription)?
                Catalogue.clock = VirtualScheduler()
                do {
                    let upstream = HandPublisher<Int, TestFailure>()
                    do {
                        let recorder = Recorder<String, TestFailure>(demand: .max(2))
                        weakRecorder = recorder
                        recorder.keepsSubscription = true
                        subject.apply(upstream.eraseToAnyPublisher()).subscribe(recorder)
                        Catalogue.clock.runDue()
                        subscription = upstream.lastSubscription
                        if upstream.requested > .none { upstream.send(1) }
                        switch exit {
                        case "finish":
                            recorder.request(.unlimited)
                            upstream.finish()
                        case "failure": upstream.send(completion: .failure(.first))
                        default: recorder.cancel()
                        }
                        Catalogue.clock.advance(by: 1)
                        if recorder.completion == nil { recorder.cancel() }
                        Catalogue.clock.runDue()
                    }
                }
                XCTAssertNil(weakRecorder, "\(subject.name) keeps its subscriber after \(exit)")
                XCTAssertNil(subscription, "\(subject.name) keeps its upstream's subscription after \(exit)")
            }
        }
    }

    func test_cancelsASecondSubscription_6_1() {
        for subject in Catalogue.operators {
            Catalogue.clock = VirtualScheduler()
            let upstream = HandPublisher<Int, TestFailure>()
            let sink = subject.apply(upstream.eraseToAnyPublisher())
                .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
            Catalogue.clock.runDue()
            let count = upstream.cancelCount
            upstream.sendSubscription()
            if upstream.isConnected || count == 0 { XCTAssertEqual(upstream.cancelCount, 1, subject.name) }
            sink.cancel()
        }
    }

    func test_passesALongStreamAskedForOneByOne_4_2() {
        for subject in Catalogue.operators {
            Catalogue.clock = VirtualScheduler()
            let recorder = Recorder<String, TestFailure>(demand: .max(1)) { recorder, _ in
                recorder.request(1)
                return .none
            }
            subject.apply((0..<4000).publisher.setFailureType(to: TestFailure.self).eraseToAnyPublisher())
                .subscribe(recorder)
            Catalogue.clock.advance(by: 60)
            XCTAssertEqual(recorder.breaches, [], subject.name)
        }
    }

    func test_requestingNothingDoesNothing_3_2() {
        for subject in Catalogue.operators {
            Catalogue.clock = VirtualScheduler()
            let upstream = HandPublisher<Int, TestFailure>()
            let recorder = Recorder<String, TestFailure>()
            subject.apply(upstream.eraseToAnyPublisher()).subscribe(recorder)
            Catalogue.clock.runDue()
            let requested = upstream.requested
            let events = recorder.events
            for _ in 0..<3 { recorder.request(.none) }
            Catalogue.clock.runDue()
            XCTAssertEqual(upstream.requested, requested, subject.name)
            XCTAssertEqual(recorder.events, events, subject.name)
        }
    }

    func test_whatIsSaidBehindCancelIsNotHeard_5_2() {
        for subject in Catalogue.operators {
            Catalogue.clock = VirtualScheduler()
            let upstream = HandPublisher<Int, TestFailure>()
            let recorder = Recorder<String, TestFailure>(demand: .max(1))
            recorder.keepsSubscription = true
            subject.apply(upstream.eraseToAnyPublisher()).subscribe(recorder)
            Catalogue.clock.runDue()
            recorder.cancel()
            Catalogue.clock.runDue()
            let calls = upstream.calls
            recorder.cancel()
            recorder.request(2)
            recorder.request(.unlimited)
            Catalogue.clock.advance(by: 60)
            // Some hand on the subscription of upstream as it is, and have nothing to hear with.
            if recorder.events.first != .subscription("HandPublisher") {
                XCTAssertEqual(upstream.calls, calls, subject.name)
            }
            XCTAssertEqual(recorder.breaches, [], subject.name)
        }
    }

    func test_whoNeverAsksGetsNoValue_2_1() {
        for subject in Catalogue.operators {
            Catalogue.clock = VirtualScheduler()
            let subjectUpstream = PassthroughSubject<Int, TestFailure>()
            let recorder = Recorder<String, TestFailure>()
            subject.apply(subjectUpstream.eraseToAnyPublisher()).subscribe(recorder)
            for number in 0..<10 {
                Catalogue.clock.advance(by: 1)
                subjectUpstream.send(number % 7)
            }
            subjectUpstream.send(completion: .finished)
            Catalogue.clock.advance(by: 60)
            XCTAssertEqual(recorder.values, [], subject.name)
            XCTAssertEqual(recorder.breaches, [], subject.name)
        }
    }
}
