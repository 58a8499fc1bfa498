import Headgate
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import ModelCore
import ModelKit

let timingScenarios = scenarios(.light) { family in
    family.add("subscribe(on:): values and the cancellation from another thread") { run in
        let p = PayloadSubject()
        let a = Recorder<Never>()
        run.thread {
            p.subscribe(on: ImmediateScheduler.shared).subscribe(a); p.send(.make(10))
        }
        run.thread { p.send(.make(20)) }
        run.thread { a.subscription?.cancel() }
        run.after { a.checkOrder() }
    }
    family.add("subscribe(on:): two cancel") { run in
        let p = PayloadSubject()
        let a = Recorder<Never>()
        p.subscribe(on: ImmediateScheduler.shared).subscribe(a)
        let subscription = a.subscription!
        for _ in 0..<2 { run.thread { subscription.cancel() } }
        run.thread { p.send(.make(10)) }
        run.after { expect(hub(p).roster.isEmpty, "not cancelled") }
    }
}
