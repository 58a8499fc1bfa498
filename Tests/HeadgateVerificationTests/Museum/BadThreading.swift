import Dispatch
import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification

/// Publishers, operators and subjects that are right on one thread and wrong on two.
///
/// What they keep is behind locks, so that nothing but the order of things is wrong.
enum BadThreading {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    enum Defect {
        /// Every thread that asks delivers.
        case servesOnEveryThread
        /// Looks for more work, and only then says that it has stopped looking.
        case losesDemand
        /// Looks whether it has ended, and only then notes that it has.
        case endsTwice
        /// Looks up the subscriber once and goes on when another thread has cancelled.
        case ignoresCancelElsewhere
        /// Delivers under its lock.
        case holdsItsLock
    }

    /// A publisher of the numbers from 1 to 12.
    static func publisher(_ defect: Defect) -> ClosurePublisher {
        ClosurePublisher { visitor in visitor.receive(subscription: Counting(visitor, defect)) }
    }

    private final class Counting: Subscription, @unchecked Sendable {
        private let defect: Defect
        private let lock = NSLock()
        private var downstream: ClosurePublisher.Visitor?
        private var outstanding = Subscribers.Demand.none
        private var next = 1
        private var isServing = false

        init(_ downstream: ClosurePublisher.Visitor, _ defect: Defect) {
            self.downstream = downstream
            self.defect = defect
        }

        func request(_ demand: Subscribers.Demand) {
            let mayServe = lock.withLock {
                outstanding += demand
                if defect == .servesOnEveryThread { return true }
                defer { isServing = true }
                return !isServing
            }
            guard mayServe else { return }
            if defect == .holdsItsLock {
                return lock.withLock { while let (value, downstream) = take() { _ = downstream.receive(value) } }
            }
            let first = lock.withLock { downstream }
            while let (value, downstream) = lock.withLock({ take() }) {
                let target = defect == .ignoresCancelElsewhere ? first ?? downstream : downstream
                let more = target.receive(value)
                lock.withLock { outstanding += more }
            }
            if defect == .losesDemand {
                dawdle()
                lock.withLock { isServing = false }
            }
            end()
        }

        private func take() -> (Int, ClosurePublisher.Visitor)? {
            let isOpen = downstream != nil || defect == .ignoresCancelElsewhere
            guard outstanding > .none, next <= 12, isOpen, let downstream = downstream ?? last else {
                if defect != .losesDemand { isServing = false }
                return nil
            }
            if defect == .ignoresCancelElsewhere { last = downstream }
            outstanding -= 1
            next += 1
            return (next - 1, downstream)
        }

        // What goes on after cancel() needs somebody to go on with.
        private var last: ClosurePublisher.Visitor?

        private func end() {
            if lock.withLock({ next <= 12 }) { return }
            if defect == .endsTwice {
                guard let downstream = lock.withLock({ downstream }) else { return }
                dawdle()
                downstream.receive(completion: .finished)
                lock.withLock { self.downstream = nil }
            } else {
                lock.withLock { downstream.take() }?.receive(completion: .finished)
            }
            lock.withLock { last = nil }
        }

        func cancel() { _ = lock.withLock { downstream.take() } }

        /// Gives another thread the time to come in between.
        private func dawdle() { for _ in 0..<20 { sched_yield() } }
    }

    /// An operator that hands every value to whichever thread of a queue is free.
    static func hopping(_ upstream: Upstream, to queue: DispatchQueue) -> ClosurePublisher {
        ClosurePublisher { visitor in upstream.subscribe(Hopping(visitor, queue)) }
    }

    private final class Hopping: Subscriber, Sendable {
        private let downstream: UncheckedBox<ClosurePublisher.Visitor>
        private let queue: DispatchQueue

        init(_ downstream: ClosurePublisher.Visitor, _ queue: DispatchQueue) {
            self.downstream = UncheckedBox(downstream)
            self.queue = queue
        }

        func receive(subscription: any Subscription) { downstream.value.receive(subscription: subscription) }

