import HeadgateCore

/// Delivers events on a scheduler, from any thread: in order, one at a time, and each when it is due.
///
/// Events are added to a backlog. A job on the scheduler removes and delivers them. One such job at a time delivers, on
/// any scheduler, so a concurrent queue doesn't change the order; and there is one alarm at a time, so a thousand values
/// that are due later cost one timer. An alarm is cancelled when the stream ends, and not before: when it fires, the job
/// checks whether the due time has moved.
///
/// A job delivers what had arrived when it began, however much, and nothing else: what arrives meanwhile schedules the
/// next job when it arrives. So on a serial queue, other work comes after everything that was sent before it was put there,
/// and no upstream holds the queue.
@usableFromInline
package final class ScheduledConduit<Waiting: Backlog, Plan: SchedulingPlan, Context: Scheduler>: ConduitSubscription,
    SignalHandling, Subscriber
where Waiting.Time == Context.SchedulerTimeType, Plan.Time == Context.SchedulerTimeType {
    @usableFromInline package typealias Input = Waiting.Input

    @usableFromInline package typealias Failure = Waiting.Failure

    @usableFromInline package typealias Time = Context.SchedulerTimeType

    /// What has to be scheduled.
    @usableFromInline package enum Call {
        case nothing
        case job
        case alarm(Time)
    }

    @usableFromInline package typealias Receiver = ScheduledReceiver<Waiting.Output, Failure>

    // The order of the members keeps the conduit small.
    @usableFromInline package struct State {
        @usableFromInline package var backlog: Waiting?

        @usableFromInline package var work = ScheduledWork.none

        @usableFromInline package var isJobScheduled = false

        /// How many of the events had arrived when the job began, or what it has to check once more.
        @usableFromInline package var arrived = 0

        /// Whether a value is due without demand.
        @usableFromInline package var isStarved = false

        /// Whether an event was added since the due time was read.
        @usableFromInline package var hasChanged = false

        /// Whether upstream's `receive(subscriber:)` has not returned.
        @usableFromInline package var isAttaching = false

        /// Whether everything is to be requested from upstream, and has not been.
        @usableFromInline package var isUnrequested = false

        @usableFromInline package var downstream: Receiver?

        /// Sends the subscriber its subscription, once.
        @usableFromInline package var introduction: ((any Subscription) -> HiddenSubscriber?)?

        /// The time for which an alarm is set, or about to be set.
        @usableFromInline package var alarmDate: Time?

        @usableFromInline package var alarm: (any Alarm)?

        @inlinable package init() {}

        /// Whether an alarm may be set: not before the subscriber has its subscription.
        @inlinable package var mayHaveAlarm: Bool { introduction == nil && alarmDate == nil }

        /// Records that an alarm is about to be set, unless there is one.
        @inlinable package mutating func claimAlarm(_ date: Time) -> Bool {
            if !mayHaveAlarm { return false }
            alarmDate = date
            return true
        }

        /// Removes the alarm, to be released outside the lock.
        @inlinable package mutating func takeAlarm() -> (date: Time?, alarm: (any Alarm)?) {
            (alarmDate.take(), alarm.take())
        }

        /// Records that the backlog has to be handled when it is due.
        @inlinable package mutating func call() -> Call {
            if isJobScheduled { return .nothing }
            if let due = backlog?.due {
                return claimAlarm(due) ? .alarm(due) : .nothing
            }
            isJobScheduled = true
            return .job
        }

        /// Records that a job delivers what has arrived.
        @inlinable package mutating func beginJob() {
            work = .underWay
            arrived = backlog?.length ?? 0
        }
    }

    @usableFromInline package let state = Guarded(State())

    @usableFromInline package let outstanding = OutstandingDemand()

    @usableFromInline package let upstream = SubscriptionSlot()

    /// What waits and is dropped here, for the stage of a flow downstream, if there is one.
    // Written before the conduit is attached.
    @exclusivity(unchecked) @usableFromInline var counts: QueueCounts?

    @usableFromInline package let scheduler: Context

    @usableFromInline package let boxedOptions: ScheduledOptions<Context>?

    @usableFromInline package let plan: Plan

    // Confined to upstream's deliveries, which are serial.
    @exclusivity(unchecked) @usableFromInline package var arrivalNote: Plan.ArrivalNote

    // Not inlined: the frame of a caller that subscribes stays small.
    @inlinable @inline(never) package init(
        _ plan: Plan, _ backlog: Waiting, on scheduler: Context, options: Context.SchedulerOptions?,
        to downstream: some Subscriber<Waiting.Output, Failure>
    ) {
        self.plan = plan
        self.scheduler = scheduler
        boxedOptions = if let options { ScheduledOptions(options) } else { nil }
        arrivalNote = plan.firstArrivalNote
        super.init(handle: ScheduledConduit.handling)
        let erased = AnySubscriber(downstream)
        state.withLock {
            $0.backlog = backlog
            $0.downstream = Receiver(erased)
            $0.introduction = erased.onSubscription
        }
        if QueueRegistry.isBound { counts = makeCounts() }
    }

    @inlinable @inline(never) func makeCounts() -> QueueCounts? {
        QueueCounts.register { [weak self] in self?.state.withLock { $0.backlog?.count ?? 0 } ?? 0 }
    }

    @inlinable package var options: Context.SchedulerOptions? { boxedOptions?.options }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        guard let before = outstanding.add(demand) else { return }
        if before == .none { endWaiting() }
        if plan.pace.endsInSilence { watchBeforeRequesting() }
        requestUpstream(for: demand)
    }

    @inlinable package func handleCancel() {
        if outstanding.close() == nil { return }
        upstream.cancel()
        release()
    }

    /// Does what has waited for demand.
    @inlinable package func endWaiting() {
        let (isStarved, isUnrequested) = state.withLock { state in
            let isStarved = exchange(&state.isStarved, with: false)
            if isStarved { state.isJobScheduled = true }
            return (isStarved, state.isUnrequested)
        }
        if isStarved { schedule(.job) }
        if isUnrequested { requestEverything() }
    }

    /// Subscribes to an upstream of which everything is requested.
    @inlinable @inline(__always) package func attach(to publisher: some Publisher<Input, Failure>) {
        state.withLock { $0.isAttaching = true }
        publisher.receive(subscriber: self)
        if state.withLock({
            $0.isAttaching = false
            return $0.isUnrequested
        }) {
            requestEverything()
        }
    }

    /// Requests everything, once: of an upstream at which nothing happens before with the first demand, since nothing is lost
    /// until then.
    @usableFromInline package func requestEverything() {
        let traits = upstream.traits
        let isDue = state.withLock { state in
            // What shares knows how its values arrive when it has subscribed to its own upstream.
            let isEarly =
                traits.contains(.startsOnDemand) ? !outstanding.isPending : traits.isEmpty && state.isAttaching
            return !isEarly && exchange(&state.isUnrequested, with: false)
        }
        if isDue { upstream.request(.unlimited) }
    }

    @inlinable package func requestUpstream(for demand: Subscribers.Demand) {
        guard let factor = plan.demandPerValue.max else { return }
        upstream.request(factor == 1 ? demand : demand.multiplied(by: factor))
    }

    @inlinable package func receive(subscription: any Subscription) {
        if !upstream.fill(with: subscription) { return }
        begin()
        _ = takeIntroduction()?(self)
        start()
    }

    /// Returns what sends the subscriber its subscription, once.
    // Sending it nests as deeply as the pipeline, so what is done before and after it takes no stack meanwhile.
    @inlinable @inline(never) func takeIntroduction() -> ((any Subscription) -> HiddenSubscriber?)? {
        state.withLock { $0.introduction.take() }
    }

    /// Makes the first request, and schedules what an upstream has sent before its subscription.
    @inlinable @inline(never) func start() {
        schedule(state.withLock { $0.hasChanged ? $0.call() : .nothing })
        if plan.demandPerValue == .unlimited {
            state.withLock { $0.isUnrequested = true }
            requestEverything()
        }
        if plan.pace.endsInSilence { watch() }
    }

    /// Notes when the stream begins.
    @inlinable @inline(never) func begin() {
        switch plan.pace {
        case .atBoundaries, .atOnceUntilSilence:
            let due = dueMoment()
            state.withLock { $0.backlog?.begin(due: due) }
        case .afterArrival, .afterDelivery:
            break
        }
    }

    @inlinable package func receive(_ input: Waiting.Input) -> Subscribers.Demand {
        if upstream.isClosed { return .none }
        let due = dueMoment()
        // What won't be delivered is released here, outside the lock.
        let (call, _) = state.withLock { state in
            let displaced = state.backlog == nil ? input : state.backlog?.add(input, due: due)
            state.hasChanged = true
            if counts != nil { note(displaced) }
            return (state.isStarved ? Call.nothing : state.call(), displaced)
        }
        schedule(call)
        return .none
    }

    @inlinable @inline(never) func note(_ displaced: Waiting.Input?) {
        if displaced != nil { counts?.drop() }
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if !upstream.close() { return Undeliverable.note(completion) }
        end(completion)
    }

    /// Completes the stream before upstream does.
    @inlinable package func endEarly(_ completion: @autoclosure () -> Subscribers.Completion<Failure>) {
        if upstream.cancel() { end(completion()) }
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        let due = dueMoment()
        let (call, _) = state.withLock { state in
            state.backlog?.end(completion, due: due)
            state.hasChanged = true
            // An upstream that completes without a subscription won't send one.
            let introduction = state.introduction.take()
            return (state.backlog == nil ? Call.nothing : state.call(), introduction)
        }
        schedule(call)
    }

    /// When an event that arrives now is due; `nil` if the pace doesn't determine it.
    @inlinable @inline(__always) package func dueMoment() -> Time? {
        // Not in place: an empty note has the address of another member, and ThreadSanitizer takes the change of one
        // for a change of the other.
        var note = arrivalNote
        defer { arrivalNote = note }
        return plan.due(now: { scheduler.now }, &note)
    }

    @inlinable package func schedule(_ call: Call) {
        switch call {
        case .nothing:
            break
        case .job:
            scheduler.schedule(options: options, serially { self.runJob() })
        case .alarm(let date):
            // The closure captures nothing else, and so is no object of its own.
            let alarm = scheduler.alarm(
                at: date, tolerance: plan.tolerance ?? scheduler.minimumTolerance, options: options
            ) { self.runAlarm() }
            keep(alarm)
        }
    }

    /// Ensures that an alarm is cancelled with the stream.
    @inlinable package func keep(_ alarm: any Alarm) {
        let hasEnded = state.withLock { state in
            // It may have gone off before it came here, and the next may be about to be set.
            if state.alarmDate != nil, state.alarm == nil, !alarm.isOver { state.alarm = alarm }
            return state.downstream == nil
        }
        if hasEnded { alarm.cancel() }
    }

    @usableFromInline package override var description: String { plan.name.description }

    @usableFromInline package override var traits: SubscriptionTraits {
        let waiting: SubscriptionTraits = plan.demandPerValue == .unlimited ? .startsOnDemand : .waitsForDemand
        return upstream.traits.intersection(waiting.union(.answersLater))
    }
}
