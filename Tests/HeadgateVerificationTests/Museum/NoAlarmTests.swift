import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// Publishers that are right, in the styles in which they are met, raise no alarm.
final class NoAlarmTests: XCTestCase {
    private func assertConforming(_ report: Verification, file: StaticString = #filePath, line: UInt = #line) {
        report.check(file: file, line: line) { XCTFail($0, file: $1, line: $2) }
    }

    func test_oneValueByAFlag() {
        final class Once: Subscription {
            var downstream: ClosurePublisher.Visitor?
            init(_ downstream: ClosurePublisher.Visitor) { self.downstream = downstream }
            func request(_ demand: Subscribers.Demand) {
                guard demand > .none, let downstream = downstream.take() else { return }
                isDelivering = true
                _ = downstream.receive(7)
                if isDelivering { downstream.receive(completion: .finished) }
            }
            var isDelivering = false
            func cancel() {
                downstream = nil
                isDelivering = false
            }
        }
        assertConforming(verify(publisher: ClosurePublisher { $0.receive(subscription: Once($0)) }, .finite))
    }

    func test_loopWithAFlag() {
        assertConforming(
            verify(
                publisher: ClosurePublisher.answering(onRequest: {
                    $0.outstanding += $1
                    if $0.downstream != nil { $0.serve() }
                }), .finite))
    }

    func test_stateUnderALockThatIsFreeDuringDeliveries() {
        final class Locking: Subscription {
            private let lock = NSLock()
            private var downstream: ClosurePublisher.Visitor?
            private var next = 1
            private var outstanding = Subscribers.Demand.none
            private var isServing = false
            init(_ downstream: ClosurePublisher.Visitor) { self.downstream = downstream }
            func request(_ demand: Subscribers.Demand) {
                let isMine = lock.withLock {
                    outstanding += demand
                    defer { isServing = true }
                    return !isServing
                }
                guard isMine else { return }
                while let (value, downstream) = take() {
                    let more = downstream.receive(value)
                    lock.withLock { outstanding += more }
                }
            }
            private func take() -> (Int, ClosurePublisher.Visitor)? {
                lock.withLock {
                    guard outstanding > .none, let downstream else {
                        isServing = false
                        return nil
                    }
                    outstanding -= 1
                    next += 1
                    return (next, downstream)
                }
            }
            func cancel() { _ = lock.withLock { downstream.take() } }
        }
        assertConforming(verify(publisher: ClosurePublisher { $0.receive(subscription: Locking($0)) }, .unbounded))
    }

    func test_emptyAndFailing() {
        assertConforming(
            verify(
                publisher: ClosurePublisher {
                    $0.receive(subscription: Subscriptions.empty)
                    $0.receive(completion: .finished)
                }, .finite))
        assertConforming(
            verify(
                publisher: ClosurePublisher {
                    $0.receive(subscription: Subscriptions.empty)
                    $0.receive(completion: .failure(.upstreamFailed))
                }, [.finite, .fails]))
    }

    func test_silence() {
        assertConforming(verify(publisher: ClosurePublisher.answering(onRequest: { _, _ in })))
    }

    func test_timerThatTicksWhileRequested() {
        assertConforming(verify(publisher: { BadTimers.timer($0, .none) }, .finite))
    }

    func test_hotTimerThatDropsTicks() {
        for capabilities in [.hot, [.unbounded, .dropsUnasked]] as [Capabilities] {
            assertConforming(verify(publisher: { BadTickers.ticker($0, .none) }, capabilities))
        }
    }

    func test_sourceWithATimerOfItsOwn() {
        assertConforming(
            verify(
                publisher: { scheduler -> ClosurePublisher in
                    let meter = Meter(scheduler)
                    return ClosurePublisher { $0.receive(subscription: Reading($0, meter)) }
                }, .hot))
    }

