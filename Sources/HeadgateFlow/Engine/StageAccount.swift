import HeadgateEngine
import HeadgateThread
import Synchronization

/// The sums of all streams through one stage of a flow.
@usableFromInline package final class StageAccount: Sendable {
    /// The stage downstream of the publisher that the calling thread is subscribing to.
    private static var downstream: StageAccount? {
        guard let pointer = headgate_subscribing() else { return nil }
        return Unmanaged<StageRun>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.stage }
    }

    private struct State {
        /// The streams that have not been released.
        var runs: [Unmanaged<StageRun>] = []

        /// The sums of those that have.
        var past = StageSums()

        /// The numbers of the stages that have been found directly upstream.
        var upstreams: Set<Int> = []

        /// The times at the last reading.
        var longest = (busy: 0.0, starved: 0.0, held: 0.0)
    }

    @usableFromInline let context: StageContext

    package let name: String

    /// The position in the flow's list.
    package let number: Int

    /// The queues between this stage and those upstream of it, in all streams.
    @usableFromInline let queues: QueueRegistry

    private let state = Guarded(State())

    private let recording = Atomic(false)

    package init(_ name: String, of flow: String, number: Int, in context: StageContext) {
        self.name = name
        queues = QueueRegistry(name: "\(flow)/\(name)")
        self.number = number
        self.context = context
        if context.hasRecorders { setRecording(true) }
    }

    /// Called before a stream of this stage subscribes upstream.
    @usableFromInline func noteSubscription() {
        if let downstream = Self.downstream, downstream.context === context, downstream !== self {
            downstream.state.withLock { _ = $0.upstreams.insert(number) }
        }
    }

    /// Calls a closure in which streams begin that are not upstream of the stage that is being subscribed to.
    @usableFromInline static func apart(_ deliver: () -> Void) {
        let outer = headgate_subscribe_for(nil)
        QueueRegistry.apart(deliver)
        _ = headgate_subscribe_for(outer)
    }

    @usableFromInline var isRecording: Bool { recording.load(ordering: .relaxed) }

    package func setRecording(_ isOn: Bool) {
        recording.store(isOn, ordering: .relaxed)
        state.withLock { for run in $0.runs { run._withUnsafeGuaranteedRef { $0.setRecording(isOn) } } }
    }

    func add(_ run: StageRun) {
        state.withLock {
            run.place = $0.runs.count
            $0.runs.append(Unmanaged.passUnretained(run))
        }
        if isRecording { run.setRecording(true) }
    }

    /// Called when a stream is released, and can't change any more.
    func remove(_ run: StageRun) {
        let moment = context.clock.now
        let scale = context.clock.scale
        // It may have been released without a completion.
        if !run.hasEnded { run.end(.cancelled) }
        // Not in the closure, which must not retain what is being released.
        let reference = Unmanaged.passUnretained(run)
        state.withLock { state in
            reference._withUnsafeGuaranteedRef { run in
                state.past.add(run, at: moment, scale)
                let last = state.runs.removeLast()
                if run.place < state.runs.count {
                    state.runs[run.place] = last
                    last._withUnsafeGuaranteedRef { $0.place = run.place }
                }
            }
        }
    }

    var reading: StageReading {
        let scale = context.clock.scale
        let moment = context.clock.now
        var (sums, upstreams) = state.withLock { state in
            var sums = state.past
            for run in state.runs { run._withUnsafeGuaranteedRef { sums.add($0, at: moment, scale) } }
            // The rate of the counter is known better each time, and no time may become shorter for that.
            state.longest.busy = max(state.longest.busy, sums.busy)
            state.longest.starved = max(state.longest.starved, sums.starved)
            state.longest.held = max(state.longest.held, sums.held)
            (sums.busy, sums.starved, sums.held) = state.longest
            return (sums, state.upstreams)
        }
        (sums.waiting, sums.dropped) = queues.sums
        return StageReading(name: name, sums: sums, upstreams: upstreams)
    }
}

/// The sums of streams; times are in nanoseconds.
package struct StageSums: Sendable {
    package var streams = 0
    package var finished = 0
    package var failed = 0
    package var cancelled = 0
    package var values = 0
    package var waiting = 0
    package var dropped = 0

    /// The demand of the streams whose demand is limited, and the number of the others.
    package var demand = 0
    package var unlimited = 0

    /// How many streams are in each state now.
    package var busyNow = 0
    package var starvedNow = 0
    package var heldNow = 0

    package var busy = 0.0
    package var starved = 0.0
    package var held = 0.0

    /// How much of the starved time passed without demand from before the last value.
    package var answered = 0.0

    /// When the first stream began and the last one ended, in units of the clock, and how long that is.
    package var first: UInt64?
    package var last: UInt64 = 0
    package var span = 0.0

    /// The number of ended streams that have lasted for less than one nanosecond, two, four, and so on.
    package var durations = LatencyHistogram()

    package init() {}

    mutating func add(_ run: StageRun, at moment: UInt64, _ scale: Double) {
        let hasEnded = run.hasEnded
        let isBusy = run.busy.isBegun
        let began = run.began.load(ordering: .relaxed)
        let end = hasEnded && !isBusy ? run.ended.load(ordering: .relaxed) : moment
        let whole = end > began ? end - began : 0
        let busy = min(whole, run.busy.length(until: end))
        let held = min(whole - busy, run.held.length(until: end))
        let starved = whole - busy - held
        streams += 1
        values += run.values.load(ordering: .relaxed)
        self.busy += Double(busy) * scale
        self.held += Double(held) * scale
        self.starved += Double(starved) * scale
        answered += Double(min(starved, run.answered.length(until: run.idleTime(at: end)))) * scale
        first = min(first ?? began, began)
        last = max(last, end)
        span = Double(last - min(last, first ?? 0)) * scale
        if hasEnded {
            switch StageEvent.Kind(rawValue: run.outcome.load(ordering: .relaxed)) {
            case .failed: failed += 1
            case .cancelled: cancelled += 1
            default: finished += 1
            }
            durations.add(.nanoseconds(UInt64(Double(whole) * scale)))
            return
        }
        let demand = run.outstanding
        if demand >= StageRun.unlimited {
            unlimited += 1
        } else {
            self.demand += demand
        }
        if isBusy {
            busyNow += 1
        } else if demand > 0 {
            starvedNow += 1
        } else {
            heldNow += 1
        }
    }
}
