@preconcurrency import Dispatch
@testable import HeadgateCombine
import HeadgateCore
@testable import HeadgateEngine
import ModelCore
import ModelKit

/// Alarms of dispatch queues: the library's own thread waits for them, and the scenario's threads are those of Dispatch.
let alarmScenarios = scenarios(.light.with(leaps: 1)) { family in
    let queue = DispatchQueue(label: "model")
    func date(_ milliseconds: UInt64) -> DispatchQueue.SchedulerTimeType {
        .init(DispatchTime(uptimeNanoseconds: model_now() + milliseconds * 1_000_000))
    }
    family.add("alarm thread: an alarm goes off") { run in
        let count = ModelCell(0, "what the alarm does")
        let state = ModelCell(0, "what was written before the alarm was set")
        run.thread {
            state.value = 1
            queue.setAlarm(at: date(500), options: nil) {
                count.value += state.value
            }
        }
        run.thread { ModelJobs.dispatch.perform(waits: 2) }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            expect(count.value == 1, "went off \(count.value) times")
        }
    }
    family.add("alarm thread: an alarm goes off while it is cancelled") { run in
        let count = ModelCell(0, "what the alarm does")
        let alarm = queue.setAlarm(at: date(500), options: nil) { count.value += 1 }
        run.thread { ModelJobs.dispatch.perform(waits: 2) }
        run.thread { alarm.cancel() }
        run.after {
            let before = count.value
            ModelJobs.dispatch.perform(waits: 0)
            expect(count.value == before && before <= 1 && alarm.isOver, "\(before), then \(count.value)")
            // The thread counts cancellations as long as the process lives, and begins again at the 64th.
            for _ in 0..<63 + before { AlarmThread.shared.noteCancellation() }
        }
    }
    family.add("alarm thread: a later alarm and then an earlier one") { run in
        let order = ModelCell<[Int]>([], "the order of the alarms")
        run.thread {
            queue.setAlarm(at: date(5000), options: nil) { order.value.append(2) }
            queue.setAlarm(at: date(500), options: nil) { order.value.append(1) }
        }
        run.thread { ModelJobs.dispatch.perform(waits: 3) }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            expect(order.value == [1, 2], "\(order.value)")
        }
    }
    family.add("alarm thread: two set alarms, and nobody waits for the clock in vain") { run in
        let counts = Keep(ModelMutex(0))
        for _ in 0..<2 {
            run.thread { queue.setAlarm(at: date(500), options: nil) { counts.lock.withLock { $0 += 1 } } }
        }
        run.thread { ModelJobs.dispatch.perform(waits: 2) }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            let count = counts.lock.withLock { $0 }
            expect(count == 2, "\(count) have gone off")
        }
    }
    // On a concurrent queue, work that blocks doesn't delay what is due at the same time.
    family.add("alarm batch: one that blocks, and two threads") { run in
        let second = Wakeup()
        var isFirstDone = false
        let alarms = [
            QueueAlarm(on: queue, tolerance: 0, options: nil) {
                expect(second.wait(), "the second alarm waits for the first")
                isFirstDone = true
            }, QueueAlarm(on: queue, tolerance: 0, options: nil) { second.continuation.resume() },
        ]
        AlarmBatch(alarms, on: queue).submit()
        for _ in 0..<2 { run.thread { ModelJobs.dispatch.perform(waits: 4) } }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            expect(isFirstDone && alarms.allSatisfy(\.isOver), "not done")
        }
    }
    family.add("repeating alarm: due again while it runs, and cancelled") { run in
        let count = ModelCell(0, "what the alarm does")
        let alarm = RepeatingQueueAlarm(
            on: queue, at: 1_000_000_000, interval: 1_000_000_000, tolerance: 0, options: nil
        ) { count.value += 1 }
        var submitted = 0
        _ = alarm.takeDue(at: 1_000_000_000)
        run.thread { alarm.run() }
        run.thread { if alarm.takeDue(at: 2_000_000_000).isWanted { submitted += 1 } }
        run.thread { alarm.cancel() }
        run.after {
            let before = count.value
            if submitted > 0 { alarm.run() }
            expect(count.value == before && before <= 1 && alarm.isOver, "\(before), then \(count.value)")
        }
    }
}
