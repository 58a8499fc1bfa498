import HeadgateCore

/// Limits demand so that the values of any time span never exceed what a token bucket allows.
///
/// The bucket fills at a constant rate, up to its size, and is full at first. A value takes its cost out of it when it
/// is delivered; one that costs more than its content leaves a debt. No more values are requested than there are tokens
/// for all that have been requested but not received, so a source that was silent for long can't exceed the rate
/// either.
// The algorithm is the token bucket of traffic shaping (J. Turner, "New directions in communications", 1986), with the
// level in fractions of a token so that all of it is exact.
@usableFromInline
package final class RateConduit<Output, Failure: Error, Context: Scheduler>: JoiningConduit<Output, Failure>, Buffering,
    Waking
{
    @usableFromInline package typealias Input = Output

    @usableFromInline package typealias Time = Context.SchedulerTimeType

    @usableFromInline let scheduler: Context

    /// How many tokens are added in `period` nanoseconds.
    @usableFromInline let count: Int

    @usableFromInline let period: Int

    @usableFromInline let burst: Int

    @usableFromInline let cost: ((Output) -> Int)?

    @usableFromInline package let upstream = Upstream()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    /// The content of the bucket, in fractions of a token.
    ///
    /// A token is `period` of them, and each nanosecond adds `count`. Negative while there is a debt.
    @exclusivity(unchecked) @usableFromInline var level: Int128

    /// The time for which the level holds.
    @exclusivity(unchecked) @usableFromInline var levelDate: Time

    /// The demand that has not been forwarded.
    @exclusivity(unchecked) @usableFromInline var heldBack = Subscribers.Demand.none

    /// How many values have been requested but not received.
    @exclusivity(unchecked) @usableFromInline var underWay = 0

    @exclusivity(unchecked) @usableFromInline package var alarm = ConduitAlarm<Context.SchedulerTimeType>()

    @inlinable package init(
        name: StaticString, count: Int, per interval: Context.SchedulerTimeType.Stride, burst: Int,
        cost: ((Output) -> Int)?, on scheduler: Context, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.scheduler = scheduler
        self.count = count
        period = interval.nanosecondCount
        self.burst = burst
        self.cost = cost
        level = Int128(period) * Int128(burst)
        levelDate = scheduler.now
        super.init(name: name, downstream, handle: RateConduit.forwarding)
    }

    /// Adds new demand, and forwards what the tokens allow.
    @usableFromInline package func forwardDemand() {
        if isOver { return }
        heldBack += takeDemand()
        forward(at: scheduler.now)
    }

    /// Adds the tokens of the time since the last call.
    @inlinable func fill(at moment: Time) {
        if levelDate >= moment { return }
        let elapsed = levelDate.distance(to: moment).nanosecondCount
        level = min(Int128(period) * Int128(burst), level + Int128(elapsed) * Int128(count))
        levelDate = moment
    }

    /// Requests as much as there are demand and tokens for, or schedules another call.
    @inlinable func forward(at moment: Time) {
        if heldBack == .none || upstream.subscription == nil { return }
        if period == 0 {
            request(exchange(&heldBack, with: .none), from: upstream)
            return
        }
        fill(at: moment)
        // The cost of a value is only known once it has arrived, so values are then requested one at a time.
        if cost != nil, underWay > 0 { return }
        let free = max(0, level / Int128(period) - Int128(underWay))
        let most = cost == nil ? Int(free) : Int(min(free, 1))
        let demand = min(heldBack, .max(most))
        if demand > .none, let number = demand.max {
            heldBack -= demand
            underWay += number
            request(demand, from: upstream)
        } else if underWay < burst {
            setAlarm(at: moment)
        }
    }

    /// Sets an alarm for when there is a token for one more value.
    @inlinable func setAlarm(at moment: Time) {
        if alarm.isSet { return }
        // The level may hold for a time in the future, if an alarm was ahead of the clock.
        let needed = Int128(underWay + 1) * Int128(period)
        let wait = (needed - level + Int128(count) - 1) / Int128(count)
        let span = TimeSpan(.nanoseconds(Int(clamping: wait)), on: scheduler)
        setAlarm(for: span, since: max(moment, levelDate))
    }

    @usableFromInline package override func releaseValues() {
        alarm.cancel()
    }

    @inlinable package func wake(atAlarmFor date: Time) {
        if isOver { return }
        let moment = max(scheduler.now, date)
        fill(at: moment)
        forward(at: moment)
    }

    /// Delivers a value, and forwards what the tokens allow.
    ///
    /// - Returns: None: what to request depends on the time.
    @inlinable package func take(_ value: Output) -> Subscribers.Demand {
        if isOver || upstream.hasEnded { return .none }
        let price = cost?(value) ?? 1
        if price < 0 {
            programmerError(
                rule: "The cost of a value can't be negative.", found: "\(price)",
                remedy: "Return zero for a value that may pass at any time.")
        }
        var moment = levelDate
        if period > 0 {
            moment = scheduler.now
            fill(at: moment)
            level -= Int128(price) * Int128(period)
            underWay = max(0, underWay - 1)
        }
        if outstanding.takeOne() { heldBack += deliver(value) }
        if !isOver { forward(at: moment) }
        return .none
    }
}
