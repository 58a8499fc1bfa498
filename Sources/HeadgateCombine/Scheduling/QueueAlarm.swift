import Dispatch
import HeadgateCore
import HeadgateEngine

/// An alarm whose work is done on a dispatch queue, once or again and again.
// The date belongs to whoever has the alarm in hand: the thread that sets it, then the job on the queue; hence unchecked.
final class QueueAlarm: Alarm, @unchecked Sendable {
    private let work: AlarmWork

    /// What few alarms have, in an object so that the others do not pay for it.
    private final class Details: Sendable {
        let options: DispatchQueue.SchedulerOptions

        init(_ options: DispatchQueue.SchedulerOptions) { self.options = options }
    }

    private let queue: DispatchQueue

    private let details: Details?

    /// The nanoseconds from one time to the next; less than zero for work that is done once.
    private let interval: Int

    @exclusivity(unchecked) private var date: UInt64

    /// Makes an alarm and sets it.
    ///
    /// - Parameter interval: The nanoseconds from one time to the next; less than zero for work that is done once.
    init(
        on queue: DispatchQueue, at date: DispatchTime, every interval: Int = -1,
        options: DispatchQueue.SchedulerOptions?, _ work: @escaping () -> Void
    ) {
        self.queue = queue
        self.interval = interval
        self.date = date.uptimeNanoseconds
        details = options.map(Details.init)
        self.work = AlarmWork(work)
        if interval < 0 { details?.options.group?.enter() }
        AlarmThread.shared.add(self, at: self.date)
    }

    /// Has the queue do the work.
    func submit() {
        if isOver { return }
        let options = details?.options
        queue.async(group: nil, qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) { self.run() }
    }

    private func run() {
        if interval < 0 {
            if work.run() { details?.options.group?.leave() }
            return
        }
        // Times that have passed before the queue came to it are one.
        let now = DispatchTime.now().uptimeNanoseconds
        if interval > 0, now > date { date += (now - date) / UInt64(interval) * UInt64(interval) }
        work.runAndKeep()
        let (next, isNever) = date.addingReportingOverflow(UInt64(interval))
        if isNever || isOver || interval == .max { return }
        date = next
        AlarmThread.shared.add(self, at: next)
    }

    var isOver: Bool { work.isOver }

    func callOff() {
        if !work.letGo() { return }
        if interval < 0 { details?.options.group?.leave() }
        AlarmThread.shared.noteCallingOff()
    }
}
