@preconcurrency import Dispatch
import HeadgateEngine

/// The clock of a wall timer.
public struct WallClock: Sendable {
    let now: @Sendable () -> WallTime
    let wait: @Sendable (_ seconds: Double, _ wake: @escaping @Sendable () -> Void) -> AnyCancellable

    /// Creates a clock, for tests that set it.
    ///
    /// - Parameters:
    ///   - now: Returns the current time.
    ///   - wait: Calls back once after a number of seconds on a monotonic clock, unless cancelled.
    public init(
        now: @escaping @Sendable () -> WallTime,
        wait: @escaping @Sendable (_ seconds: Double, _ wake: @escaping @Sendable () -> Void) -> AnyCancellable
    ) {
        self.now = now
        self.wait = wait
    }

    /// The clock of the system.
    public static let system = WallClock(now: { .now }) { seconds, wake in
        let work = DispatchWorkItem(block: wake)
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: work)
        return AnyCancellable(serially(work.cancel))
    }
}

extension Publishers {
    /// Publishes the time whenever the wall clock reaches a time of a schedule.
    ///
    /// Drops a tick for which there is no demand. To keep it, put `buffer` after it.
    ///
    /// ```
    /// timer     ---t-------t-------t---
    /// ```
    ///
    /// ```swift no-run
    /// let nightly = Publishers.wallTimer(.daily(hour: 3)).sink { _ in tidyUp() }
    /// ```
    ///
    /// The clock may be set while the timer waits; the timer checks it at least once a minute. If it is set forward
    /// past times of the schedule, they are replaced by one tick; if it is set back, times that recur tick again.
    ///
    /// - **Demand**: a tick without demand is dropped. The timer starts with the first demand.
    /// - **Completion**: never finishes; ends at `cancel()`.
    /// - **Threads**: a tick is delivered on the thread on which the clock calls back: that of the system on a global
    ///   queue of Dispatch.
    /// - **Complexity**: one job per tick, and one per minute.
    ///
    /// - Parameters:
    ///   - schedule: When to tick.
    ///   - clock: The clock.
    public static func wallTimer(_ schedule: WallSchedule, clock: WallClock = .system) -> Publishers.WallTimer {
        WallTimer(schedule: schedule, clock: clock)
    }

    /// A publisher of the time whenever the wall clock reaches a time of a schedule.
    public struct WallTimer: Publisher, Sendable {
        /// The type of the published values.
        public typealias Output = WallTime

        /// This publisher never fails.
        public typealias Failure = Never

        /// When it ticks.
        public let schedule: WallSchedule

        let clock: WallClock

        /// Connects a subscriber to a timer of its own.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            serve(AnySubscriber(subscriber))
        }

        @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
            let conduit = PushConduit<WallTime, Never>(name: "WallTimer", to: subscriber) {
                [schedule, clock] conduit in
                let ticker = WallTicker(schedule, clock) { [weak conduit] moment in conduit?.push(moment) }
                ticker.begin()
                return ticker.stop
            }
            conduit.send(to: subscriber)
        }
    }
}

/// Waits for the times of a schedule, one after the other.
private final class WallTicker: Sendable {
    private let schedule: WallSchedule
    private let clock: WallClock
    private let tick: @Sendable (WallTime) -> Void
    private let next = Guarded<WallTime?>(nil)
    private let alarm = AlarmSlot()

    init(_ schedule: WallSchedule, _ clock: WallClock, tick: @escaping @Sendable (WallTime) -> Void) {
        self.schedule = schedule
        self.clock = clock
        self.tick = tick
    }

    func begin() {
        let now = clock.now()
        let first = schedule.next(after: now)
        next.withLock { $0 = first }
        wait(from: now, until: first)
    }

    func stop() {
        next.withLock { $0 = nil }
        alarm.cancel()
    }

    private func wait(from now: WallTime, until moment: WallTime) {
        alarm.set { clock.wait(min(max(moment.seconds - now.seconds, 0), 60)) { [weak self] in self?.wake() } }
        // It may have been stopped before.
        if next.withLock({ $0 == nil }) { alarm.cancel() }
    }

    private func wake() {
        guard let awaited = next.withLock({ $0 }) else { return }
        let now = clock.now()
        if now >= awaited { tick(now) }
        let following = schedule.next(after: now)
        let isOver = next.withLock { next in
            if next == nil { return true }
            next = following
            return false
        }
        if !isOver { wait(from: now, until: following) }
    }
}
