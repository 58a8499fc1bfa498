import HeadgateCore

/// Holds demand back so that no more values come in any length of time than a bucket of tokens allows.
///
/// The bucket is filled at a constant rate, up to its size, and is full at first. A value takes its cost out of it when it
/// is delivered; one that costs more than there is leaves a debt. No more values are requested than there are tokens for
/// whatever has been requested and has not come, so that a source that was silent for long can't exceed the rate either.
// The algorithm is the token bucket of traffic shaping (J. Turner, "New directions in communications", 1986), with the
// level in parts of a token so that all of it is exact.
@usableFromInline
package final class RateConduit<Output, Failure: Error, Context: Scheduler>: WaitingConduit<Output, Failure>, Buffering
{
    @usableFromInline package typealias Input = Output

    @usableFromInline typealias Time = Context.SchedulerTimeType

    @usableFromInline let clock: AlarmClock<Context>

    /// How many tokens come in `period` nanoseconds.
    @usableFromInline let count: Int

    @usableFromInline let period: Int

    @usableFromInline let burst: Int

    @usableFromInline let cost: ((Output) -> Int)?

    // The members below are only touched by the drain's owner, hence unchecked.

    /// What is in the bucket, in parts of a token.
    ///
    /// A token is `period` of them, and a nanosecond brings `count`. Below zero while there is a debt.
    @exclusivity(unchecked) @usableFromInline var level: Int128

    /// When the level was right.
    @exclusivity(unchecked) @usableFromInline var levelDate: Time

    /// The demand that has not been passed on.
    @exclusivity(unchecked) @usableFromInline var heldBack = Subscribers.Demand.none

    /// How many values have been requested but not received.
    @exclusivity(unchecked) @usableFromInline var underWay = 0

    @exclusivity(unchecked) @usableFromInline var isAlarmSet = false

    @inlinable package init(
        name: StaticString, count: Int, per interval: Context.SchedulerTimeType.Stride, burst: Int,
        cost: ((Output) -> Int)?, on scheduler: Context, _ downstream: AnySubscriber<Output, Failure>
    ) {
        clock = AlarmClock(scheduler)
        self.count = count
        period = interval.nanosecondCount
        self.burst = burst
        self.cost = cost
        level = Int128(period) * Int128(burst)
        levelDate = scheduler.now
        super.init(name: name, downstream, handle: RateConduit.forwarding)
    }

    @inlinable package func start() { serve() }

    /// Takes new demand in, and passes on what may be.
    @usableFromInline package func serve() {
        if isOver { return }
        heldBack += takeDemand()
        passOn(at: clock.now)
    }

    /// Fills the bucket with what has come since the last look.
    @inlinable func fill(at moment: Time) {
        if levelDate >= moment { return }
        let elapsed = levelDate.distance(to: moment).nanosecondCount
        level = min(Int128(period) * Int128(burst), level + Int128(elapsed) * Int128(count))
        levelDate = moment
    }

    /// Requests as much as is wanted and there are tokens for, or sees to it that this is called again.
    @inlinable func passOn(at moment: Time) {
        if heldBack == .none || upstream.subscription == nil { return }
        if period == 0 {
            request(exchange(&heldBack, with: .none), from: upstream.subscription)
            return
        }
        fill(at: moment)
        // What a value costs is only known when it is there, so then there is one at a time.
        if cost != nil, underWay > 0 { return }
        let free = max(0, level / Int128(period) - Int128(underWay))
        let most = cost == nil ? Int(free) : Int(min(free, 1))
        let demand = min(heldBack, .max(most))
        if demand > .none, let number = demand.max {
            heldBack -= demand
            underWay += number
            request(demand, from: upstream.subscription)
        } else if underWay < burst {
            setAlarm(at: moment)
        }
    }

    /// Sets an alarm for the moment at which there is a token for one more value.
    @inlinable func setAlarm(at moment: Time) {
        if isAlarmSet { return }
        // The level may be right for a moment that is still to come, where an alarm has gone ahead of the clock.
        let needed = Int128(underWay + 1) * Int128(period)
        let wait = (needed - level + Int128(count) - 1) / Int128(count)
        isAlarmSet = true
        isAlarmSet = clock.wake(after: .nanoseconds(Int(clamping: wait)), from: max(moment, levelDate)) {
            [weak self] date in
            guard let self else { return }
            attend { self.wake(atAlarmFor: date) }
        }
    }

    @inlinable func wake(atAlarmFor date: Time) {
        isAlarmSet = false
        if isOver { return }
        let moment = clock.now(atAlarmFor: date)
        fill(at: moment)
        passOn(at: moment)
    }

    /// Delivers a value, and passes on what may be.
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
            moment = clock.now
            fill(at: moment)
            level -= Int128(price) * Int128(period)
            underWay = max(0, underWay - 1)
        }
        if outstanding.takeOne() { heldBack += deliver(value) }
        if !isOver { passOn(at: moment) }
        return .none
    }
}
