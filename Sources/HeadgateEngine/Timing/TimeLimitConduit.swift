import HeadgateCore

/// One of the limits that a stream may exceed.
@usableFromInline package protocol TimeLimit {
    static var first: Self { get }

    static var between: Self { get }

    static var total: Self { get }
}

/// How long a stream may take, and how it fails if it takes longer.
@usableFromInline package struct TimeLimitPlan<Limit: TimeLimit, Failure: Error, Context: Scheduler> {
    @usableFromInline package typealias Time = Context.SchedulerTimeType

    @usableFromInline let first: Time.Stride?

    @usableFromInline let between: Time.Stride?

    @usableFromInline let total: Time.Stride?

    @usableFromInline let scheduler: Context

    @usableFromInline let options: Context.SchedulerOptions?

    /// Whether the limits of values count only the time in which values are requested.
    @usableFromInline let countsOnlyRequested: Bool

    @usableFromInline let completion: (Limit) -> Subscribers.Completion<Failure>

    @inlinable package init(
        first: Time.Stride?, between: Time.Stride?, total: Time.Stride?, countsOnlyRequested: Bool = false,
        scheduler: Context, options: Context.SchedulerOptions?,
        completion: @escaping (Limit) -> Subscribers.Completion<Failure>
    ) {
        self.first = first
        self.between = between
        self.total = total
        self.scheduler = scheduler
        self.options = options
        self.countsOnlyRequested = countsOnlyRequested
        self.completion = completion
    }

    /// The limit that is reached next, and when.
    ///
    /// - Parameters:
    ///   - start: When the stream began.
    ///   - last: When the most recent value arrived, if there was one.
    ///   - requested: When what has been requested and has not arrived began to be so.
    @inlinable func next(since start: Time, last: Time?, requested: Time?) -> (limit: Limit, date: Time)? {
        let value = last.map { (Limit.between, between, $0) } ?? (Limit.first, first, start)
        let beginning = countsOnlyRequested ? requested : value.2
        var next: (limit: Limit, date: Time)?
        for (limit, length, since) in [(Limit.total, total, start), (value.0, value.1, beginning)] {
            guard let since, let date = length.flatMap({ TimeSpan($0, on: scheduler).end(since: since) }) else {
                continue
            }
            if next.map({ date < $0.date }) ?? true { next = (limit, date) }
        }
        return next
    }
}

/// Forwards everything, and fails the stream when it exceeds a time limit.
@usableFromInline
package final class TimeLimitConduit<Limit: TimeLimit, Output, Failure: Error, Context: Scheduler>: JoiningConduit<
    Output, Failure
>, Buffering, Waking
{
    @usableFromInline package typealias Input = Output

    @usableFromInline let limits: TimeLimitPlan<Limit, Failure, Context>

    @usableFromInline package let upstream = Upstream()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    @exclusivity(unchecked) @usableFromInline var beginning: Context.SchedulerTimeType

    /// When the most recent value arrived, if that matters, or the first.
    @exclusivity(unchecked) @usableFromInline var last: Context.SchedulerTimeType?

    /// Since when something has been requested that has not arrived, if that matters.
    @exclusivity(unchecked) @usableFromInline var requested: Context.SchedulerTimeType?

    @exclusivity(unchecked) @usableFromInline package var alarm = ConduitAlarm<Context.SchedulerTimeType>()

    @inlinable package init(
        _ limits: TimeLimitPlan<Limit, Failure, Context>, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.limits = limits
        beginning = limits.scheduler.now
        super.init(name: "TimeLimits", downstream, handle: TimeLimitConduit.forwarding)
    }

    @inlinable package func start() {
        setAlarm()
        serve()
    }

    /// Adds new demand and forwards it.
    @usableFromInline package func forwardDemand() {
        if isOver || upstream.subscription == nil { return }
        let demand = takeDemand()
        if limits.countsOnlyRequested, requested == nil, outstanding.isPending { noteRequest() }
        request(demand, from: upstream)
    }

    @usableFromInline package override var passedOn: Upstream? { upstream }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        upstream.traits.intersection([.startsOnDemand, .sendsByItself])
    }

    /// Notes that from now on a value is awaited.
    @usableFromInline func noteRequest() {
        requested = limits.scheduler.now
        // One that is set goes off earlier, and then is set anew.
        if limits.total == nil, alarm.isSet { return }
        alarm.cancel()
        setAlarm()
    }

    /// Delivers a value, and notes when it arrived if the next one has to follow in time.
    ///
    /// - Returns: The demand to return upstream.
    @inlinable @inline(__always) package func take(_ value: Output) -> Subscribers.Demand {
        if isOver || upstream.hasEnded { return .none }
        let isFirst = last == nil
        if limits.countsOnlyRequested { return takeRequested(value, isFirst: isFirst) }
        if isFirst || limits.between != nil { last = limits.scheduler.now }
        if isFirst {
            alarm.cancel()
            setAlarm()
        }
        return outstanding.takeOne() ? deliver(value) : .none
    }

    /// Delivers a value; the time that this takes doesn't count, nor that until another is requested.
    ///
    /// - Returns: The demand to return upstream.
    @inlinable func takeRequested(_ value: Output, isFirst: Bool) -> Subscribers.Demand {
        last = last ?? beginning
        requested = nil
        let more = outstanding.takeOne() ? deliver(value) : .none
        if isOver { return .none }
        if isFirst { alarm.cancel() }
        if outstanding.isPending { noteRequest() } else if isFirst { setAlarm() }
        return more
    }

    /// Sets an alarm for the limit that is reached next.
    @usableFromInline func setAlarm() {
        if let (_, date) = limits.next(since: beginning, last: last, requested: requested) {
            setAlarm(at: date, on: limits.scheduler, options: limits.options)
        }
    }

    /// Fails the stream if a limit has been reached.
    @usableFromInline package func wake(atAlarmFor date: Context.SchedulerTimeType) {
        guard !isOver, let (limit, end) = limits.next(since: beginning, last: last, requested: requested) else {
            return
        }
        if end <= max(limits.scheduler.now, date) { finish(limits.completion(limit)) } else { setAlarm() }
    }

    @usableFromInline package override func releaseValues() {
        alarm.cancel()
    }
}
