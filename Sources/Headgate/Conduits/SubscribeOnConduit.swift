import HeadgateCore
import Synchronization

/// Passes on upstream, on a scheduler and in order, what downstream says: that it is there, what it asks for, and that it
/// cancels.
///
/// Whoever finds the drain empty schedules the job that owns it then, so there is one job at a time whatever the
/// scheduler; what is said while the job waits or runs is left to it.
@usableFromInline
final class SubscribeOnConduit<Output, Failure: Error, Context: Scheduler>: ConduitSubscription, Subscriber {
    @usableFromInline
    typealias Input = Output

    @usableFromInline
    enum Work {
        case connect((SubscribeOnConduit) -> Void)
        case request(Subscribers.Demand)
        case cancel
    }

    @usableFromInline
    let drain = SerialDrain<Work>()

    @usableFromInline
    let upstream = SubscriptionSlot()

    @usableFromInline
    let isCancelled = Atomic(false)

    @usableFromInline
    let scheduler: Context

    @usableFromInline
    let options: Context.SchedulerOptions?

    @usableFromInline
    let downstream: Guarded<AnySubscriber<Output, Failure>?>

    @inlinable
    init<S: Subscriber>(on scheduler: Context, options: Context.SchedulerOptions?, to downstream: S)
    where S.Input == Output, S.Failure == Failure {
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
    @inlinable
    func connect<P: Publisher>(to publisher: P) where P.Output == Output, P.Failure == Failure {
        perform(.connect { publisher.receive(subscriber: $0) })
    }

    @inlinable
    func handleCancel() {
        if isCancelled.exchange(true, ordering: .acquiringAndReleasing) { return }
        _ = downstream.withLock { $0.take() }
        perform(.cancel)
    }

    @inlinable
    func perform(_ work: Work) {
        if drain.admit(work) {
            scheduler.schedule(options: options) {
                self.performNow(work)
                self.drain.finish { self.performNow($0) }
            }
        }
    }

    @inlinable
    func performNow(_ work: Work) {
        switch work {
        case .connect(let connect): if !isCancelled.load(ordering: .acquiring) { connect(self) }
        case .request(let demand): upstream.request(demand)
        case .cancel: upstream.cancel()
        }
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if upstream.fill(with: subscription) { downstream.withLock { $0 }?.receive(subscription: self) }
    }

    @inlinable
    func receive(_ input: Output) -> Subscribers.Demand {
        if isCancelled.load(ordering: .relaxed) {
            // The job that would cancel may be waiting for this very delivery to end.
            upstream.cancel()
            return .none
        }
        return downstream.withLock { $0 }?.receive(input) ?? .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if upstream.close() { downstream.withLock { $0.take() }?.receive(completion: completion) }
    }

    @usableFromInline
    override var description: String { "SubscribeOn" }

    @usableFromInline
    override var waitsForDemand: Bool { upstream.subscription?.waitsForDemand ?? false }
}
