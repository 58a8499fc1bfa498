import HeadgateEngine
import Synchronization

/// Takes the first value of a publisher that hands out a resource, also after the cancellation.
///
/// Nobody else would release it: so the use of it is made even then, and dropped, which ends it.
@usableFromInline
final class AcquisitionConduit<Resource, Use: Publisher, Failure: Error>: ConduitSubscription, SignalHandling,
    Subscriber
{
    @usableFromInline typealias Input = Resource

    @usableFromInline enum Phase: UInt8, AtomicRepresentable {
        case idle
        case acquiring
        case over
    }

    @usableFromInline let upstream = SubscriptionSlot()

    @usableFromInline let phase = Atomic(Phase.idle)

    @usableFromInline let downstream: Guarded<AnySubscriber<Use, Failure>?>

    @usableFromInline let use: (Resource) -> Use

    @inlinable init(_ use: @escaping (Resource) -> Use, to subscriber: some Subscriber<Use, Failure>) {
        self.use = use
        nonisolated(unsafe) let erased: AnySubscriber<Use, Failure>? = AnySubscriber(subscriber)
        downstream = Guarded(erased)
        super.init(handle: AcquisitionConduit.handling)
    }

    @inlinable func takeSubscriber() -> AnySubscriber<Use, Failure>? { downstream.withLock { $0.take() } }

    @inlinable func receive(subscription: any Subscription) {
        if upstream.fill(with: subscription) { downstream.withLock { $0 }?.receive(subscription: self) }
    }

    @inlinable func handleRequest(_ demand: Subscribers.Demand) {
        if demand > .none, change(.idle, to: .acquiring) { upstream.request(.max(1)) }
    }

    // An acquisition that has begun goes on: to cancel it may lose what it hands out at this moment.
    @inlinable func handleCancel() {
        _ = takeSubscriber()
        if change(.idle, to: .over) { upstream.cancel() }
    }

    @inlinable func receive(_ resource: Resource) -> Subscribers.Demand {
        if !change(.acquiring, to: .over) { return .none }
        let use = use(resource)
        let subscriber = takeSubscriber()
        _ = subscriber?.receive(use)
        upstream.cancel()
        subscriber?.receive(completion: .finished)
        return .none
    }

    @inlinable func receive(completion: Subscribers.Completion<Failure>) {
        let isMissing = phase.exchange(.over, ordering: .acquiringAndReleasing) != .over
        if !upstream.close() { return }
        guard isMissing, let subscriber = takeSubscriber() else { return Undeliverable.note(completion) }
        subscriber.receive(completion: completion)
    }

    @inlinable func change(_ old: Phase, to new: Phase) -> Bool {
        phase.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }

    @usableFromInline override var description: String { "Acquisition" }
}
