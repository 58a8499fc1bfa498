@testable import Headgate
import HeadgateCombine
import HeadgateControls
import HeadgateCore
@testable import HeadgateEngine
@testable import HeadgateFlow
import ModelCore
import ModelKit

let observingScenarios = scenarios(.light) { family in
    family.add("run account: counts add up") { run in
        let account = RunAccount { .zero }
        run.thread {
            account.add(.max(2))
            account.takeOne()
        }
        run.thread { account.add(.unlimited) }
        run.after {
            expect(account.values == 1 && account.outstanding.isUnlimited, "\(account.values)")
        }
    }
    for demand in [Subscribers.Demand.max(1), .unlimited] {
        family.add("stage: a request of \(demand) while a value is delivered", .light.with(preemptions: 3, stale: 2)) {
            run in
            let flow = Flow("test")
            let p = PayloadSubject()
            let a = Recorder<Never>(.max(1), each: .max(1))
            p.stage("stage", in: flow).subscribe(a)
            run.thread {
                p.send(.make(10)); p.send(.make(11))
            }
            run.thread { a.request(demand) }
            run.after {
                let snapshot = flow.snapshot.stages[0]
                expect(snapshot.values == a.values.count, "\(snapshot.values) counted, \(a.values)")
                expect(a.values == [10, 11], "\(a.values)")
                let outstanding = snapshot.demand
                let expected: Subscribers.Demand = demand == .unlimited ? .unlimited : .max(2)
                expect(outstanding == expected, "counted a demand of \(outstanding), \(expected) is outstanding")
            }
        }
    }
    family.add("stage: it ends while its account is read") { run in
        let flow = Flow("test")
        let p = PayloadSubject()
        let a = Recorder<Never>()
        p.stage("stage", in: flow).subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(completion: .finished)
        }
        run.thread {
            let stage = flow.snapshot.stages[0]
            expect(stage.values <= 1 && stage.finished <= 1, "\(stage)")
        }
        run.thread { a.cancel() }
        run.after {
            let stage = flow.snapshot.stages[0]
            expect(stage.finished + stage.cancelled == 1 && stage.streams == 1, "\(stage)")
        }
    }
    family.add("stage: who sees that a stream has ended sees how", .light.with(preemptions: 3, stale: 2)) { run in
        let stage = Flow("test").stage("stage")
        let stream = StageRun(stage, mayBeServedAtOnce: false)
        stream.begin()
        run.thread { stream.end(.finished) }
        run.thread {
            if stream.hasEnded {
                expect(stream.outcome.load(ordering: .relaxed) == StageEvent.Kind.finished.rawValue, "no outcome")
                expect(stream.ended.load(ordering: .relaxed) > 0, "no time")
            }
        }
        run.after {}
    }
    family.add("undeliverable: observed while a failure is dropped") { run in
        let state = ModelCell(0, "what the observer uses")
        // Makes the global variables here: the checker does not see how their first use orders the threads.
        Undeliverable.observe(nil)
        run.thread {
            state.value = 1
            Undeliverable.observe { _, _ in expect(state.value == 1, "") }
        }
        run.thread { Undeliverable.note(.success(1)) }
        run.after { Undeliverable.observe(nil) }
    }
    family.add("control: a target is removed while an action is sent", .light.with(preemptions: 3, stale: 2)) { run in
        final class Target {
            let state = ModelCell(0, "the target's state")
            func act() { state.value += 1 }
        }
        let control = Control()
        let target = Target()
        control.addTarget(target, action: Target.act, for: .touchDown)
        run.thread { control.sendActions(for: .touchDown) }
        run.thread { control.removeTarget(target) }
        run.thread { control.sendActions(for: .touchDown) }
        run.after {
            let before = target.state.value
            control.sendActions(for: .touchDown)
            expect(target.state.value == before, "a removed target is called")
        }
    }
    family.add("circuit breaker: two runs end at the same time") { run in
        let breaker = CircuitBreaker(scheduler: ImmediateScheduler.shared)
        let p = PayloadSubject(), q = PayloadSubject()
        let a = p.setFailureType(to: (any Error).self).circuitBreaker(breaker).sink(
            receiveCompletion: { _ in }, receiveValue: { _ in })
        let b = q.setFailureType(to: (any Error).self).circuitBreaker(breaker).sink(
            receiveCompletion: { _ in }, receiveValue: { _ in })
        run.thread {
            p.send(.make(10)); p.send(completion: .finished)
        }
        run.thread { q.send(completion: .finished) }
        run.after {
            expect(breaker.state == .closed, "\(breaker.state)")
            a.cancel()
            b.cancel()
        }
    }
    family.add("circuit breaker: a run that is not silent is cancelled during a value") { run in
        let policy = CircuitBreakerPolicy(failures: 1, openFor: .seconds(1), silence: .zero)
        let breaker = CircuitBreaker(policy, scheduler: ImmediateScheduler.shared)
        let p = PayloadSubject()
        let a = p.setFailureType(to: (any Error).self).circuitBreaker(breaker).sink(
            receiveCompletion: { _ in }, receiveValue: { _ in })
        run.thread { p.send(.make(10)) }
        run.thread { a.cancel() }
        run.after { expect(breaker.state == .open || breaker.state == .closed, "\(breaker.state)") }
    }
    family.add("run account: the count is read while values are taken") { run in
        let account = RunAccount { .zero }
        _ = account.add(.max(2))
        run.thread {
            account.takeOne(); account.takeOne()
        }
        run.thread { expect((0...2).contains(account.values), "\(account.values)") }
        run.after { expect(account.values == 2, "\(account.values)") }
    }
    family.add("stage: two streams begin and end, and are recorded") { run in
        let flow = Flow("test")
        for id in 0..<2 {
            run.thread {
                let a = Recorder<Never>()
                Just(Payload.make(id)).stage("stage", in: flow).subscribe(a)
                expect(a.values == [id], "\(a.values)")
            }
        }
        run.thread {
            let recorder = StageRecorder(limit: 1)
            flow.context.add(recorder)
            for account in flow.stages { account.setRecording(true) }
            for account in flow.stages { account.setRecording(false) }
            _ = flow.snapshot
            flow.context.remove(recorder)
            expect(recorder.events.count <= 1, "\(recorder.events)")
        }
        run.after {
            let stage = flow.snapshot.stages[0]
            expect(stage.streams == 2 && stage.finished == 2 && stage.values == 2, "\(stage)")
        }
    }
    family.add("stage: two streams are recorded") { run in
        let flow = Flow("test")
        let recorder = StageRecorder(limit: 3)
        flow.context.add(recorder)
        for id in 0..<2 {
            run.thread { Just(Payload.make(id)).stage("stage", in: flow).subscribe(Recorder<Never>()) }
        }
        run.after {
            expect(recorder.events.count == 3, "\(recorder.events)")
        }
    }
    family.add("stage: the last unit of demand is used while one is requested", .light.with(preemptions: 3, stale: 2)) {
        run in
        let flow = Flow("test")
        let p = PayloadSubject()
        let a = Recorder<Never>(.max(1))
        p.stage("stage", in: flow).subscribe(a)
        run.thread { p.send(.make(10)) }
        run.thread { a.request(.max(1)) }
        run.thread { _ = flow.snapshot }
        run.after {
            let demand = flow.snapshot.stages[0].demand
            expect(demand == .max(1), "counted a demand of \(demand), max(1) is outstanding")
        }
    }
}
