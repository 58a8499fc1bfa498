import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification

/// A subscriber for several threads that may be made with one defect, and is right without.
///
/// Each access is under a lock, so that a defect is one of order, and not of memory.
final class RacingSubscriber: Subscriber, Cancellable, @unchecked Sendable {
    typealias Input = Int
    typealias Failure = VerificationFailure

    enum Defect {
        case none
        case looksBeforeKeeping
        case cancelsBeforeForgetting
        case borrowsItsSubscription
        case forgetsRequestsThatCross
        case keepsItsSubscription
    }

    private let defect: Defect

    /// Whether it requests another value with each; otherwise somebody calls `requestMore()`.
    private let isGreedy: Bool

    private let lock = NSLock()
    private var subscription: (any Subscription)?
    private var isOver = false

    /// The demand before there is a subscription.
    private var pending = Subscribers.Demand.max(1)

    init(_ defect: Defect = .none, isGreedy: Bool = true) {
        self.defect = defect
        self.isGreedy = isGreedy
    }

    func receive(subscription: any Subscription) {
        if defect == .looksBeforeKeeping, lock.withLock({ isOver }) { return subscription.cancel() }
        let early = lock.withLock { pending }
        if defect == .looksBeforeKeeping || defect == .forgetsRequestsThatCross { pauseThread() }
        let demand = lock.withLock { () -> Subscribers.Demand? in
            if self.subscription != nil || isOver && defect != .looksBeforeKeeping { return nil }
            self.subscription = subscription
            return defect == .forgetsRequestsThatCross ? early : pending
        }
        if let demand { subscription.request(demand) } else { subscription.cancel() }
    }

    func receive(_ input: Int) -> Subscribers.Demand {
        if defect == .borrowsItsSubscription, let borrowed = take() {
            borrowed.request(.max(1))
            pauseThread()
            lock.withLock { subscription = borrowed }
            return .none
        }
        return isGreedy ? .max(1) : .none
    }

    func receive(completion: Subscribers.Completion<VerificationFailure>) {
        lock.withLock { isOver = true }
        if defect != .keepsItsSubscription { _ = take() }
    }

    func cancel() {
        lock.withLock { isOver = true }
        if defect == .cancelsBeforeForgetting {
            let current = lock.withLock { subscription }
            pauseThread()
            current?.cancel()
        }
        let last = take()
        if defect != .cancelsBeforeForgetting { last?.cancel() }
    }

    /// Requests another value, on any thread, before the subscription as well.
    func requestMore() {
        let current = lock.withLock { () -> (any Subscription)? in
            if subscription == nil { pending += 1 }
            return subscription
        }
        current?.request(.max(1))
    }

    private func take() -> (any Subscription)? { lock.withLock { subscription.take() } }

    /// Gives another thread the time that it would have now and then.
    private func pauseThread() { sched_yield() }
}

extension RacingSubscriber {
    static var exhibits: [Exhibit] {
        func exhibit(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect,
            isGreedy: Bool = true
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { _ in
                stress(
                    subscriber: RacingSubscriber(defect, isGreedy: isGreedy),
                    meanwhile: isGreedy ? nil : { $0.requestMore() })
            }
        }
        return [
            exhibit(
                "subscriberLooksBeforeKeeping",
                "checks whether it was cancelled, and only then stores its subscription",
                met: "subscribing on a queue", breaks: .cancelReachesUpstream, .looksBeforeKeeping),
            exhibit(
                "subscriberCancelsBeforeForgetting",
                "cancels its subscription before removing it, so two threads cancel it twice",
                met: "tokens that are shared", breaks: .cancelReachesUpstream, .cancelsBeforeForgetting),
            exhibit(
                "subscriberBorrowsItsSubscription",
                "removes its subscription while it requests, so a concurrent `cancel()` finds none",
                met: "hand-made subscribers", breaks: .cancelReachesUpstream, .borrowsItsSubscription),
            exhibit(
                "subscriberForgetsRequestsThatCross",
                "loses what is requested of it while it receives its subscription",
                met: "subscribers that request in steps", breaks: .demandAddsUp, .forgetsRequestsThatCross,
                isGreedy: false),
        ]
    }
}
