import HeadgateCore

/// A place for upstream's subscription that looks like a subscription itself, so that it can be handed on before or
/// after the other has come, and outlive it.
///
/// When the stream ends or is cancelled, what it stands for is let go of, however long this object lives on.
@usableFromInline
final class DetachableSubscription: Subscription, CustomStringConvertible {
    @usableFromInline
    let slot = SubscriptionSlot()

    @inlinable
    init() {}

    @inlinable
    func request(_ demand: Subscribers.Demand) { slot.request(demand) }

    @inlinable
    func cancel() { slot.cancel() }

    @usableFromInline
    var description: String { slot.subscription.map { "\($0)" } ?? "Empty" }
}
