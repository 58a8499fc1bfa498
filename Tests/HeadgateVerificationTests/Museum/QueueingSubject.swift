import Dispatch
import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification

/// A subject for several threads, each of which waits for its turn and then delivers what it has sent; or that delivers on
/// the wrong thread.
final class QueueingSubject: Subject, @unchecked Sendable {
    // Everything is behind the lock, and subscribers are called outside it.

    typealias Output = Int
    typealias Failure = VerificationFailure

    enum Defect {
        case none
        /// Whoever is at work does the work of all others too, and who subscribes is at work.
        case leavesItToWhoIsThere
        /// Has another thread deliver, and waits for it.
        case deliversElsewhere
        /// Hands over to another thread, and does not wait for it.
        case returnsEarly
    }

    private final class Member: Subscription, @unchecked Sendable {
        let subject: QueueingSubject
        private let lock = NSLock()
        private var downstream: ClosurePublisher.Visitor?
        private var outstanding = Subscribers.Demand.none

        init(_ downstream: ClosurePublisher.Visitor, of subject: QueueingSubject) {
            self.downstream = downstream
            self.subject = subject
        }

        var isOpen: Bool { lock.withLock { downstream != nil } }
        var wantsValues: Bool { lock.withLock { outstanding > .none } }

        func request(_ demand: Subscribers.Demand) {
            let isOpen = lock.withLock { () -> Bool in
                outstanding += demand
                return downstream != nil
            }
            if isOpen, demand > .none { subject.requestUpstreams() }
        }

        func cancel() {
            let downstream = lock.withLock { self.downstream.take() }
            if downstream != nil { subject.remove(self) }
        }

        func deliver(_ value: Int) {
            let target = lock.withLock { () -> ClosurePublisher.Visitor? in
                if outstanding == .none || downstream == nil { return nil }
                outstanding -= 1
                return downstream
            }
            guard let more = target?.receive(value) else { return }
            lock.withLock { outstanding += more }
        }

        func end(_ completion: Subscribers.Completion<VerificationFailure>) {
            lock.withLock { downstream.take() }?.receive(completion: completion)
        }
    }

    private let defect: Defect
    private let lock = NSLock()
    private let queue = DispatchQueue(label: "deliveries")
    private var members: [Member] = []
    private var upstreams: [any Subscription] = []
    private var ending: Subscribers.Completion<VerificationFailure>?
    private var owner: Thread?
    private var pending: [() -> Void] = []

    init(_ defect: Defect = .none) { self.defect = defect }

    /// Does work unless another thread is working here.
    private func perform(_ work: @escaping () -> Void) {
        let start = DispatchTime.now().uptimeNanoseconds
        while true {
            lock.lock()
            if owner == nil { break }
            let isTired = DispatchTime.now().uptimeNanoseconds - start > 1_000_000
            if owner == Thread.current || isTired || defect == .leavesItToWhoIsThere {
                pending.append(work)
                return lock.unlock()
            }
            lock.unlock()
            sched_yield()
        }
        owner = Thread.current
        lock.unlock()
        var next: (() -> Void)? = work
        while let work = next {
            work()
            next = lock.withLock {
                if pending.isEmpty { owner = nil }
                return pending.isEmpty ? nil : pending.removeFirst()
            }
        }
    }

    private func requestUpstreams() {
        for upstream in lock.withLock({ upstreams }) { upstream.request(.unlimited) }
    }

    private func remove(_ member: Member) { lock.withLock { members.removeAll { $0 === member } } }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == VerificationFailure {
        let visitor = AnySubscriber(subscriber)
        if defect == .leavesItToWhoIsThere { return perform { self.join(visitor) } }
        join(visitor)
    }

    private func join(_ visitor: ClosurePublisher.Visitor) {
        let member = Member(visitor, of: self)
        visitor.receive(subscription: member)
        let ending = lock.withLock {
            if self.ending == nil, member.isOpen { members.append(member) }
            return self.ending
        }
        if let ending { member.end(ending) }
    }

    func send(_ value: Int) {
        perform {
            let members = self.lock.withLock { self.members }
            switch self.defect {
            case .none, .leavesItToWhoIsThere:
                for member in members { member.deliver(value) }
            case .deliversElsewhere:
                let hasDelivered = DispatchSemaphore(value: 0)
                self.queue.async {
                    for member in members { member.deliver(value) }
                    hasDelivered.signal()
                }
                hasDelivered.wait()
            case .returnsEarly:
                self.queue.async { for member in members { member.deliver(value) } }
            }
        }
    }

    func send(completion: Subscribers.Completion<VerificationFailure>) {
        perform {
            let (members, upstreams) = self.lock.withLock {
                defer { (self.members, self.upstreams) = ([], []) }
                if self.ending == nil { self.ending = completion }
                return (self.members, self.upstreams)
            }
            for upstream in upstreams { upstream.cancel() }
            for member in members { member.end(completion) }
        }
    }

    func send(subscription: any Subscription) {
        let (hasEnded, isWanted) = lock.withLock {
            if ending == nil { upstreams.append(subscription) }
            return (ending != nil, members.contains(where: \.wantsValues))
        }
        if hasEnded { return subscription.cancel() }
        if isWanted { subscription.request(.unlimited) }
    }
}

extension QueueingSubject {
    static var exhibits: [Exhibit] {
        func subject(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { effort in
                if defect == .leavesItToWhoIsThere { return verify(subject: QueueingSubject(defect), effort: effort) }
                return stress(subject: QueueingSubject(defect), effort: StressEffort(rounds: 8))
            }
        }
        return [
            subject(
                "subjectHasJoinersDeliver", "enqueues values for the active thread, which may be a subscribing one",
                met: "the first version of this library", breaks: .onlySendersDeliver, .leavesItToWhoIsThere),
            subject(
                "subjectDeliversElsewhere", "delivers on its own thread, and waits for it",
                met: "wrappers of actors and queues", breaks: .sendersThread, .deliversElsewhere),
            subject(
                "subjectReturnsEarly", "enqueues values on a queue, and returns before they are delivered",
                met: "wrappers of actors and queues", breaks: .sendersThread, .returnsEarly),
        ]
    }
}
