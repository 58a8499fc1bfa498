import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification

/// Publishers with one defect each, as they are met in programs and tutorials.
enum BadPublishers {
    static var sendsAtSubscription: ClosurePublisher {
        ClosurePublisher { visitor in
            visitor.receive(subscription: Subscriptions.empty)
            for value in 1...5 { _ = visitor.receive(value) }
            visitor.receive(completion: .finished)
        }
    }

    static var ignoresDemand: ClosurePublisher {
        .answering { subscription, _ in
            while !subscription.values.isEmpty {
                let value = subscription.values.removeFirst()
                _ = subscription.downstream?.receive(value)
            }
            subscription.finish()
        }
    }

    static var sendsWithoutSubscription: ClosurePublisher {
        ClosurePublisher { visitor in
            _ = visitor.receive(1)
            visitor.receive(completion: .finished)
        }
    }

    static var forgetsAnswers: ClosurePublisher {
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

    static var replacesDemand: ClosurePublisher {
        .answering { subscription, demand in
            subscription.outstanding = demand
            subscription.serve()
        }
    }

    static var servesNone: ClosurePublisher {
        .answering { subscription, demand in
            subscription.outstanding += demand == .none ? .max(1) : demand
            subscription.serve()
        }
    }

    static var nests: ClosurePublisher {
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

    static var recurses: ClosurePublisher {
        func deliver(_ subscription: ClosureSubscription) {
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

    static var ignoresCancelInside: ClosurePublisher {
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

    static var finishesAtCancel: ClosurePublisher {
        .answering(
            onRequest: {
                $0.outstanding += $1
                $0.serve()
            }, onCancel: { $0.finish() })
    }

    static var finishesWhenUsedUp: ClosurePublisher {
        .answering { subscription, demand in
            subscription.outstanding += demand
            subscription.serve()
            if demand > .none, subscription.outstanding == .none, !subscription.isServing { subscription.finish() }
        }
    }

    static var finishesLate: ClosurePublisher {
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

    static var finishesAgain: ClosurePublisher {
        ClosurePublisher { visitor in
            visitor.receive(
                subscription: ClosureSubscription(visitor) { subscription, demand in
                    subscription.outstanding += demand
                    let downstream = subscription.downstream
                    subscription.serve()
                    if subscription.values.isEmpty, downstream == nil { visitor.receive(completion: .finished) }
                })
        }
    }

    static var keepsItsSubscriber: ClosurePublisher {
        ClosurePublisher { visitor in
            visitor.receive(
                subscription: ClosureSubscription(
                    visitor,
                    onRequest: {
                        $0.outstanding += $1
                        $0.serve()
                        _ = visitor
                    }))
        }
    }

    static var holdsALock: ClosurePublisher {
        ClosurePublisher { visitor in
            let lock = NSRecursiveLock()
            visitor.receive(
                subscription: ClosureSubscription(
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

    static var wrapsDemand: ClosurePublisher {
        var outstanding = 0
        return .answering { subscription, demand in
            outstanding = outstanding &+ (demand.max ?? Int.max)
            if subscription.isServing { return }
            subscription.isServing = true
            while outstanding > 0, !subscription.values.isEmpty, let downstream = subscription.downstream {
                outstanding -= 1
                outstanding = outstanding &+ (downstream.receive(subscription.values.removeFirst()).max ?? Int.max)
            }
            subscription.isServing = false
            if subscription.values.isEmpty { subscription.finish() }
        }
    }

    static var recursesThroughInners: ClosurePublisher {
        func serve(_ subscription: ClosureSubscription) {
            if subscription.values.isEmpty { return subscription.finish() }
            guard subscription.outstanding > .none, !subscription.isServing else { return }
            _ = Just(subscription.values.removeFirst()).sink { _ in
                serve(subscription)
            } receiveValue: {
                subscription.outstanding -= 1
                subscription.isServing = true
                subscription.outstanding += subscription.downstream?.receive($0) ?? .none
                subscription.isServing = false
            }
        }
        return .answering { subscription, demand in
            guard subscription.downstream != nil else { return }
            subscription.outstanding += demand
            serve(subscription)
        }
    }
}

extension BadPublishers {
    static var exhibits: [Exhibit] {
        func publisher(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule,
            _ make: @escaping @autoclosure () -> ClosurePublisher
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { verify(publisher: make(), .finite, effort: $0) }
        }
        return [
            publisher(
                "sendsAtSubscription", "sends everything when a subscriber arrives, regardless of demand",
                met: "first versions", breaks: .valuesAgainstDemand, sendsAtSubscription),
            publisher(
                "ignoresDemand", "sends everything at the first request", met: "tutorials on custom publishers",
                breaks: .valuesAgainstDemand, ignoresDemand),
            publisher(
                "sendsWithoutSubscription", "sends without ever sending a subscription",
                met: "wrappers of callbacks", breaks: .oneSubscription, sendsWithoutSubscription),
            publisher(
                "forgetsAnswers", "ignores the demand that `receive(_:)` returns",
                met: "tutorials on custom publishers",
                breaks: .demandAddsUp, forgetsAnswers),
            publisher(
                "replacesDemand", "replaces outstanding demand with new demand",
                met: "hand-made demand accounts",
                breaks: .demandAddsUp, replacesDemand),
            publisher(
                "servesNone", "treats `request(.none)` as a request for one value",
                met: "publishers that count requests", breaks: .requestingNoneDoesNothing, servesNone),
            publisher(
                "wrapsDemand", "adds demand in an integer that overflows", met: "hand-made demand accounts",
                breaks: .unlimitedAbsorbs, wrapsDemand),
            publisher(
                "nests", "delivers immediately on a request from inside a delivery",
                met: "loops inside `request(_:)`", breaks: .noNestedValues, nests),
            publisher(
                "recurses", "calls itself for every value, after delivering the previous one",
                met: "readers of files and pages", breaks: .flatStack, recurses),
            publisher(
                "recursesThroughInners", "subscribes to the next part inside the completion of the previous one",
                met: "chains of `append`", breaks: .flatStack, recursesThroughInners),
            publisher(
                "ignoresCancelInside", "reads its subscriber once, so it can't be stopped from inside a delivery",
                met: "repeaters of a value", breaks: .cancelStopsDelivery, ignoresCancelInside),
            publisher(
                "finishesAtCancel", "finishes when it is cancelled", met: "wrappers of tasks",
                breaks: .cancelStopsDelivery, finishesAtCancel),
            publisher(
                "finishesWhenUsedUp", "finishes when demand is exhausted", met: "tutorials on custom publishers",
                breaks: .exhaustedDemandDoesNotComplete, finishesWhenUsedUp),
            publisher(
                "finishesLate", "waits for one more request before it finishes", met: "wrappers of iterators",
                breaks: .completesAfterLastValue, finishesLate),
            publisher(
                "finishesAgain", "completes again on a request after the completion",
                met: "subscriptions without state",
                breaks: .oneCompletion, finishesAgain),
            publisher(
                "keepsItsSubscriber", "retains its subscriber after the completion and after `cancel()`",
                met: "subscriptions with a `let`", breaks: .releasesReferences, keepsItsSubscriber),
            publisher(
                "holdsALock", "holds a lock while calling the subscriber", met: "reactive libraries, repeatedly",
                breaks: .noLockHeld, holdsALock),
        ]
    }
}
