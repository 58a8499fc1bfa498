import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification

/// Publishers that are wrong about what is said at the very beginning, about the end, and about large demand.
enum BadBeginnings {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    /// Sets the subscription going when the subscriber has it, whatever was said meanwhile.
    static var forgetsEarlyCancel: ClosurePublisher {
        ClosurePublisher { visitor in
            let subscription = ClosureSubscription(
                visitor,
                onRequest: {
                    $0.outstanding += $1
                    $0.serve()
                })
            subscription.isServing = true
            visitor.receive(subscription: subscription)
            subscription.isServing = false
            subscription.downstream = visitor
            subscription.serve()
        }
    }

    /// Opens its account when the subscriber has its subscription.
    static var losesEarlyRequest: ClosurePublisher {
        ClosurePublisher { visitor in
            let subscription = ClosureSubscription(
                visitor,
                onRequest: {
                    $0.outstanding += $1
                    $0.serve()
                })
            subscription.isServing = true
            visitor.receive(subscription: subscription)
            subscription.isServing = false
            subscription.outstanding = .none
        }
    }

    static var failsOnlyWhenRequested: ClosurePublisher {
        .answering { subscription, demand in
            if demand > .none { subscription.downstream.take()?.receive(completion: .failure(.upstreamFailed)) }
        }
    }

    static var countsIn32Bits: ClosurePublisher {
        var outstanding: Int32 = 0
        return .answering { subscription, demand in
            func add(_ demand: Subscribers.Demand) {
                if let count = demand.max {
                    outstanding &+= Int32(truncatingIfNeeded: count)
                } else {
                    outstanding = .max
                }
            }
            add(demand)
            if subscription.isServing { return }
            subscription.isServing = true
            while outstanding > 0, !subscription.values.isEmpty, let downstream = subscription.downstream {
                if outstanding < .max { outstanding -= 1 }
                add(downstream.receive(subscription.values.removeFirst()))
            }
            subscription.isServing = false
            if subscription.values.isEmpty { subscription.finish() }
        }
    }

    /// Finishes as soon as the last value is taken, by a request that is made in its delivery.
    static var endsInsideTheLastDelivery: ClosurePublisher {
        .answering { subscription, demand in
            subscription.outstanding += demand
            if subscription.values.isEmpty { subscription.finish() }
            subscription.serve()
        }
    }

    /// Looks before every value whether another thread has cancelled meanwhile, but not before the end.
    static var endsOutsideOfItsAccount: ClosurePublisher {
        var server: Thread?
        var isCancelledElsewhere = false
        return .answering { subscription, demand in
            subscription.outstanding += demand
            if server != nil { return }
            server = Thread.current
            defer { server = nil }
            while subscription.outstanding > .none, !isCancelledElsewhere, !subscription.values.isEmpty,
                let downstream = subscription.downstream
            {
                subscription.outstanding -= 1
                subscription.outstanding += downstream.receive(subscription.values.removeFirst())
            }
            if subscription.values.isEmpty { subscription.finish() }
            if isCancelledElsewhere { subscription.downstream = nil }
        } onCancel: {
            if let server, server != Thread.current { isCancelledElsewhere = true } else { $0.downstream = nil }
        }
    }
}

extension BadBeginnings {
    static var exhibits: [Exhibit] {
        func publisher(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule,
            _ make: @escaping @autoclosure () -> ClosurePublisher, _ capabilities: Capabilities = .finite
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { verify(publisher: make(), capabilities, effort: $0) }
        }
        return [
            publisher(
                "countsIn32Bits", "adds demand in a 32-bit integer", met: "wrappers of C libraries",
                breaks: .demandAddsUp, countsIn32Bits),
            publisher(
                "losesEarlyRequest",
                "opens its demand account after `receive(subscription:)`, and loses what is requested there",
                met: "subscriptions set up in two steps", breaks: .demandAddsUp, losesEarlyRequest),
            publisher(
                "forgetsEarlyCancel", "starts after `receive(subscription:)` even if cancelled there",
                met: "subscriptions set up in two steps", breaks: .cancelStopsDelivery, forgetsEarlyCancel),
            publisher(
                "failsOnlyWhenRequested", "holds its failure until a value is requested", met: "wrappers of results",
                breaks: .oneCompletion, failsOnlyWhenRequested, .endsWithUpstream),
            publisher(
                "endsInsideTheLastDelivery", "finishes inside the last delivery if more is requested there",
                met: "wrappers of iterators", breaks: .noNestedValues, endsInsideTheLastDelivery),
            publisher(
                "endsOutsideOfItsAccount", "completes although another thread cancelled during the last value",
                met: "hand-made demand accounts", breaks: .cancelElsewhere, endsOutsideOfItsAccount),
        ]
    }
}
