import Dispatch
import Foundation
import Headgate
import HeadgateTesting

/// Counts down, and delivers where a closure runs its work.
struct HoppingCountdown: Publisher {
    typealias Output = Int
    typealias Failure = VerificationFailure

    enum Defect {
        /// Finishes on the request after the last value.
        case finishesAtTheNextDemand

        /// Does not look whether it was cancelled while its work was under way.
        case ignoresCancel
    }

    let hop: @Sendable (@escaping @Sendable () -> Void) -> Void
    var start = 6
    var defect: Defect?

    func receive(subscriber: some Subscriber<Int, VerificationFailure>) {
        subscriber.receive(subscription: Inner(AnySubscriber(subscriber), self))
    }

    private final class Inner: Subscription, @unchecked Sendable {
        // All state is behind the lock, and the subscriber is called outside it.

        private let hop: @Sendable (@escaping @Sendable () -> Void) -> Void
        private let defect: Defect?
        private let lock = NSLock()
        private var downstream: ClosurePublisher.Visitor?
        private var outstanding = Subscribers.Demand.none
        private var next: Int
        private var isServing = false

        init(_ downstream: ClosurePublisher.Visitor, _ publisher: HoppingCountdown) {
            self.downstream = downstream
            hop = publisher.hop
            defect = publisher.defect
            next = publisher.start
        }

        func cancel() { _ = lock.withLock { downstream.take() } }

        func request(_ demand: Subscribers.Demand) {
            let visitor = lock.withLock { () -> ClosurePublisher.Visitor? in
                outstanding += demand
                if isServing || outstanding == .none { return nil }
                isServing = downstream != nil
                return downstream
            }
            guard let visitor else { return }
            if defect == .ignoresCancel {
                hop { _ = visitor.receive(6) }
            } else {
                hop { self.serve() }
            }
        }

        private func serve() {
            let work = lock.withLock { () -> (Int, ClosurePublisher.Visitor)? in
                guard outstanding > .none, next > 0, let downstream else {
                    isServing = false
                    return nil
                }
                outstanding -= 1
                next -= 1
                return (next + 1, downstream)
            }
            guard let (value, visitor) = work else { return finishIfOver(atLast: false) }
            let more = visitor.receive(value)
            lock.withLock { outstanding += more }
            finishIfOver(atLast: true)
            hop { self.serve() }
        }

        private func finishIfOver(atLast: Bool) {
            let last = lock.withLock {
                next > 0 || defect == .finishesAtTheNextDemand && (atLast || outstanding == .none)
                    ? nil : downstream.take()
            }
            last?.receive(completion: .finished)
        }
    }
}

extension HoppingCountdown {
    /// The places where asynchronous publishers deliver.
    static var places: [(name: String, hop: @Sendable (@escaping @Sendable () -> Void) -> Void)] {
        let queue = DispatchQueue(label: "values")
        let crew = Crew()
        return [
            ("a serial queue", { queue.async(execute: $0) }),
            ("a concurrent queue", { DispatchQueue.global().async(execute: $0) }),
            ("a task", { work in Task { work() } }),
            ("an actor", { work in Task { await crew.perform(work) } }),
            (
                "a queue with jitter",
                { queue.asyncAfter(deadline: .now() + .microseconds(.random(in: 0..<3000)), execute: $0) }
            ),
        ]
    }

    private actor Crew {
        func perform(_ work: @Sendable () -> Void) { work() }
    }
}
