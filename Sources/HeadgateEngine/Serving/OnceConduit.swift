import HeadgateCore
import Synchronization

/// Delivers what is ready from the start, in one go, at the first demand.
///
/// It is not generic: what there is to deliver, and to whom, is in a closure that was made where the types are known.
@usableFromInline package final class OnceConduit: ConduitSubscription {
    @usableFromInline package enum Phase: UInt8, AtomicRepresentable {
        case waiting, delivering, closed
    }

    @usableFromInline package let phase = Atomic(Phase.waiting)

    // Taken by the one caller that ends the waiting, hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var delivery: ((OnceConduit) -> Void)?

    @usableFromInline package let name: StaticString

    /// Makes the conduit.
    ///
    /// - Parameter delivery: Delivers the value, then asks `close()` whether to deliver the completion.
    @inlinable package init(name: StaticString, delivery: @escaping (OnceConduit) -> Void) {
        self.name = name
        self.delivery = delivery
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: OnceConduit.self)
            switch signal {
            case .request(let demand):
                if demand > .none { conduit.deliver() }
            case .cancel:
                if conduit.phase.exchange(.closed, ordering: .acquiringAndReleasing) == .waiting {
                    conduit.delivery = nil
                }
            }
        }
    }

    @inlinable package func deliver() {
        let isFirst = phase.compareExchange(
            expected: .waiting, desired: .delivering, ordering: .acquiringAndReleasing
        ).exchanged
        if isFirst, let delivery = delivery.take() { delivery(self) }
    }

    /// Ends the delivery.
    ///
    /// - Returns: Whether the subscriber is still there.
    @inlinable package func close() -> Bool {
        phase.exchange(.closed, ordering: .acquiringAndReleasing) != .closed
    }

    @usableFromInline package override var description: String { name.description }

    @usableFromInline package override var traits: SubscriptionTraits { .answersDemandAtOnce }
}

extension Subscriber {
    /// Connects the subscriber to one value that is ready.
    @inlinable package func connect(toOnly value: Input, name: StaticString) {
        receive(
            subscription: OnceConduit(name: name) { conduit in
                _ = self.receive(value)
                if conduit.close() { self.receive(completion: .finished) }
            })
    }

    /// Connects the subscriber to a stream that has ended already.
    @inlinable package func connect(toEnd completion: Subscribers.Completion<Failure>) {
        receive(subscription: Subscriptions.empty)
        receive(completion: completion)
    }
}
