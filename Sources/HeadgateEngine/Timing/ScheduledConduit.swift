import HeadgateCore

/// Delivers events on a scheduler, from any thread: in order, one at a time, and each when it is due.
///
/// Events are added to a backlog. A job on the scheduler removes and delivers them. There is one such job at a time on
/// any scheduler, so a concurrent queue doesn't change the order; and one alarm at a time, so a thousand values that
/// are due later cost one timer. An alarm is cancelled when the stream ends, and not before: when it fires, the job
/// checks whether the due time has moved.
@usableFromInline
package final class ScheduledConduit<Waiting: Backlog, Context: Scheduler>: ConduitSubscription, SignalHandling,
    Subscriber
where Waiting.Time == Context.SchedulerTimeType {
    @usableFromInline package typealias Input = Waiting.Input

    @usableFromInline package typealias Failure = Waiting.Failure

    @usableFromInline package typealias Time = Context.SchedulerTimeType

    /// What is requested from upstream.
    @usableFromInline package enum UpstreamDemand {
        case everything
        /// A number of values for each one that downstream requests.
        case multiple(Int)
        /// A number of values ahead of downstream, and `step` more each time as many have been delivered.
        case ahead(Int, step: Int)
    }

    /// Whether a job has to be scheduled.
    @usableFromInline package enum Call {
        case none
        case job
        case alarm(Time)
    }

    @usableFromInline package struct State {
        @usableFromInline package var backlog: Waiting?

        @usableFromInline package var downstream: AnySubscriber<Waiting.Output, Failure>?

        /// How often an event was added: the due time may have changed since it was read.
        @usableFromInline package var arrivals = 0

        /// Whether a job is delivering.
        @usableFromInline package var isDelivering = false

        /// Whether the delivering job has to check once more.
        @usableFromInline package var hasNews = false

        @usableFromInline package var isJobScheduled = false

        @usableFromInline package var isAlarmScheduled = false

        /// Whether a value is due without demand.
        @usableFromInline package var isStarved = false

        /// The most recent alarm, to be cancelled with the stream.
        @usableFromInline package var alarm: (any Alarm)?

        /// Retained as long as the stream lives.
        @usableFromInline package var keptAlive: AnyObject?

        @inlinable package init() {}

        /// Records that the backlog has to be handled when it is due.
        @inlinable package mutating func call() -> Call {
            if isDelivering {
                hasNews = true
                return .none
            }
            if isJobScheduled { return .none }
            if let due = backlog?.due {
                if isAlarmScheduled { return .none }
                isAlarmScheduled = true
                return .alarm(due)
            }
            isJobScheduled = true
            return .job
        }
    }

    /// How many values a job delivers before it lets other jobs on the scheduler run.
    @usableFromInline package static var batch: Int { 128 }

    @usableFromInline package let state = Guarded(State())

    @usableFromInline package let outstanding = OutstandingDemand()

    @usableFromInline package let upstream = SubscriptionSlot()

    @usableFromInline package let scheduler: Context

    @usableFromInline package let tolerance: Time.Stride

    @usableFromInline package let options: Context.SchedulerOptions?

    @usableFromInline package let pace: DeliveryPace<Time>

    // Confined to upstream's deliveries, which are serial.
    @exclusivity(unchecked) @usableFromInline package var boundary: Time?

    @usableFromInline package let upstreamDemand: UpstreamDemand

    /// How many values have been delivered since the last request to upstream.
    // Confined to the job that delivers.
    @exclusivity(unchecked) @usableFromInline package var delivered = 0

    @usableFromInline package let name: StaticString

    @inlinable package init(
        name: StaticString, _ backlog: Waiting, _ pace: DeliveryPace<Time>, asking upstreamDemand: UpstreamDemand,
        on scheduler: Context, tolerance: Time.Stride? = nil, options: Context.SchedulerOptions?,
        to downstream: some Subscriber<Waiting.Output, Failure>
    ) {
        self.name = name
        self.pace = pace.mapInterval { $0.bounded }
        self.upstreamDemand = upstreamDemand
        self.scheduler = scheduler
        self.tolerance = tolerance ?? scheduler.minimumTolerance
        self.options = options
        super.init(handle: ScheduledConduit.handling)
        let erased = AnySubscriber(downstream)
        state.withLock {
            $0.backlog = backlog
            $0.downstream = erased
        }
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        guard let before = outstanding.add(demand) else { return }
        if before == .none { endStarvation() }
        askUpstream(for: demand)
    }

    @inlinable package func handleCancel() {
        if outstanding.close() == nil { return }
        upstream.cancel()
        release()
    }

    @inlinable package func endStarvation() {
        let isStarved = state.withLock {
            if !$0.isStarved { return false }
            $0.isStarved = false
            $0.isJobScheduled = true
            return true
        }
        if isStarved { schedule(.job) }
    }

    @inlinable package func askUpstream(for demand: Subscribers.Demand) {
        guard case .multiple(let factor) = upstreamDemand else { return }
        upstream.request(factor == 1 ? demand : demand.multiplied(by: factor))
    }

    /// Counts a delivered value, and requests the next step from upstream when it is due.
    @inlinable @inline(__always) package func countDelivery() {
        guard case .ahead(_, let step) = upstreamDemand else { return }
        delivered += 1
        if delivered < step { return }
        delivered = 0
        upstream.request(.max(step))
    }

    @inlinable package func receive(subscription: any Subscription) {
        if !upstream.fill(with: subscription) { return }
        if case .atBoundaries(let interval) = pace { boundary = scheduler.now.advanced(by: interval) }
        state.withLock { $0.downstream }?.receive(subscription: self)
        switch upstreamDemand {
        case .everything: subscription.request(.unlimited)
        case .multiple: break
        case .ahead(let count, _): subscription.request(.max(count))
        }
    }

    @inlinable package func receive(_ input: Waiting.Input) -> Subscribers.Demand {
        if upstream.isClosed { return .none }
        let due = dueMoment()
        // What won't be delivered is released here, outside the lock.
        let (call, _) = state.withLock { state in
            let displaced = state.backlog == nil ? input : state.backlog?.add(input, due: due)
            state.arrivals &+= 1
            return (state.isStarved ? Call.none : state.call(), displaced)
        }
        schedule(call)
        return .none
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
        let call = state.withLock { state in
            state.backlog?.end(completion, due: due)
            state.arrivals &+= 1
            return state.backlog == nil ? Call.none : state.call()
        }
        schedule(call)
    }

    /// When an event that arrives now is due; `nil` if the pace doesn't determine it.
    @inlinable package func dueMoment() -> Time? {
        switch pace {
        case .atOnce, .afterDelivery:
            return nil
        case .afterArrival(let interval):
            return scheduler.now.advanced(by: interval)
        case .atBoundaries(let interval):
            boundary = boundary?.boundary(after: scheduler.now, every: interval)
            return boundary
        }
    }

    @inlinable package func schedule(_ call: Call) {
        switch call {
        case .none:
            break
        case .job:
            scheduler.schedule(options: options, serially { self.runJob() })
        case .alarm(let date):
            let alarm = scheduler.alarm(at: date, tolerance: tolerance, options: options) { self.runAlarm(date) }
            keep(alarm)
        }
    }

    /// Ensures that an alarm is cancelled with the stream.
    @usableFromInline package func keep(_ alarm: any Alarm) {
        let (hasEnded, _) = state.withLock { state -> (Bool, (any Alarm)?) in
            if state.downstream == nil { return (true, nil) }
            // It may have gone before it came here, and the next may have been set.
            return (false, alarm.isOver ? nil : exchange(&state.alarm, with: alarm))
        }
        if hasEnded { alarm.cancel() }
    }

    @usableFromInline package override var description: String { name.description }

    @usableFromInline package override var traits: SubscriptionTraits {
        if case .everything = upstreamDemand { return [] }
        return upstream.traits.intersection(.waitsForDemand)
    }
}
