import HeadgateCore
import Synchronization

/// Passes on upstream, on a scheduler and in order, what downstream says: that it is there, what it asks for, and that it
/// cancels.
///
/// Whoever finds the drain empty schedules the job that owns it then, so there is one job at a time whatever the
/// scheduler; what is said while the job waits or runs is left to it.
@usableFromInline
package final class SubscribeOnConduit<Output, Failure: Error, Context: Scheduler>: ConduitSubscription, Subscriber {
    @usableFromInline package typealias Input = Output

    @usableFromInline package enum Work {
        case connect((SubscribeOnConduit) -> Void)
        case request(Subscribers.Demand)
        case cancel
    }

    @usableFromInline package let drain = SerialDrain<Work>()

    @usableFromInline package let upstream = SubscriptionSlot()

    @usableFromInline package let isCancelled = Atomic(false)

    @usableFromInline package let scheduler: Context

    @usableFromInline package let options: Context.SchedulerOptions?

    @usableFromInline package let downstream: Guarded<AnySubscriber<Output, Failure>?>

    @inlinable package init(
        on scheduler: Context, options: Context.SchedulerOptions?, to downstream: some Subscriber<Output, Failure>
    ) {
        self.scheduler = scheduler
        self.options = options
        self.downstream = Guarded(nil)
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: SubscribeOnConduit.self)
            switch signal {
            case .request(let demand): if demand > .none { conduit.perform(.request(demand)) }
            case .cancel: conduit.handleCancel()
            }
        }
        let erased = AnySubscriber(downstream)
        self.downstream.withLock { $0 = erased }
    }

    /// Connects to a publisher, on the scheduler.
    @inlinable package func connect<P: Publisher>(to publisher: P) where P.Output == Output, P.Failure == Failure {
        perform(.connect { publisher.receive(subscriber: $0) })
    }

    @inlinable package func handleCancel() {
        if isCancelled.exchange(true, ordering: .acquiringAndReleasing) { return }
        _ = downstream.withLock { $0.take() }
        perform(.cancel)
    }

    @inlinable package func perform(_ work: Work) {
        if drain.admit(work) {
            scheduler.schedule(options: options) {
                self.performNow(work)
                self.drain.finish { self.performNow($0) }
            }
        }
    }

    @inlinable package func performNow(_ work: Work) {
        switch work {
        case .connect(let connect): if !isCancelled.load(ordering: .acquiring) { connect(self) }
        case .request(let demand): upstream.request(demand)
        case .cancel: upstream.cancel()
        }
    }

    @inlinable package func receive(subscription: any Subscription) {
        if upstream.fill(with: subscription) { downstream.withLock { $0 }?.receive(subscription: self) }
    }

    @inlinable package func receive(_ input: Output) -> Subscribers.Demand {
        if isCancelled.load(ordering: .relaxed) {
            // The job that would cancel may be waiting for this very delivery to end.
            upstream.cancel()
            return .none
        }
        return downstream.withLock { $0 }?.receive(input) ?? .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if upstream.close() { downstream.withLock { $0.take() }?.receive(completion: completion) }
    }

    @usableFromInline package override var description: String { "SubscribeOn" }

    @usableFromInline package override var waitsForDemand: Bool { upstream.subscription?.waitsForDemand ?? false }
}
