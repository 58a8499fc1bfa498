import Headgate
import HeadgateCombine
import HeadgateCore
@testable import HeadgateEngine
import ModelCore
import ModelKit

let timingScenarios = scenarios(.light) { family in
    family.add("subscribe(on:): values and the cancellation from another thread") { run in
        let p = PayloadSubject()
        let a = Recorder<Never>()
        let received = Keep(ModelMutex<(any Subscription)?>(nil))
        a.onSubscription = { subscription in received.lock.withLock { $0 = subscription } }
        run.thread {
            p.subscribe(on: ImmediateScheduler.shared).subscribe(a)
            p.send(.make(10))
        }
        run.thread { p.send(.make(20)) }
        run.thread { received.lock.withLock { $0 }?.cancel() }
        run.after {
            received.lock.withLock { $0 = nil }
            a.checkOrder()
        }
    }
    family.add("subscribe(on:): two cancel") { run in
        let p = PayloadSubject()
        let a = Recorder<Never>()
        p.subscribe(on: ImmediateScheduler.shared).subscribe(a)
        let subscription = a.subscription!
        for _ in 0..<2 { run.thread { subscription.cancel() } }
        run.thread { p.send(.make(10)) }
        run.after { expect(hub(p).subscribers.isEmpty, "not cancelled") }
    }
    family.add("subscribe(on:): cancelled and requested while a job connects") { run in
        let jobs = Jobs()
        let p = PayloadSubject()
        let a = Recorder<Never>(.max(1))
        let conduit = SubscribeOnConduit(on: jobs, options: nil, to: a)
        conduit.connect(to: p)
        let state = ModelCell(0, "what was written before the cancellation")
        run.thread { jobs.perform(waits: 2) }
        run.thread {
            state.value = 1; conduit.cancel()
        }
        run.thread { conduit.request(.max(1)) }
        run.after {
            jobs.perform(waits: 0)
            expect(hub(p).subscribers.isEmpty, "not cancelled")
        }
    }
    family.add("subscribe(on:): a cancellation is seen by the job after it") { run in
        let jobs = Jobs()
        let state = ModelCell(0, "what was written before the cancellation")
        let a = Recorder<Never>()
        let source = Deferred { () -> Empty<Payload, Never> in
            _ = state.value
            return Empty()
        }
        let conduit = SubscribeOnConduit(on: jobs, options: nil, to: a)
        conduit.connect(to: source)
        run.thread { jobs.perform() }
        run.thread { conduit.cancel() }
        run.after { expect(a.completions <= 1, "") }
    }
    family.add("receive(on:): values and a cancellation while jobs deliver") { run in
        let jobs = Jobs()
        let p = PayloadSubject()
        let a = Recorder<Never>()
        p.receive(on: jobs).subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread { jobs.perform(waits: 2) }
        run.thread { a.cancel() }
        run.after {
            jobs.perform(waits: 0)
            a.checkOrder()
            expect(hub(p).subscribers.isEmpty, "not cancelled")
        }
    }
    family.add("receive(on:): no value is lost, and the completion is last") { run in
        let jobs = Jobs()
        let p = PayloadSubject()
        let a = Recorder<Never>()
        p.receive(on: jobs).subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(completion: .finished)
        }
        run.thread { jobs.perform(waits: 2) }
        run.thread { jobs.perform(waits: 1) }
        run.after {
            jobs.perform(waits: 0)
            expect(a.values == [10] && a.completions == 1, "\(a.values) \(a.completions)")
        }
    }
    family.add("debounce: values while the job is due") { run in
        let jobs = Jobs()
        let p = PayloadSubject()
        let a = Recorder<Never>()
        p.debounce(for: 1, scheduler: jobs).subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread { jobs.perform(waits: 2) }
        run.after {
            jobs.perform(waits: 0)
            a.checkOrder()
            expect(a.values.last == 11, "\(a.values)")
        }
    }
    family.add("alarm: it goes off while it is cancelled") { run in
        let count = ModelCell(0, "what the alarm does")
        let alarm = ForgetfulAlarm { count.value += 1 }
        var seen = false
        run.thread { alarm.run() }
        run.thread {
            alarm.cancel(); seen = alarm.isOver
        }
        run.thread { alarm.run() }
        run.after { expect(count.value <= 1 && seen && alarm.isOver, "\(count.value)") }
    }
    family.add("batch: values, the end of the interval, and a cancellation") { run in
        let jobs = Jobs()
        let p = PassthroughSubject<Payload, Never>()
        let values = ModelCell<[Int]>([], "the subscriber's values")
        let upstream = p.batch(count: 2, within: 1, scheduler: jobs)
        let sink = upstream.sink { batch in values.value += batch.map { $0.cell.value } }
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread { jobs.perform(waits: 2) }
        run.thread { p.send(.make(20)) }
        run.after {
            p.send(completion: .finished)
            jobs.perform(waits: 0)
            // A subject drops what comes while the batch has no room.
            let all = values.value
            expect(all.count >= 2 && Set(all).count == all.count, "\(all)")
            sink.cancel()
        }
    }
    family.add("timeout: a value against the time limit") { run in
        let jobs = Jobs()
        let p = PayloadSubject()
        let a = Recorder<Never>()
        p.timeout(1, scheduler: jobs).subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread { jobs.perform(waits: 1, atMost: 3) }
        run.thread { a.cancel() }
        run.after {
            a.checkOrder()
            expect(hub(p).subscribers.isEmpty, "not cancelled")
        }
    }
    family.add("onStall: values and checks") { run in
        let jobs = Jobs()
        let p = PayloadSubject()
        let a = Recorder<Never>()
        let reports = ModelCell(0, "the reports")
        p.onStall(for: 1, scheduler: jobs) { _ in reports.value += 1 }.subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread { jobs.perform(waits: 2, atMost: 4) }
        run.after {
            expect(a.values == [10, 11], "\(a.values)")
            // A check is due as long as nothing has been reported.
            let before = reports.value
            jobs.perform(waits: 0, atMost: 8)
            expect(reports.value == before || reports.value == before + 1, "\(reports.value)")
            expect(reports.value > 0, "a stall is never reported")
            a.cancel()
        }
    }
    family.add("autoconnect: the last subscriber leaves, and one comes within the grace") { run in
        let jobs = Jobs()
        var connections = 0
        let p = PayloadSubject()
        let shared = p.handleEvents(receiveSubscription: { _ in connections += 1 }).makeConnectable()
            .autoconnect(after: 1, grace: 1, scheduler: jobs)
        let a = Recorder<Never>(), b = Recorder<Never>()
        shared.subscribe(a)
        run.thread { a.cancel() }
        run.thread { shared.subscribe(b) }
        run.thread { jobs.perform(waits: 1, atMost: 2) }
        run.after {
            p.send(.make(10))
            expect(b.values == [10], "\(b.values), \(connections) connections")
        }
    }
}
