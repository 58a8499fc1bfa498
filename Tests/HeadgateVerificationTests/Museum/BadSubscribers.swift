import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification

/// A subscriber that takes values one by one, may be made with one defect, and is right without.
final class PlainSubscriber: Subscriber, Cancellable {
    typealias Input = Int
    typealias Failure = VerificationFailure

    enum Defect {
        case none
        case takesSecondSubscription
        case requestsSecondSubscription
        case takesLateSubscription
        case keepsSubscriptionAtTheEnd
        case keepsSubscriptionAtCancel
        case swallowsCancel
        case cancelsTwice
        case forgetsEarlyCancel
        case cancelsAtTheEnd
        case requestsBeforeKeeping
        case requestsAfterCompletion
        case requestsAfterCancel
        case requestsUnderALock
        case cancelsUnderALock
    }

    private let defect: Defect
    private let lock = NSRecursiveLock()
    private var subscription: (any Subscription)?
    private var last: (any Subscription)?
    private var isOver = false

    init(_ defect: Defect = .none) { self.defect = defect }

    private func locked(if isLocking: Bool, _ body: () -> Void) {
        if isLocking { lock.lock() }
        body()
        if isLocking { lock.unlock() }
    }

    func receive(subscription: any Subscription) {
        if isOver, defect != .takesLateSubscription, defect != .forgetsEarlyCancel { return subscription.cancel() }
        if self.subscription != nil, defect != .takesSecondSubscription {
            if defect == .requestsSecondSubscription { subscription.request(.max(1)) }
            return subscription.cancel()
        }
        if defect == .requestsBeforeKeeping { subscription.request(.max(1)) }
        self.subscription = subscription
        switch defect {
        case .keepsSubscriptionAtTheEnd, .keepsSubscriptionAtCancel, .cancelsTwice, .cancelsAtTheEnd,
            .requestsAfterCompletion,
            .requestsAfterCancel:
            last = subscription
        default: break
        }
        if defect != .requestsBeforeKeeping {
            locked(if: defect == .requestsUnderALock) { subscription.request(.max(1)) }
        }
    }

    func receive(_ input: Int) -> Subscribers.Demand {
        locked(if: defect == .requestsUnderALock || defect == .cancelsUnderALock) {}
        subscription?.request(.max(1))
        if isOver, defect == .requestsAfterCompletion || defect == .requestsAfterCancel { last?.request(.max(1)) }
        return .none
    }

    func receive(completion: Subscribers.Completion<VerificationFailure>) {
        isOver = true
        subscription = nil
        if defect == .cancelsAtTheEnd {
            last?.cancel()
            last?.cancel()
        }
        if defect != .keepsSubscriptionAtTheEnd, defect != .requestsAfterCompletion { last = nil }
    }

    func cancel() {
        isOver = true
        let subscription = subscription.take()
        if defect == .swallowsCancel { return }
        locked(if: defect == .cancelsUnderALock) { subscription?.cancel() }
        if defect == .cancelsTwice, subscription == nil { last?.cancel() }
        if defect != .keepsSubscriptionAtCancel, defect != .requestsAfterCancel, defect != .cancelsTwice { last = nil }
    }
}

extension PlainSubscriber {
    static var exhibits: [Exhibit] {
        func exhibit(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { effort in
                verify(subscriber: PlainSubscriber(defect), effort: effort)
            }
        }
        return [
            exhibit(
                "subscriberTakesSecond", "replaces the first subscription with a second one",
                met: "tutorials on custom subscribers", breaks: .secondSubscription, .takesSecondSubscription),
            exhibit(
                "subscriberRequestsSecond", "requests values from a second subscription before cancelling it",
                met: "hand-made subscribers", breaks: .secondSubscription, .requestsSecondSubscription),
            exhibit(
                "subscriberTakesLate", "accepts a subscription after the completion", met: "hand-made subscribers",
                breaks: .secondSubscription, .takesLateSubscription),
            exhibit(
                "subscriberKeepsAtTheEnd", "retains its subscription, and thus upstream, after the completion",
                met: "tutorials on custom subscribers", breaks: .releasesReferences, .keepsSubscriptionAtTheEnd),
            exhibit(
                "subscriberKeepsAtCancel", "retains its subscription, and thus upstream, after `cancel()`",
                met: "tutorials on custom subscribers", breaks: .releasesReferences, .keepsSubscriptionAtCancel),
            exhibit(
                "subscriberSwallowsCancel", "releases its subscription without cancelling it",
                met: "hand-made subscribers", breaks: .cancelReachesUpstream, .swallowsCancel),
            exhibit(
                "subscriberCancelsTwice", "cancels its subscription every time it is cancelled",
                met: "hand-made subscribers", breaks: .cancelReachesUpstream, .cancelsTwice),
            exhibit(
                "subscriberCancelsAtTheEnd", "cancels repeatedly on completion", met: "views that clean up",
                breaks: .cancelReachesUpstream, .cancelsAtTheEnd),
            exhibit(
                "subscriberForgetsEarlyCancel", "accepts a subscription after it was cancelled",
                met: "subscribing on a queue", breaks: .cancelReachesUpstream, .forgetsEarlyCancel),
            exhibit(
                "subscriberRequestsBeforeKeeping", "requests values before storing its subscription, and stalls",
                met: "hand-made subscribers", breaks: .demandAddsUp, .requestsBeforeKeeping),
            exhibit(
                "subscriberRequestsAfterTheEnd", "continues to request values after the completion",
                met: "subscribers without state", breaks: .ignoresLateEvents, .requestsAfterCompletion),
            exhibit(
                "subscriberRequestsAfterCancel", "continues to request values after `cancel()`",
                met: "subscribers without state", breaks: .ignoresLateEvents, .requestsAfterCancel),
            exhibit(
                "subscriberRequestsUnderALock", "requests values while holding the lock that a delivery needs",
                met: "reactive libraries, repeatedly", breaks: .noLockHeld, .requestsUnderALock),
            exhibit(
                "subscriberCancelsUnderALock", "cancels while holding the lock that a delivery needs",
                met: "reactive libraries, repeatedly", breaks: .noLockHeld, .cancelsUnderALock),
        ]
    }
}
