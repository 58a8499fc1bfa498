import HeadgateCore

/// Delivers on a scheduler what arrives from anywhere: in order, one at a time, and each thing when it is due.
///
/// What arrives goes into a backlog. A job on the scheduler takes it out and delivers it. There is one such job at a time
/// whatever the scheduler, so a concurrent queue changes no order; and one alarm at a time, so a thousand values that are
/// due later cost one timer. An alarm is never called off: when it goes, the job looks whether the moment has moved.
@usableFromInline
final class ScheduledConduit<Waiting: Backlog, Context: Scheduler>: ConduitSubscription, Subscriber
where Waiting.Time == Context.SchedulerTimeType {
    @usableFromInline
    typealias Input = Waiting.Input

    @usableFromInline
    typealias Failure = Waiting.Failure

    @usableFromInline
    typealias Time = Context.SchedulerTimeType

    /// What upstream is asked for.
    @usableFromInline
    enum UpstreamDemand {
        case everything
        /// So many values for each that downstream asks for.
        case multiple(Int)
    }

    /// Whether a job has to be scheduled.
    @usableFromInline
    enum Call {
        case none
        case job
        case alarm(Time)
    }

    @usableFromInline
    struct State {
        @usableFromInline
        var backlog: Waiting?

        @usableFromInline
        var downstream: AnySubscriber<Waiting.Output, Failure>?

        /// How often something was added: what is due may have changed since a look at it.
        @usableFromInline
        var arrivals = 0

        /// Whether a job is delivering.
        @usableFromInline
        var isDelivering = false

        /// Whether the job that is delivering has to look once more.
        @usableFromInline
        var hasNews = false

        @usableFromInline
        var isJobScheduled = false

        @usableFromInline
        var isAlarmScheduled = false

        /// Whether a value is due that nobody has asked for.
        @usableFromInline
        var isStarved = false

        /// Whatever has to live as long as the stream does.
        @usableFromInline
        var companion: AnyObject?

        @inlinable
        init() {}

        /// Notes what is needed so that the backlog is looked at when it is due.
        @inlinable
        mutating func call() -> Call {
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

    /// How many values a job delivers before it lets others have their turn on the scheduler.
    @usableFromInline
    static var batch: Int { 128 }

    @usableFromInline
    let state = Guarded(State())

    @usableFromInline
    let outstanding = OutstandingDemand()

    @usableFromInline
    let upstream = SubscriptionSlot()

    @usableFromInline
    let scheduler: Context

    @usableFromInline
    let tolerance: Time.Stride

    @usableFromInline
    let options: Context.SchedulerOptions?

    @usableFromInline
    let pace: DeliveryPace<Time>

    // Belongs to the deliveries of upstream, which are serial; hence unchecked.
    @exclusivity(unchecked)
    @usableFromInline
    var boundary: Time?

    @usableFromInline
    let upstreamDemand: UpstreamDemand

    @usableFromInline
    let name: StaticString

    @inlinable
    init<S: Subscriber>(
        name: StaticString, _ backlog: Waiting, _ pace: DeliveryPace<Time>, asking upstreamDemand: UpstreamDemand,
        on scheduler: Context, tolerance: Time.Stride? = nil, options: Context.SchedulerOptions?, to downstream: S
    ) where S.Input == Waiting.Output, S.Failure == Failure {
        self.name = name
        self.pace = pace
        self.upstreamDemand = upstreamDemand
        self.scheduler = scheduler
        self.tolerance = tolerance ?? scheduler.minimumTolerance
        self.options = options
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: ScheduledConduit.self)
            switch signal {
            case .request(let demand): conduit.handleRequest(demand)
            case .cancel: conduit.handleCancel()
            }
        }
        let erased = AnySubscriber(downstream)
        state.withLock {
            $0.backlog = backlog
            $0.downstream = erased
        }
    }

    @inlinable
    func handleRequest(_ demand: Subscribers.Demand) {
        guard let before = outstanding.add(demand) else { return }
        if before == .none { endStarvation() }
        askUpstream(for: demand)
    }

    @inlinable
    func handleCancel() {
        if outstanding.close() == nil { return }
        upstream.cancel()
        release()
    }

    @inlinable
    func endStarvation() {
        let isStarved = state.withLock {
            if !$0.isStarved { return false }
            $0.isStarved = false
            $0.isJobScheduled = true
            return true
        }
        if isStarved { schedule(.job) }
    }

    @inlinable
    func askUpstream(for demand: Subscribers.Demand) {
        guard case .multiple(let factor) = upstreamDemand else { return }
        upstream.request(factor == 1 ? demand : demand.multiplied(by: factor))
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if !upstream.fill(with: subscription) { return }
        if case .atBoundaries(let interval) = pace { boundary = scheduler.now.advanced(by: interval) }
        state.withLock { $0.downstream }?.receive(subscription: self)
        if case .everything = upstreamDemand { subscription.request(.unlimited) }
    }

    @inlinable
    func receive(_ input: Waiting.Input) -> Subscribers.Demand {
        if upstream.isClosed { return .none }
        let due = dueMoment()
        // Whatever is not going to be delivered is let go of here, outside the lock.
        let (call, _) = state.withLock { state in
            let displaced = state.backlog == nil ? input : state.backlog?.add(input, due: due)
            state.arrivals &+= 1
            return (state.isStarved ? Call.none : state.call(), displaced)
        }
        schedule(call)
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if upstream.close() { end(completion) }
    }

    /// Ends the stream before upstream does.
    @inlinable
    func endEarly(_ completion: @autoclosure () -> Subscribers.Completion<Failure>) {
        if upstream.cancel() { end(completion()) }
    }

    @inlinable
    func end(_ completion: Subscribers.Completion<Failure>) {
        let due = dueMoment()
        let call = state.withLock { state in
            state.backlog?.end(completion, due: due)
            state.arrivals &+= 1
            return state.backlog == nil ? Call.none : state.call()
        }
        schedule(call)
    }

    /// When what arrives now is due; `nil` if the pace does not say.
    @inlinable
    func dueMoment() -> Time? {
        switch pace {
        case .atOnce:
            return nil
        case .afterDelivery:
            let now = scheduler.now
            guard let due = state.withLock({ $0.backlog?.due }) else { return now }
            return due <= now ? now : nil
        case .afterArrival(let interval):
            return scheduler.now.advanced(by: interval)
        case .atBoundaries(let interval):
            boundary = boundary?.boundary(after: scheduler.now, every: interval)
            return boundary
        }
    }

    @inlinable
    func schedule(_ call: Call) {
        switch call {
        case .none:
            break
        case .job:
            scheduler.schedule(options: options) { self.runJob() }
        case .alarm(let date):
            scheduler.schedule(after: date, tolerance: tolerance, options: options) { self.runAlarm(date) }
        }
    }

    @usableFromInline
    override var description: String { name.description }

    @usableFromInline
    override var waitsForDemand: Bool {
        guard case .multiple = upstreamDemand else { return false }
        return upstream.subscription?.waitsForDemand ?? false
    }
}
