import HeadgateCore

/// One of the limits that a stream may exceed.
@usableFromInline package protocol TimeLimit {
    static var first: Self { get }

    static var between: Self { get }

    static var total: Self { get }
}

/// Forwards everything, and fails the stream when it exceeds a time limit.
@usableFromInline
package final class TimeLimitConduit<Limit: TimeLimit, Output, Failure: Error, Context: Scheduler>: JoiningConduit<
    Output, Failure
>, Buffering, Waking
{
    @usableFromInline package typealias Input = Output

    @usableFromInline package typealias Time = Context.SchedulerTimeType

    @usableFromInline let first: Time.Stride?

    @usableFromInline let between: Time.Stride?

    @usableFromInline let total: Time.Stride?

    /// Whether the limits of values count only the time in which values are requested.
    @usableFromInline let countsOnlyRequested: Bool

    @usableFromInline let scheduler: Context

    @usableFromInline let options: Context.SchedulerOptions?

    /// How the stream ends when it exceeds a limit.
    @usableFromInline let completion: (Limit) -> Subscribers.Completion<Failure>

    @usableFromInline package let upstream = Upstream()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    @exclusivity(unchecked) @usableFromInline var beginning: Time

    /// When the most recent value arrived, if that matters, or the first.
    @exclusivity(unchecked) @usableFromInline var last: Time?

    /// Since when something has been requested that has not arrived, if that matters.
    @exclusivity(unchecked) @usableFromInline var requested: Time?

    @exclusivity(unchecked) @usableFromInline package var alarm = ConduitAlarm<Time>()

    @inlinable package init(
        first: Time.Stride?, between: Time.Stride?, total: Time.Stride?, countsOnlyRequested: Bool = false,
        scheduler: Context, options: Context.SchedulerOptions?, _ downstream: AnySubscriber<Output, Failure>,
        completion: @escaping (Limit) -> Subscribers.Completion<Failure>
    ) {
        self.first = first
        self.between = between
        self.total = total
        self.countsOnlyRequested = countsOnlyRequested
        self.scheduler = scheduler
        self.options = options
        self.completion = completion
        beginning = scheduler.now
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
        if countsOnlyRequested, requested == nil, outstanding.isPending { noteRequest() }
        request(demand, from: upstream)
    }

    @usableFromInline package override var passedOn: Upstream? { upstream }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        upstream.traits.intersection([.startsOnDemand, .sendsByItself])
    }

    /// Notes that from now on a value is awaited.
    @usableFromInline func noteRequest() {
        requested = scheduler.now
        // One that is set goes off earlier, and then is set anew.
        if total == nil, alarm.isSet { return }
        alarm.cancel()
        setAlarm()
    }

    /// Delivers a value, and notes when it arrived if the next one has to follow in time.
    ///
    /// - Returns: The demand to return upstream.
    @inlinable @inline(__always) package func take(_ value: Output) -> Subscribers.Demand {
        if isOver || upstream.hasEnded { return .none }
        let isFirst = last == nil
        if countsOnlyRequested { return takeRequested(value, isFirst: isFirst) }
        if isFirst || between != nil { last = scheduler.now }
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

    /// The limit that is reached next, and when.
    @inlinable func nextLimit() -> (limit: Limit, date: Time)? {
        let value = last.map { (Limit.between, between, $0) } ?? (Limit.first, first, beginning)
        let valueBeginning = countsOnlyRequested ? requested : value.2
        var next: (limit: Limit, date: Time)?
        for (limit, length, since) in [(Limit.total, total, beginning), (value.0, value.1, valueBeginning)] {
            guard let since, let date = length.flatMap({ TimeSpan($0, on: scheduler).end(since: since) }) else {
                continue
            }
            if next.map({ date < $0.date }) ?? true { next = (limit, date) }
        }
        return next
    }

    /// Sets an alarm for the limit that is reached next.
    @usableFromInline func setAlarm() {
        if let (_, date) = nextLimit() {
            setAlarm(at: date, on: scheduler, options: options)
        }
    }

    /// Fails the stream if a limit has been reached.
    @usableFromInline package func wake(atAlarmFor date: Time) {
        guard !isOver, let (limit, end) = nextLimit() else { return }
        if end <= max(scheduler.now, date) { finish(completion(limit)) } else { setAlarm() }
    }

    @usableFromInline package override func releaseValues() {
        alarm.cancel()
    }
}