        func receive(_ input: Int) -> Subscribers.Demand {
            queue.async { [downstream] in _ = downstream.value.receive(input) }
            return .none
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            queue.async(flags: .barrier) { [downstream] in downstream.value.receive(completion: completion) }
        }
    }

    /// A merge that forwards each upstream's values on that upstream's thread.
    static func merging(_ upstreams: [Upstream]) -> ClosurePublisher {
        ClosurePublisher { visitor in
            let merging = Merging(visitor, count: upstreams.count)
            visitor.receive(subscription: merging)
            for upstream in upstreams { upstream.subscribe(merging.side()) }
        }
    }

    private final class Merging: Subscription, @unchecked Sendable {
        private let lock = NSLock()
        private var upstreams: [any Subscription] = []
        private var downstream: ClosurePublisher.Visitor?
        private var missingEnds: Int

        init(_ downstream: ClosurePublisher.Visitor, count: Int) {
            self.downstream = downstream
            missingEnds = count
        }

        func side() -> AnySubscriber<Int, VerificationFailure> {
            AnySubscriber(
                receiveSubscription: { subscription in
                    self.lock.withLock { self.upstreams.append(subscription) }
                    subscription.request(.unlimited)
                },
                receiveValue: { value in
                    _ = self.lock.withLock({ self.downstream })?.receive(value)
                    return .none
                },
                receiveCompletion: { completion in
                    let isLast = self.lock.withLock {
                        self.missingEnds -= 1
                        return self.missingEnds == 0
                    }
                    if isLast { self.lock.withLock({ self.downstream.take() })?.receive(completion: completion) }
                })
        }

        func request(_ demand: Subscribers.Demand) {}

        func cancel() {
            let upstreams = lock.withLock {
                downstream = nil
                defer { self.upstreams = [] }
                return self.upstreams
            }
            for upstream in upstreams { upstream.cancel() }
        }
    }
}

/// A value that the compiler takes for Sendable.
struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension BadThreading {
    /// Enough for the rarest of them.
    private static let effort = StressEffort(rounds: 300)

    static var exhibits: [Exhibit] {
        func publisher(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { _ in
                stress(
                    publisher: BadThreading.publisher(defect), .finite,
                    effort: defect == .holdsItsLock ? StressEffort(timeout: 200) : effort)
            }
        }
        return [
            publisher(
                "servesOnEveryThread", "delivers on every requesting thread", met: "hand-made demand accounts",
                breaks: .oneCallAtATime, .servesOnEveryThread),
            publisher(
                "losesDemand", "checks for more demand, and only then records that it has stopped",
                met: "hand-made demand accounts", breaks: .demandAddsUp, .losesDemand),
            publisher(
                "endsTwice", "checks whether it has ended, and only then records that it has",
                met: "`Just` of an existing library", breaks: .oneCompletion, .endsTwice),
            publisher(
                "ignoresCancelElsewhere", "reads its subscriber once, and continues after another thread has cancelled",
                met: "loops inside `request(_:)`", breaks: .cancelStopsDelivery, .ignoresCancelElsewhere),
            publisher(
                "holdsItsLock", "holds its lock while calling a subscriber that waits for another thread",
                met: "reactive libraries, repeatedly", breaks: .noLockHeld, .holdsItsLock),
            Exhibit(
                "hopsToAConcurrentQueue", "delivers each value on any free thread of a queue",
                met: "`receive(on:)` of an existing library", breaks: .oneCallAtATime
            ) { _ in
                let queue = DispatchQueue(label: "values", attributes: .concurrent)
                return stress(
                    operator: { upstream, _ in hopping(upstream, to: queue) }, .transparent, effort: effort,
                    settle: { queue.sync(flags: .barrier) {} })
            },
            Exhibit(
                "mergesOnEveryThread", "forwards its upstreams' values on their threads",
                met: "hand-made `merge`", breaks: .oneCallAtATime
            ) { _ in
                stress(joining: 2, { upstreams, _ in merging(upstreams) }, .merges, effort: effort)
            },
        ]
    }
}
