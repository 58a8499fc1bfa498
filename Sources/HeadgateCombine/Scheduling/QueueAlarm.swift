import Dispatch
import HeadgateEngine

/// An alarm whose work runs on a dispatch queue.
// There may be hundreds of thousands: the fields are ordered so that one takes 56 bytes, and a repeating one 72. The work
// is guarded by `phase`; the caller that sets the alarm answers for what it touches.
class QueueAlarm: Alarm, @unchecked Sendable {
    /// Options, which few alarms have; in an object, so that the others don't pay for them.
    final class Details: Sendable {
        let options: DispatchQueue.SchedulerOptions

        init(_ options: DispatchQueue.SchedulerOptions) { self.options = options }
    }

    // Not a bare closure, which generic code would wrap.
    fileprivate struct Work {
        let run: () -> Void
    }

    fileprivate enum Phase: UInt8 {
        /// Waiting for the due time.
        case set
        /// Due, and about to run.
        case submitted
        /// Due again while the work was about to run.
        case late
        /// Cancelled, or the work has run for the last time.
        case over
    }

    @exclusivity(unchecked) fileprivate final var work: Work?

    fileprivate final let phase = Guarded(Phase.set)

    /// The binary logarithm of the tolerance.
    private final let grain: UInt8

    final let queue: DispatchQueue

    final let details: Details?

    /// - Parameter tolerance: How much later the work may run, in nanoseconds.
    init(
        on queue: DispatchQueue, tolerance: UInt64, options: DispatchQueue.SchedulerOptions?,
        _ work: @escaping () -> Void
    ) {
        grain = tolerance == 0 ? 0 : UInt8(UInt64.bitWidth - 1 - tolerance.leadingZeroBitCount)
        self.queue = queue
        details = options.map(Details.init)
        self.work = Work(run: work)
    }

    /// A due time, later by no more than the tolerance: a round number, so that alarms with a tolerance are due
    /// together.
    final func rounded(_ date: UInt64) -> UInt64 {
        let mask: UInt64 = 1 << UInt64(grain) - 1
        let (sum, overflow) = date.addingReportingOverflow(mask)
        return overflow ? .max : sum & ~mask
    }

    /// Records that the alarm is due.
    ///
    /// - Returns: Whether to submit it, and when it is due again.
    func takeDue(at moment: UInt64) -> (isWanted: Bool, next: UInt64?) { (!isOver, nil) }

    /// Runs the work, on the queue.
    func run() {
        guard let work = end() else { return }
        work.run()
        details?.options.group?.leave()
    }

    final var isOver: Bool { phase.withLock { $0 == .over } }

    final func cancel() {
        // Released on return, outside the lock.
        guard let work = end() else { return }
        withExtendedLifetime(work) {
            details?.options.group?.leave()
            AlarmThread.shared.noteCancellation()
        }
    }

    /// Ends the alarm.
    ///
    /// - Returns: The work, unless the alarm had ended.
    private func end() -> Work? {
        phase.withLock { phase in
            phase = .over
            return exchange(&work, with: nil)
        }
    }
}

/// An alarm that is due again after every interval until it is cancelled.
///
/// Its work never overlaps. Due times that pass before the work has run count as one.
final class RepeatingQueueAlarm: QueueAlarm, @unchecked Sendable {
    /// When the alarm is due, without the tolerance.
    // Only touched while submitting, and by the work while the alarm isn't set.
    @exclusivity(unchecked) private var date: UInt64

    private let interval: UInt64

    init(
        on queue: DispatchQueue, at date: UInt64, interval: UInt64, tolerance: UInt64,
        options: DispatchQueue.SchedulerOptions?, _ work: @escaping () -> Void
    ) {
        self.date = date
        self.interval = interval
        super.init(on: queue, tolerance: tolerance, options: options, work)
    }

    override func takeDue(at moment: UInt64) -> (isWanted: Bool, next: UInt64?) {
        let isWanted = phase.withLock { phase in
            let isSet = phase == .set
            if isSet { phase = .submitted } else if phase == .submitted { phase = .late }
            return isSet
        }
        if !isWanted { return (false, nil) }
        let missed = interval == 0 ? 0 : (moment - min(moment, date)) / interval
        let (elapsed, isTooLong) = interval.multipliedReportingOverflow(by: missed + 1)
        let (next, isTooLate) = date.addingReportingOverflow(elapsed)
        date = isTooLong || isTooLate ? .max : next
        return (true, rounded(date))
    }

    override func run() {
        guard let work = phase.withLock({ _ in work }) else { return }
        work.run()
        let isLate = phase.withLock { phase in
            let isLate = phase == .late
            if phase != .over { phase = .set }
            return isLate
        }
        if isLate { AlarmThread.shared.add(self, at: rounded(date)) }
    }
}
