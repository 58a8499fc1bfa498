import Dispatch
import HeadgateCore
import HeadgateEngine

/// An alarm whose work runs on a dispatch queue.
final class QueueAlarm: Alarm {
    /// Options, which few alarms have; in an object, so that the others don't pay for them.
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

    /// Submits the work to the queue.
    // One job per alarm: one that blocks must not delay the others on a concurrent queue.
    func submit() {
        if isOver { return }
        let options = details?.options
        queue.async(group: nil, qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) {
            if self.work.run() { self.details?.options.group?.leave() }
        }
    }

    var isOver: Bool { work.isOver }

    func cancel() {
        if !work.release() { return }
        details?.options.group?.leave()
        AlarmThread.shared.noteCancellation()
    }
}
