import HeadgateEngine
import HeadgateThread
import Synchronization

/// The account of one stream through a stage of a flow, and the subscription that its subscriber has.
///
/// Deliveries, which are serial, write most of it with plain moves; a request writes only when it is the first after a
/// time without demand. Any thread may read it meanwhile.
@usableFromInline package final class StageRun: ConduitSubscription, SignalHandling {
    /// What a delivery has to do besides counting and measuring.
    @usableFromInline enum Mode {
        @inlinable static var ended: UInt8 { 1 }
        @inlinable static var hasScheduler: UInt8 { 2 }
        @inlinable static var isRecorded: UInt8 { 4 }
        /// The demand is limited, and has to be counted.
        @inlinable static var isLimited: UInt8 { 8 }
        /// No subscription has arrived yet, and none may: the values may come without.
        @inlinable static var isUnserved: UInt8 { 16 }
        /// In addition to `isLimited`: one value is requested, and each delivery has requested the next one.
        ///
        /// As long as that goes on, `demand` and `answered` stay what they are.
        @inlinable static var isRepeating: UInt8 { 32 }
        @inlinable static var isSteady: UInt8 { isLimited | isRepeating }
    }

    @usableFromInline let mode: Atomic<UInt8>

    @usableFromInline let values = Atomic(0)

    /// The demand without what has been delivered, with the value of the current delivery; below zero while a time
    /// without demand is being measured.
    @usableFromInline let demand = Atomic(-1)

    /// The time inside deliveries.
    @usableFromInline let busy = IntervalSum()

    /// The time outside of deliveries without demand.
    @usableFromInline let held = IntervalSum()

    /// The time outside of deliveries in which no demand was outstanding that is older than the last value; measured in idle
    /// time, which stands still in a delivery, so it goes on until one ends.
    @usableFromInline let answered = IntervalSum()

    @usableFromInline let upstream = SubscriptionSlot()

    @usableFromInline let stage: StageAccount

    let number: Int

    let began = Atomic<UInt64>(0)

    let ended = Atomic<UInt64>(0)

    /// The last event of the stream, once it has ended.
    let outcome = Atomic(StageEvent.Kind.subscribed.rawValue)

    /// The position in the stage's list, which its lock guards.
    var place = 0

    /// Whether it is in that list; written once, before anybody else has this object.
    private var isAdded = false

    @usableFromInline init(_ stage: StageAccount, mayBeServedAtOnce: Bool) {
        self.stage = stage
        number = stage.context.nextRun()
        mode = Atomic(
            Mode.isLimited | (stage.context.clock.isCounter ? 0 : Mode.hasScheduler)
                | (mayBeServedAtOnce ? Mode.isUnserved : 0))
        super.init(handle: StageRun.handling)
    }

    deinit {
        if isAdded { stage.remove(self) }
    }

    @usableFromInline var now: UInt64 { stage.context.clock.now }

    /// Called before the subscriber receives this subscription.
    @usableFromInline func begin() {
        if isAdded { return }
        mode.bitwiseAnd(~Mode.isUnserved, ordering: .relaxed)
        let moment = now
        began.store(moment, ordering: .relaxed)
        held.begin(at: moment)
        isAdded = true
        stage.add(self)
        record(.subscribed)
    }

    /// Begins with unlimited demand if the source delivers without a subscription.
    @usableFromInline func beginIfServedAtOnce() {
        if mode.load(ordering: .relaxed) & Mode.isUnserved == 0 { return }
        begin()
        note(.unlimited)
        // Streams that begin in its deliveries are not upstream of it; who subscribes for it sets this back.
        _ = headgate_subscribe_for(nil)
        _ = headgate_register_in(nil)
    }

    /// The time without that inside deliveries.
    func idleTime(at moment: UInt64) -> UInt64 { moment &- busy.length(until: moment) }

    /// Lets deliveries record what they do, or no longer.
    func setRecording(_ isOn: Bool) {
        if isOn {
            mode.bitwiseOr(Mode.isRecorded, ordering: .relaxed)
        } else {
            mode.bitwiseAnd(~Mode.isRecorded, ordering: .relaxed)
        }
    }

    /// Counts a value that is about to be delivered.
    ///
    /// - Returns: The demand, including that value.
    @inlinable @inline(__always) func enter(at moment: UInt64) -> Int {
        values.store(values.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        busy.begin(at: moment)
        return demand.load(ordering: .relaxed)
    }

    /// Called when a value has been delivered, if there is more to do than to measure.
    ///
    /// - Parameters:
    ///   - before: What `enter` has returned.
    ///   - more: The demand that the subscriber has returned.
    @usableFromInline @inline(never) func leave(at moment: UInt64, _ before: Int, _ more: Subscribers.Demand) {
        let mode = mode.load(ordering: .relaxed)
        if mode == Mode.isLimited, more == .none, before > 1, !answered.isBegun {
            demand.wrappingSubtract(1, ordering: .relaxed)
        } else {
            leave(in: mode, at: moment, before, more)
        }
    }

    @inline(never) private func leave(in mode: UInt8, at moment: UInt64, _ before: Int, _ more: Subscribers.Demand) {
        if mode & Mode.isLimited != 0 { settle(at: moment, before, more) }
        if mode & ~Mode.isSteady != 0 { leaveSlowly(at: moment, more) }
    }

    /// Counts the delivered value, and begins to measure a time without demand if there is none any more.
    private func settle(at moment: UInt64, _ before: Int, _ more: Subscribers.Demand) {
        let idle = idleTime(at: moment)
        if more == .max(1), before > 0 {
            // The demand is what it was: one less and one more.
            if before > 1 { return answered.endIfBegun(at: idle) }
            if !answered.isBegun { answered.begin(at: idle) }
            return repeatOne()
        }
        mode.bitwiseAnd(~Mode.isRepeating, ordering: .relaxed)
        answered.endIfBegun(at: idle)
        if before > 0 { demand.wrappingSubtract(1, ordering: .relaxed) }
        if more > .none { add(more) }
        if demand.load(ordering: .relaxed) == 0 {
            // Before the exchange, so that a request that ends it finds it begun.
            held.begin(at: moment)
            if demand.compareExchange(expected: 0, desired: -1, ordering: .acquiringAndReleasing).exchanged { return }
            held.end(at: moment)
        }
        if before == 1, demand.load(ordering: .relaxed) < Self.unlimited { answered.begin(at: idle) }
    }

    /// Lets the following deliveries count no demand, if one value is requested.
    private func repeatOne() {
        mode.bitwiseOr(Mode.isRepeating, ordering: .acquiringAndReleasing)
        // A request adds to the demand first, and ends this then: one of both notices the other.
        if demand.load(ordering: .acquiring) != 1 { mode.bitwiseAnd(~Mode.isRepeating, ordering: .relaxed) }
    }

    @inline(never) private func leaveSlowly(at moment: UInt64, _ more: Subscribers.Demand) {
        if hasEnded {
            // It was cancelled from inside the delivery, or meanwhile.
            ended.store(max(moment, ended.load(ordering: .relaxed)), ordering: .relaxed)
        }
        if more > .none { record(.requested, "\(more)") }
        record(.delivered)
    }

    /// The least demand that counts as unlimited.
    @inlinable static var unlimited: Int { 1 << 62 }

    /// The demand that is outstanding.
    var outstanding: Int {
        let demand = demand.load(ordering: .relaxed)
        return demand >= Self.unlimited ? demand : max(0, demand - (busy.isBegun ? 1 : 0))
    }

    /// Adds to the demand.
    ///
    /// - Returns: Whether there was none, outside of a delivery.
    @discardableResult private func add(_ more: Subscribers.Demand) -> Bool {
        let added = min(more.max ?? Self.unlimited, Self.unlimited)
        var old = demand.load(ordering: .relaxed)
        while old < Self.unlimited {
            let sum = max(old, 0) + added
            // A delivery that meets this may still take one away.
            let new = sum < Self.unlimited ? sum : Self.unlimited + Self.unlimited / 2
            let (exchanged, current) = demand.weakCompareExchange(
                expected: old, desired: new, ordering: .acquiringAndReleasing)
            if exchanged {
                if new >= Self.unlimited { mode.bitwiseAnd(~Mode.isSteady, ordering: .relaxed) }
                return old < 0
            }
            old = current
        }
        return false
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if demand > .none, !upstream.isClosed { note(demand) }
        upstream.request(demand)
    }

    @usableFromInline func note(_ more: Subscribers.Demand) {
        if add(more) {
            let moment = now
            held.end(at: moment)
            if more != .unlimited { answered.begin(at: idleTime(at: moment)) }
        } else {
            mode.bitwiseAnd(~Mode.isRepeating, ordering: .acquiringAndReleasing)
        }
        if more == .unlimited { answered.endOnce(at: idleTime(at: now)) }
        record(.requested, "\(more)")
    }

    @inlinable package func handleCancel() {
        guard let subscription = upstream.take() else { return }
        end(.cancelled)
        subscription.cancel()
    }

    /// Called once, when the stream has completed or was cancelled.
    @usableFromInline func end(_ result: StageEvent.Kind, _ failure: (any Error)? = nil) {
        let moment = now
        outcome.store(result.rawValue, ordering: .relaxed)
        ended.store(moment, ordering: .relaxed)
        mode.bitwiseOr(Mode.ended, ordering: .releasing)
        record(result, failure.map { "\($0)" } ?? "")
    }

    /// Whether the stream has ended; everything about the end can be read then.
    var hasEnded: Bool { mode.load(ordering: .acquiring) & Mode.ended != 0 }

    @usableFromInline func record(_ kind: StageEvent.Kind, _ text: @autoclosure () -> String = "") {
        guard stage.isRecording else { return }
        let demand = outstanding
        stage.context.record(
            StageEvent(
                moment: now, stage: stage.number, run: number, kind: kind,
                demand: demand >= Self.unlimited ? nil : demand, text: text()))
    }

    @usableFromInline package override var description: String { "Stage" }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.traits }

}
