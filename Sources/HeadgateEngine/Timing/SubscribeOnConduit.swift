import HeadgateCore
import Synchronization

/// Performs subscription, demand and cancellation on a scheduler, in order.
///
/// There is one job at a time on any scheduler; it also handles what arrives while it waits or runs.
@usableFromInline
package final class SubscribeOnConduit<Output, Failure: Error, Context: Scheduler>: ConduitSubscription, SignalHandling,
    Subscriber
{
    @usableFromInline package typealias Input = Output

    /// What the job on the scheduler has to do.
    @usableFromInline struct Agenda {
        @usableFromInline var work = Queue<(SubscribeOnConduit) -> Void>()

        @usableFromInline var hasJob = false

        @inlinable init() {}
    }

    @usableFromInline let agenda = Guarded(Agenda())

    @usableFromInline package let upstream = SubscriptionSlot()

    @usableFromInline package let isCancelled = Atomic(false)

    @usableFromInline package let scheduler: Context

    @usableFromInline package let options: Context.SchedulerOptions?

    /// What was bound where the subscriber was attached: the scheduler binds nothing.
    @usableFromInline let locals = TaskLocals()

    /// That of the stage for which the subscriber was attached.
    @usableFromInline let queues = QueueRegistry.current

    @usableFromInline package let downstream: Guarded<AnySubscriber<Output, Failure>?>

    @inlinable package init(
        on scheduler: Context, options: Context.SchedulerOptions?, to downstream: some Subscriber<Output, Failure>
    ) {
        self.scheduler = scheduler
        self.options = options
        self.downstream = Guarded(nil)
        super.init(handle: SubscribeOnConduit.handling)
        let erased = AnySubscriber(downstream)
        self.downstream.withLock { $0 = erased }
    }

    /// Subscribes to a publisher, on the scheduler.
    @inlinable package func connect(to publisher: some Publisher<Output, Failure>) {
        perform { conduit in
            if conduit.isCancelled.load(ordering: .relaxed) { return }
            QueueRegistry.bind(conduit.queues) { publisher.receive(subscriber: conduit) }
        }
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if demand > .none { perform { $0.upstream.request(demand) } }
    }

    @inlinable package func handleCancel() {
        if isCancelled.exchange(true, ordering: .relaxed) { return }
        _ = downstream.withLock { $0.take() }
        perform { $0.upstream.cancel() }
    }

    /// Does work on the scheduler, after everything before it.
    @inlinable package func perform(_ work: @escaping (SubscribeOnConduit) -> Void) {
        let isFirst = agenda.withLock { agenda in
            agenda.work.append(work)
            return !exchange(&agenda.hasJob, with: true)
        }
        if isFirst { scheduler.schedule(options: options, serially { self.performAll() }) }
    }

    @inlinable func performAll() {
        while let work = agenda.withLock({ agenda in
            agenda.hasJob = !agenda.work.isEmpty
            return agenda.work.popFirst()
        }) {
            locals.perform { work(self) }
        }
    }

    @inlinable package func receive(subscription: any Subscription) {
        if upstream.fill(with: subscription) { downstream.withLock { $0 }?.receive(subscription: self) }
    }

    @inlinable package func receive(_ input: Output) -> Subscribers.Demand {
        var more = Subscribers.Demand.none
        if !isCancelled.load(ordering: .relaxed) { more = downstream.withLock { $0 }?.receive(input) ?? .none }
        // Also after the delivery: upstream may not send another value, and yet never end.
        if isCancelled.load(ordering: .relaxed) {
            // The job that would cancel may be waiting for this very delivery to end.
            upstream.cancel()
            return .none
        }
        return more
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        guard upstream.close(), let downstream = downstream.withLock({ $0.take() }) else {
            return Undeliverable.note(completion)
        }
        downstream.receive(completion: completion)
    }

    @usableFromInline package override var description: String { "SubscribeOn" }

    @usableFromInline package override var traits: SubscriptionTraits {
        upstream.traits.intersection([.waitsForDemand, .answersLater])
    }
}