    func test_subjectThatLeavesItsUpstreamToTheConnection() {
        assertConforming(verify(subject: Decorated()).excusing(.cancelReachesUpstream, because: "it keeps none"))
    }

    func test_valuesThatPrintInAnyOrder() {
        let names = ["first", "second", "third", "fourth", "fifth"]
        let words = (1...4).publisher.map { count in
            [
                Dictionary(
                    uniqueKeysWithValues: zip(names.prefix(count), [Set(names), Set(names.reversed())].shuffled()))
            ]
        }
        assertConforming(verify(publisher: words, .finite))
        assertConforming(stress(publisher: words, .finite))
    }

    func test_subjectWithAList() {
        assertConforming(
            verify(subject: PlainSubject()))
    }

    private func readingAhead(_ report: Verification) -> Verification {
        report.excusing(.requestsOnlyForDemand, because: "it is modelled on operators that read ahead")
    }

    func test_whatTheMuseumShowsWithoutItsDefects() {
        assertConforming(readingAhead(verify(operator: { BadFlattening.make(.none, $0) }, .finite)))
        assertConforming(verify(operator: { BadJoining.zip(.none, $0) }, .finite))
        assertConforming(
            verify(
                operator: { upstream, _ in BadJoining.retry(forgetsDemand: false, upstream) }, upstream: [1, 2, 3],
                failure: .upstreamFailed, [.finite, .fails]))
        assertConforming(
            verify(publisher: BadSharing.warm(.none), [.finite, .holdsSubscribers]))
        assertConforming(
            readingAhead(verify(operator: { BadSharing($0) }, [.finite, .dropsUnasked]))
                .excusing(.subscribesUpstreamFirst, because: "its subscribers are attached before it is connected"))
        assertConforming(
            readingAhead(
                verify(operator: { BadTiming.make(.none, $0, $1) }, [.finite, .fails, .merges, .dropsUnasked])))
        assertConforming(verify(publisher: { BadControls.publisher($0, .none) }, .hot))
    }

    func test_erasedPublishers() {
        assertConforming(verify(publisher: (1...6).publisher.map { $0 }.eraseToAnyPublisher(), .finite))
    }

    /// Measures from the beginning on, whether anybody listens or not.
    private final class Meter {
        var listeners: [ObjectIdentifier: (Int) -> Void] = [:]
        private var token: (any Cancellable)?
        private var level = 0
        init(_ scheduler: TestScheduler) {
            token = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { [weak self] in self?.measure() }
        }
        deinit { token?.cancel() }
        private func measure() {
            level += 1
            for listener in listeners.values { listener(level) }
        }
    }

    private final class Reading: Subscription {
        private var downstream: ClosurePublisher.Visitor?
        private var meter: Meter?
        private var outstanding = Subscribers.Demand.none
        init(_ downstream: ClosurePublisher.Visitor, _ meter: Meter) {
            self.downstream = downstream
            self.meter = meter
            meter.listeners[ObjectIdentifier(self)] = { [weak self] in self?.read($0) }
        }
        deinit { cancel() }
        private func read(_ level: Int) {
            guard let downstream, outstanding > .none else { return }
            outstanding -= 1
            outstanding += downstream.receive(level)
        }
        func request(_ demand: Subscribers.Demand) { outstanding += demand }
        func cancel() {
            meter.take()?.listeners[ObjectIdentifier(self)] = nil
            downstream = nil
        }
    }

    /// Hands everything to a subject inside.
    private final class Decorated: Subject {
        typealias Output = Int
        typealias Failure = VerificationFailure
        private let subject = PassthroughSubject<Int, VerificationFailure>()
        func send(_ value: Int) { subject.send(value) }
        func send(completion: Subscribers.Completion<VerificationFailure>) { subject.send(completion: completion) }
        func send(subscription: any Subscription) { subscription.request(.unlimited) }
        func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == VerificationFailure {
            subject.receive(subscriber: subscriber)
        }
    }
}
