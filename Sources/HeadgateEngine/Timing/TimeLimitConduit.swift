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

    @usableFromInline let failure: (Limit) -> Failure

    @inlinable package init(
        first: Time.Stride?, between: Time.Stride?, total: Time.Stride?, scheduler: Context,
        options: Context.SchedulerOptions?, failure: @escaping (Limit) -> Failure
    ) {
        self.first = first
        self.between = between
        self.total = total
        self.scheduler = scheduler
        self.options = options
        self.failure = failure
    }

    /// The limit that is reached next, and when.
    ///
    /// - Parameters:
    ///   - start: When the stream began.
    ///   - last: When the most recent value arrived, if there was one.
    @inlinable func next(since start: Time, last: Time?) -> (limit: Limit, date: Time)? {
        let value = last.map { (Limit.between, between, $0) } ?? (Limit.first, first, start)
        var next: (limit: Limit, date: Time)?
        for (limit, length, since) in [(Limit.total, total, start), value] {
            guard let date = length.flatMap({ TimeSpan($0, on: scheduler).end(since: since) }) else { continue }
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
    @usableFromInline package func serve() {
        if !isOver, upstream.subscription != nil { request(takeDemand(), from: upstream) }
    }

    /// Delivers a value, and notes when it arrived if the next one has to follow in time.
    ///
    /// - Returns: The demand to return upstream.
    @inlinable @inline(__always) package func take(_ value: Output) -> Subscribers.Demand {
        if isOver || upstream.hasEnded { return .none }
        let isFirst = last == nil
        if isFirst || limits.between != nil { last = limits.scheduler.now }
        if isFirst {
            alarm.cancel()
            setAlarm()
        }
        return outstanding.takeOne() ? deliver(value) : .none
    }

    /// Sets an alarm for the limit that is reached next.
    @usableFromInline func setAlarm() {
        if let (_, date) = limits.next(since: beginning, last: last) {
            setAlarm(at: date, on: limits.scheduler, options: limits.options)
        }
    }

    /// Fails the stream if a limit has been reached.
    @usableFromInline package func wake(atAlarmFor date: Context.SchedulerTimeType) {
        guard !isOver, let (limit, end) = limits.next(since: beginning, last: last) else { return }
        if end <= max(limits.scheduler.now, date) { finish(.failure(limits.failure(limit))) } else { setAlarm() }
    }

    @usableFromInline package override func releaseUpstreams() {
        alarm.cancel()
        upstream.cancel()
    }
}
