import HeadgateEngine
import HeadgateThread
import Synchronization

/// The time of a flow: the processor's counter, or nanoseconds on a scheduler's clock.
@usableFromInline package struct StageClock: Sendable {
    private let nanoseconds: (@Sendable () -> UInt64)?

    /// Where the counter and the system's clock were when a flow was first created, to learn the rate of the counter.
    private static let origin = (ticks: headgate_ticks(), nanoseconds: headgate_nanoseconds())

    /// The processor's counter.
    package init() {
        nanoseconds = nil
        _ = Self.origin
    }

    /// The time of a scheduler, since now.
    package init<Context: Scheduler & Sendable>(_ scheduler: Context) where Context.SchedulerTimeType: Sendable {
        let start = scheduler.now
        nanoseconds = { UInt64(start.distance(to: scheduler.now).nanosecondCount) }
    }

    var isCounter: Bool { nanoseconds == nil }

    package var now: UInt64 { nanoseconds?() ?? headgate_ticks() }

    /// How many nanoseconds a unit of this clock lasts.
    package var scale: Double {
        if !isCounter { return 1 }
        let ticks = headgate_ticks() &- Self.origin.ticks
        let elapsed = headgate_nanoseconds() &- Self.origin.nanoseconds
        return ticks == 0 || elapsed == 0 ? 1 : Double(elapsed) / Double(ticks)
    }
}

/// What the stages of a flow have in common.
@usableFromInline package final class StageContext: Sendable {
    package let clock: StageClock

    /// When the flow was created.
    package let start: UInt64

    private let runs = Atomic(0)

    private let recorders = Guarded<[StageRecorder]>([])

    package init(_ clock: StageClock) {
        self.clock = clock
        start = clock.now
        QueueRegistry.begin()
    }

    func nextRun() -> Int { runs.wrappingAdd(1, ordering: .relaxed).newValue }

    package func add(_ recorder: StageRecorder) { recorders.withLock { $0.append(recorder) } }

    package func remove(_ recorder: StageRecorder) {
        recorders.withLock { $0.removeAll { $0 === recorder } }
    }

    package var hasRecorders: Bool { recorders.withLock { !$0.isEmpty } }

    func record(_ event: StageEvent) {
        for recorder in recorders.withLock({ $0 }) { recorder.add(event) }
    }
}

/// Something that has happened at a stage.
@usableFromInline package struct StageEvent: Sendable {
    @usableFromInline package enum Kind: UInt8, Sendable {
        case subscribed, requested, value, delivered, finished, failed, cancelled
    }

    package let moment: UInt64

    package let stage: Int

    /// The number of the stream.
    package let run: Int

    package let kind: Kind

    /// The outstanding demand afterwards; `nil` if it is unlimited.
    package let demand: Int?

    /// The value, the failure, or what was requested.
    package let text: String
}

/// Keeps the most recent events of the stages of a flow.
package final class StageRecorder: Sendable {
    private let kept = Guarded(Queue<StageEvent>())

    private let limit: Int

    package init(limit: Int) { self.limit = limit }

    func add(_ event: StageEvent) {
        // What is displaced is released outside the lock.
        _ = kept.withLock { kept -> StageEvent? in
            kept.append(event)
            return kept.count > limit ? kept.popFirst() : nil
        }
    }

    /// The events that are kept.
    package var events: [StageEvent] {
        let events = kept.withLock { $0.elements }
        // Threads may add what happens at nearly the same time in another order.
        let order = events.indices.sorted { (events[$0].moment, $0) < (events[$1].moment, $1) }
        return order.map { events[$0] }
    }
}
