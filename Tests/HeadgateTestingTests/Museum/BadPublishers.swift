import Foundation
import Headgate
import HeadgateTesting

/// Publishers with one defect each, as they are met in programs and tutorials.
enum BadPublishers {
    /// Sends everything on receiving a subscriber, whatever it wants.
    static var sendsAtSubscription: Exhibit {
        Exhibit { visitor in
            visitor.receive(subscription: Subscriptions.empty)
            for value in 1...5 { _ = visitor.receive(value) }
            visitor.receive(completion: .finished)
        }
    }

    /// Sends everything at the first request.
    static var ignoresDemand: Exhibit {
        .answering { subscription, _ in
            while !subscription.values.isEmpty {
                let value = subscription.values.removeFirst()
                _ = subscription.downstream?.receive(value)
            }
            subscription.finish()
        }
    }

    /// Sends without ever handing out a subscription.
    static var sendsWithoutSubscription: Exhibit {
        Exhibit { visitor in
            _ = visitor.receive(1)
            visitor.receive(completion: .finished)
        }
    }

    /// Throws away what the subscriber answers.
    static var forgetsAnswers: Exhibit {
        .answering { subscription, demand in
            subscription.outstanding += demand
            if subscription.isServing { return }
            subscription.isServing = true
            while subscription.outstanding > .none, !subscription.values.isEmpty,
                let downstream = subscription.downstream
            {
                subscription.outstanding -= 1
                _ = downstream.receive(subscription.values.removeFirst())
            }
            subscription.isServing = false
            if subscription.values.isEmpty { subscription.finish() }
        }
    }

    /// Puts new demand in the place of what is outstanding.
    static var replacesDemand: Exhibit {
        .answering { subscription, demand in
            subscription.outstanding = demand
            subscription.serve()
        }
    }

    /// Takes a request for nothing for a request for one.
    static var servesNone: Exhibit {
        .answering { subscription, demand in
            subscription.outstanding += demand == .none ? .max(1) : demand
            subscription.serve()
        }
    }

    /// Delivers in answer to a request from inside a delivery at once.
    static var nests: Exhibit {
        .answering { subscription, demand in
            subscription.outstanding += demand
            while subscription.outstanding > .none, !subscription.values.isEmpty,
                let downstream = subscription.downstream
            {
                subscription.outstanding -= 1
                subscription.outstanding += downstream.receive(subscription.values.removeFirst())
            }
            if subscription.values.isEmpty { subscription.finish() }
        }
    }

    /// Calls itself for every value, behind the delivery of the one before.
    static var recurses: Exhibit {
        func deliver(_ subscription: ExhibitSubscription) {
            guard subscription.outstanding > .none, let downstream = subscription.downstream else { return }
            if subscription.values.isEmpty { return subscription.finish() }
            subscription.outstanding -= 1
            subscription.isServing = true
            subscription.outstanding += downstream.receive(subscription.values.removeFirst())
            subscription.isServing = false
            if subscription.values.isEmpty { subscription.finish() } else { deliver(subscription) }
        }
        return .answering { subscription, demand in
            subscription.outstanding += demand
            if !subscription.isServing { deliver(subscription) }
        }
    }

    /// Reads the subscriber once, and so goes on after `cancel()` from inside a delivery: an `Always` that can't be stopped.
    static var ignoresCancelInside: Exhibit {
        .answering { subscription, demand in
            subscription.outstanding += demand
            guard !subscription.isServing, let downstream = subscription.downstream else { return }
            subscription.isServing = true
            while subscription.outstanding > .none, !subscription.values.isEmpty {
                subscription.outstanding -= 1
                subscription.outstanding += downstream.receive(subscription.values.removeFirst())
            }
            subscription.isServing = false
            if subscription.values.isEmpty { subscription.finish() }
        }
    }

    /// Finishes when it is cancelled.
    static var finishesAtCancel: Exhibit {
        .answering(
            onRequest: {
                $0.outstanding += $1
                $0.serve()
            }, onCancel: { $0.finish() })
    }

    /// Finishes when demand is used up, as a holder of a value that counts its subscribers' wishes.
    static var finishesWhenUsedUp: Exhibit {
        .answering { subscription, demand in
            subscription.outstanding += demand
            subscription.serve()
            if demand > .none, subscription.outstanding == .none, !subscription.isServing { subscription.finish() }
        }
    }

    /// Waits for one more request before it finishes.
    static var finishesLate: Exhibit {
        .answering { subscription, demand in
            subscription.outstanding += demand
            if subscription.values.isEmpty { return subscription.finish() }
            if subscription.isServing { return }
            subscription.isServing = true
            while subscription.outstanding > .none, !subscription.values.isEmpty,
                let downstream = subscription.downstream
            {
                subscription.outstanding -= 1
                subscription.outstanding += downstream.receive(subscription.values.removeFirst())
            }
            subscription.isServing = false
        }
    }

    /// Completes again at a request after the end.
    static var finishesAgain: Exhibit {
        Exhibit { visitor in
            visitor.receive(
                subscription: ExhibitSubscription(visitor) { subscription, demand in
                    subscription.outstanding += demand
                    let downstream = subscription.downstream
                    subscription.serve()
                    if subscription.values.isEmpty, downstream == nil { visitor.receive(completion: .finished) }
                })
        }
    }

    /// Keeps its subscriber after the end and after `cancel()`.
    static var keepsItsSubscriber: Exhibit {
        Exhibit { visitor in
            visitor.receive(
                subscription: ExhibitSubscription(
                    visitor,
                    onRequest: {
                        $0.outstanding += $1
                        $0.serve()
                        _ = visitor
                    }))
        }
    }

    /// Holds a lock while the subscriber is called.
    static var holdsALock: Exhibit {
        Exhibit { visitor in
            let lock = NSRecursiveLock()
            visitor.receive(
                subscription: ExhibitSubscription(
                    visitor,
                    onRequest: { subscription, demand in
                        lock.lock()
                        subscription.outstanding += demand
                        subscription.serve()
                        lock.unlock()
                    },
                    onCancel: { subscription in
                        lock.lock()
                        subscription.downstream = nil
                        lock.unlock()
                    }))
        }
    }
}
