import Dispatch
import HeadgateCore
import HeadgateEngine

/// An alarm whose work is done on a dispatch queue.
final class QueueAlarm: Alarm {
    /// What few alarms have, in an object so that the others do not pay for it.
    private final class Details: Sendable {
        let options: DispatchQueue.SchedulerOptions

        init(_ options: DispatchQueue.SchedulerOptions) { self.options = options }
    }

    private let work: AlarmWork

    private let queue: DispatchQueue

    private let details: Details?

    /// Makes an alarm and sets it.
    init(
        on queue: DispatchQueue, at date: DispatchTime, options: DispatchQueue.SchedulerOptions?,
        _ work: @escaping () -> Void
    ) {
        self.work = AlarmWork(work)
        self.queue = queue
        details = options.map(Details.init)
        details?.options.group?.enter()
        AlarmThread.shared.add(self, at: date.uptimeNanoseconds)
    }

    /// Has the queue do the work.
    // A job for each, for one that waits must not hold up the others of a concurrent queue.
    func submit() {
        if isOver { return }
        let options = details?.options
        queue.async(group: nil, qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) {
            if self.work.run() { self.details?.options.group?.leave() }
        }
    }

    var isOver: Bool { work.isOver }

    func callOff() {
        if !work.letGo() { return }
        details?.options.group?.leave()
        AlarmThread.shared.noteCallingOff()
    }
}
