import HeadgateEngine
import HeadgateThread
import ModelCore
import ModelKit

let drainScenarios = scenarios { family in
    var all: [Scenario] = []
    family.add("drain: enter or give up, 2 threads, 2 times") { run in
        let g = GuardedLog()
        var entered = 0
        for _ in 0..<2 {
            run.thread {
                for _ in 0..<2 where g.drain.enter() {
                    g.work(0)
                    g.drain.leave()
                    entered += 1
                }
                depthIsZero()
            }
        }
        run.after { g.check(Array(repeating: 0, count: entered)) }
    }
    family.add("drain: run, 2 threads, 2 times") { run in
        let g = GuardedLog()
        for t in 1...2 {
            run.thread {
                for i in 0..<2 { g.drain.run { g.work(t * 10 + i) } }; depthIsZero()
            }
        }
        run.after { g.check([10, 11, 20, 21]) }
    }
    family.add("drain: run, 3 threads", Bounds().with(stale: 1)) { run in
        let g = GuardedLog()
        for t in 1...3 {
            run.thread {
                g.drain.run { g.work(t * 10) }; depthIsZero()
            }
        }
        run.after { g.check([10, 20, 30]) }
    }
    family.add("drain: postpone, 2 threads, 2 times", Bounds().with(preemptions: 3)) { run in
        let g = GuardedLog()
        for t in 1...2 {
            run.thread {
                for i in 0..<2 { g.drain.postpone { g.work(t * 10 + i) } }; depthIsZero()
            }
        }
        run.after { g.check([10, 11, 20, 21]) }
    }
    family.add("drain: postpone, 3 threads, owner stretched", Bounds().with(preemptions: 2, stale: 1)) { run in
        let g = GuardedLog(stretch: true)
        for t in 1...3 {
            run.thread {
                g.drain.postpone { g.work(t * 10) }; depthIsZero()
            }
        }
        run.after { g.check([10, 20, 30]) }
    }
    family.add("drain: postpone from inside the work") { run in
        let g = GuardedLog()
        run.thread {
            g.drain.run {
                g.drain.postpone { g.work(11) }
                g.work(10)
            }
            depthIsZero()
        }
        run.thread {
            g.drain.run { g.work(20) }; g.drain.postpone { g.work(21) }; depthIsZero()
        }
        run.after { g.check([10, 11, 20, 21]) }
    }
    family.add("drain: a visit against run") { run in
        let g = GuardedLog()
        run.thread {
            g.drain.run { g.work(10) }; g.drain.postpone { g.work(11) }; depthIsZero()
        }
        run.thread {
            if !g.drain.whileIdle({ g.work(20) }) { g.drain.postpone { g.work(20) } }
            if !g.drain.whileIdle({ g.work(21) }) { g.drain.postpone { g.work(21) } }
            depthIsZero()
        }
        run.after { g.check([10, 11, 20, 21]) }
    }
    family.add("drain: two visits and run, 3 threads", Bounds().with(stale: 1)) { run in
        let g = GuardedLog()
        for t in 1...2 {
            run.thread { if !g.drain.whileIdle({ g.work(t * 10) }) { g.drain.postpone { g.work(t * 10) } } }
        }
        run.thread {
            g.drain.run { g.work(30) }; depthIsZero()
        }
        run.after { g.check([10, 20, 30]) }
    }
    family.add("drain: two drains that send to each other from inside") { run in
        let a = GuardedLog(), b = GuardedLog()
        func send(_ to: GuardedLog, _ id: Int, _ more: @escaping () -> Void = {}) {
            Drain.send {
                to.drain.run {
                    to.work(id); more()
                }
            }
        }
        run.thread {
            send(a, 10) { send(b, 11) }; depthIsZero()
        }
        run.thread {
            send(b, 20) { send(a, 21) }; depthIsZero()
        }
        run.after {
            expect(
                a.performed.sorted() == [10, 21] && b.performed.sorted() == [11, 20], "\(a.performed) \(b.performed)")
            expect(
                a.drain.state.load(ordering: .relaxed) == 0 && b.drain.state.load(ordering: .relaxed) == 0, "not idle")
        }
    }
    family.add("drain: forward from inside, downstream waits") { run in
        let a = GuardedLog(), b = GuardedLog()
        run.thread {
            a.drain.run {
                a.work(10); Drain.forward { b.drain.run { b.work(10) } }
            }
            depthIsZero()
        }
        run.thread {
            b.drain.run { b.work(20) }; a.drain.postpone { a.work(20) }; depthIsZero()
        }
        run.after {
            expect(
                a.performed.sorted() == [10, 20] && b.performed.sorted() == [10, 20], "\(a.performed) \(b.performed)")
            expect(
                a.drain.state.load(ordering: .relaxed) == 0 && b.drain.state.load(ordering: .relaxed) == 0, "not idle")
        }
    }
}
