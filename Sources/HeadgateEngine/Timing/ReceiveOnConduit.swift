import HeadgateCore
import Synchronization

/// Delivers events on a scheduler as soon as it can, from any thread: in order, and one at a time.
///
/// What arrives is kept. A job on the scheduler takes everything that has arrived when it begins, and delivers it without
/// the lock. One such job at a time delivers, on any scheduler: another that begins meanwhile leaves its work to it, so a
/// concurrent queue doesn't change the order.
///
/// What arrives during a job schedules the next one. So on a serial queue, other work comes after everything that was sent
/// before it was put there, and no upstream holds the queue.
// The state is made of members and not of a type: code that is not specialised would look that up for each value.
@usableFromInline
package final class ReceiveOnConduit<Output, Failure: Error, Context: Scheduler>: ConduitSubscription, SignalHandling,
    Subscriber
{
    @usableFromInline package typealias Input = Output

    @usableFromInline let lock = Lock()

    // Guarded by the lock, as is everything up to `introduction`.
    @exclusivity(unchecked) @usableFromInline var arrived = Queue<Output>()

    @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?

    /// Whether there is one.
    // Asked for each job: code that is not specialised would look up the type of the completion.
    @exclusivity(unchecked) @usableFromInline var isCompleting = false

    @exclusivity(unchecked) @usableFromInline var work = ScheduledWork.none

    /// Whether a job has been scheduled that has not begun.
    @exclusivity(unchecked) @usableFromInline var isScheduled = false

    /// Whether a value waits for demand.
    @exclusivity(unchecked) @usableFromInline var isStarved = false

    @exclusivity(unchecked) @usableFromInline var downstream: ScheduledReceiver<Output, Failure>?

    /// Sends the subscriber its subscription, once.
    @exclusivity(unchecked) @usableFromInline var introduction: ((any Subscription) -> HiddenSubscriber?)?

    // Confined to the job that delivers; guarded by the lock while there is none.
    @exclusivity(unchecked) @usableFromInline var taken = Queue<Output>()

    /// How many values have been taken and not delivered, for who observes.
    @usableFromInline let takenCount = Atomic(0)

    /// How many values have been delivered since the last request ahead of downstream.
    // Confined to the job that delivers.
    @exclusivity(unchecked) @usableFromInline var delivered = 0

    @usableFromInline let outstanding = OutstandingDemand()

    @usableFromInline let upstream = SubscriptionSlot()

    /// What waits here, for the stage of a flow downstream, if there is one.
    // Written before the conduit is attached.
    @exclusivity(unchecked) @usableFromInline var counts: QueueCounts?

    @usableFromInline let scheduler: Context

    @usableFromInline let options: ScheduledOptions<Context>?

    /// How many values are requested ahead of downstream; zero if as many are requested as downstream requests.
    @usableFromInline let prefetch: Int

    // Not inlined: the frame of a caller that subscribes stays small.
    @inlinable @inline(never) package init(
        on scheduler: Context, options: Context.SchedulerOptions?, prefetch: Int = 0,
        to downstream: some Subscriber<Output, Failure>
    ) {
        self.scheduler = scheduler
        self.options = if let options { ScheduledOptions(options) } else { nil }
        self.prefetch = prefetch
        super.init(handle: ReceiveOnConduit.handling)
        let erased = AnySubscriber(downstream)
        self.downstream = ScheduledReceiver(erased)
        introduction = erased.onSubscription
        if QueueRegistry.isBound { counts = makeCounts() }
    }

    @inlinable @inline(never) func makeCounts() -> QueueCounts? {
        QueueCounts.register { [weak self] in
            guard let self else { return 0 }
            return lock.withLock { self.arrived.count } + takenCount.load(ordering: .relaxed)
        }
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        guard let before = outstanding.add(demand) else { return }
        if before == .none { endWaiting() }
        if prefetch == 0 { upstream.request(demand) }
    }

    /// Delivers what has waited for demand.
    @inlinable func endWaiting() {
        let isFirst = lock.withLock { exchange(&isStarved, with: false) && !exchange(&isScheduled, with: true) }
        if isFirst { schedule() }
    }

    @inlinable package func handleCancel() {
        if outstanding.close() == nil { return }
        upstream.cancel()
        release()
    }

    @inlinable package func receive(subscription: any Subscription) {
        if !upstream.fill(with: subscription) { return }
        _ = takeIntroduction()?(self)
        if prefetch > 0 { upstream.request(.max(prefetch)) }
    }

    /// Returns what sends the subscriber its subscription, once.
    // Sending it nests as deeply as the pipeline, so what is done before it takes no stack meanwhile.
    @inlinable @inline(never) func takeIntroduction() -> ((any Subscription) -> HiddenSubscriber?)? {
        lock.withLock { introduction.take() }
    }

    @inlinable package func receive(_ input: Output) -> Subscribers.Demand {
        if upstream.isClosed { return .none }
        let isFirst = lock.withLock {
            if downstream == nil { return false }
            arrived.append(input)
            return !isStarved && !exchange(&isScheduled, with: true)
        }
        if isFirst { schedule() }
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if !upstream.close() { return Undeliverable.note(completion) }
        let (isFirst, _) = lock.withLock {
            self.completion = completion
            isCompleting = true
            // An upstream that completes without a subscription won't send one.
            let introduction = introduction.take()
            return (downstream != nil && !isStarved && !exchange(&isScheduled, with: true), introduction)
        }
        if isFirst { schedule() }
    }

    @inlinable func schedule() {
        scheduler.schedule(options: options?.options, serially { self.runJob() })
    }

    @inlinable func runJob() {
        if let (downstream, count, isLast) = begin() { deliver(count, to: downstream, isLast: isLast) }
    }

    /// Becomes the job that delivers, unless there is one.
    ///
    /// - Returns: How many values are to be delivered to whom, and whether the completion follows them.
    // Not inlined: on a scheduler that runs everything at once, deliveries nest as deeply as the pipeline.
    @inlinable @inline(never) func begin() -> (ScheduledReceiver<Output, Failure>, Int, Bool)? {
        // Not in the closure's result: code that is not specialised would look up its type for each job.
        var receiver: ScheduledReceiver<Output, Failure>?
        let (count, isLast) = lock.withLock {
            isScheduled = false
            if work != .none {
                work = .unfinished
                return (0, false)
            }
            receiver = downstream
            return receiver == nil ? (0, false) : take()
        }
        guard let receiver else { return nil }
        return (receiver, count, isLast)
    }

    /// Takes what has arrived, as far as nothing is left that came before it.
    @inlinable func take() -> (count: Int, isLast: Bool) {
        work = .underWay
        if taken.isEmpty { taken.exchange(with: &arrived) }
        return (taken.count + arrived.count, isCompleting)
    }

    /// Delivers what had arrived when the job began.
    @inlinable func deliver(_ count: Int, to downstream: ScheduledReceiver<Output, Failure>, isLast: Bool) {
        var (count, isLast) = (count, isLast)
        while true {
            while count > 0, takeDemand() {
                // The rest, after what was left. A cancellation may have released it.
                if taken.isEmpty, !takeArrived() { break }
                let value = takeValue()
                let more = downstream.value(value)
                if outstanding.add(more) != nil, prefetch == 0 { upstream.request(more) }
                if prefetch > 0 { countDelivery() }
                count -= 1
            }
            if count == 0, isLast { return complete(downstream) }
            guard let next = next() else { return }
            (count, isLast) = next
        }
    }

    /// Takes the demand for one value, or notes that one waits for it.
    @inlinable @inline(__always) func takeDemand() -> Bool {
        if outstanding.takeOne() { return true }
        // Whoever requests meanwhile finds it noted, or is found here.
        return lock.withLock {
            isStarved = !outstanding.takeOne()
            return !isStarved
        }
    }

    @inlinable @inline(never) func takeArrived() -> Bool {
        lock.withLock { taken.exchange(with: &arrived) }
        return !taken.isEmpty
    }

    @inlinable @inline(__always) func takeValue() -> Output {
        let value = taken.removeFirst()
        takenCount.store(taken.count, ordering: .relaxed)
        return value
    }

    /// Requests the next step ahead of downstream when it is due.
    @inlinable func countDelivery() {
        delivered += 1
        let step = prefetch - prefetch / 4
        if delivered < step { return }
        delivered = 0
        upstream.request(.max(step))
    }

    /// Ends a job, unless another one has left its work to it.
    ///
    /// - Returns: What that has left.
    @inlinable @inline(never) func next() -> (Int, Bool)? {
        // Released on return, outside the lock.
        var released = Queue<Output>()
        return lock.withLock {
            if downstream != nil, work == .unfinished { return take() }
            work = .none
            if downstream == nil { taken.exchange(with: &released) }
            return nil
        }
    }

    @inlinable @inline(never) func complete(_ downstream: ScheduledReceiver<Output, Failure>) {
        let completion = lock.withLock { self.completion }
        if outstanding.close() != nil, let completion { downstream.completion(completion) }
        release()
    }

    /// Releases the downstream and everything that waits.
    @inlinable func release() {
        // Released on return, outside the lock. What a job has taken, it releases itself.
        _ = lock.withLock {
            (
                exchange(&arrived, with: Queue()), work == .none ? exchange(&taken, with: Queue()) : Queue(),
                downstream.take(), introduction.take()
            )
        }
    }

    @usableFromInline package override var description: String { "ReceiveOn" }

    @usableFromInline package override var traits: SubscriptionTraits {
        upstream.traits.intersection([.waitsForDemand, .answersLater])
    }
}
