import HeadgateCore
import HeadgateEngine

/// An alarm that leaves nothing in its scheduler once it is cancelled.
private final class TestAlarm: Alarm, Sendable {
    private weak let scheduler: TestScheduler?
    private let number: Int

    init(_ scheduler: TestScheduler, number: Int) {
        self.scheduler = scheduler
        self.number = number
    }

    var isOver: Bool { scheduler?.isPending(number) != true }

    func cancel() { scheduler?.remove(number) }
}

extension TestScheduler: AlarmScheduler {
    @usableFromInline package func setAlarm(
        at date: TestTime, tolerance: TestTime.Stride, options: SchedulerOptions?, _ work: @escaping () -> Void
    ) -> any Alarm {
        let entry = Unfinished(date: date, interval: nil, tolerance: tolerance, options: options)
        return TestAlarm(self, number: insert(entry, work))
    }
}
