import HeadgateEngine
import HeadgateThread
import ModelCore
import ModelKit

/// Callers that sleep until it is their turn: whoever leaves wakes them, so nobody sleeps until its time has passed while there
/// is no owner.
let waitingScenarios = scenarios(Bounds().with(stale: 1, leaps: 0, waits: 2)) { family in
    func nobodyWaitedInVain() {
        expect(
            model_idle_waits() == 0, "\(model_idle_waits()) slept until their time had passed, though nobody was there")
    }
    for count in 2...3 {
        family.add("waiting: \(count) callers, each is woken") { run in
            let g = GuardedLog()
            for t in 1...count {
                run.thread {
                    g.drain.run { g.work(t * 10) }; depthIsZero()
                }
            }
            run.after {
                nobodyWaitedInVain()
                g.check((1...count).map { $0 * 10 })
            }
        }
    }
    family.add("waiting: 2 callers, 2 times") { run in
        let g = GuardedLog()
        for t in 1...2 {
            run.thread {
                for i in 0..<2 { g.drain.run { g.work(t * 10 + i) } }; depthIsZero()
            }
        }
        run.after {
            nobodyWaitedInVain()
            g.check([10, 11, 20, 21])
        }
    }
    family.add("waiting: 3 callers, the time of one passes", Bounds().with(stale: 1, leaps: 1, waits: 2)) { run in
        let g = GuardedLog()
        for t in 1...3 {
            run.thread {
                g.drain.run { g.work(t * 10) }; depthIsZero()
            }
        }
        run.after {
            nobodyWaitedInVain()
            g.check([10, 20, 30])
        }
    }
    family.add("waiting: 2 callers, one enqueues, and the owner leaves", Bounds().with(stale: 0, leaps: 1, waits: 2)) {
        run in
        let g = GuardedLog()
        run.thread {
            g.drain.run {
                g.drain.postpone { g.work(11) }
                g.drain.postpone { g.work(12) }
                g.work(10)
            }
            depthIsZero()
        }
        for t in 2...3 {
            run.thread {
                g.drain.run { g.work(t * 10) }; depthIsZero()
            }
        }
        run.after {
            nobodyWaitedInVain()
            g.check([10, 11, 12, 20, 30])
        }
    }
    family.add("waiting: a caller, an owner that comes back, and a visitor") { run in
        let g = GuardedLog()
        run.thread {
            for i in 0..<2 { g.drain.run { g.work(10 + i) } }
            depthIsZero()
        }
        run.thread { if !g.drain.whileIdle({ g.work(20) }) { g.drain.postpone { g.work(20) } } }
        run.thread {
            g.drain.run { g.work(30) }; depthIsZero()
        }
        run.after {
            nobodyWaitedInVain()
            g.check([10, 11, 20, 30])
        }
    }
    // Each waits for the other's stream inside of its own: the time of one passes, and both go on.
    family.add("waiting: two streams that feed each other") { run in
        let a = GuardedLog(), b = GuardedLog()
        run.thread {
            a.drain.run {
                a.work(10)
                Drain.forward { b.drain.run { b.work(10) } }
            }
            depthIsZero()
        }
        run.thread {
            b.drain.run {
                b.work(20)
                Drain.forward { a.drain.run { a.work(20) } }
            }
            depthIsZero()
        }
        run.after {
            expect(
                a.performed.sorted() == [10, 20] && b.performed.sorted() == [10, 20], "\(a.performed) \(b.performed)")
        }
    }
    // A sink that waits for a thread which is sending to it.
    family.add("waiting: the owner waits for one that waits for it") { run in
        let g = GuardedLog()
        let sent = Wakeup()
        run.thread {
            g.drain.run {
                g.work(10)
                model_step("the sink waits")
                _ = sent.wait()
            }
            depthIsZero()
        }
        run.thread {
            g.drain.run { g.work(20) }
            sent.continuation.resume()
            depthIsZero()
        }
        run.after { g.check([10, 20]) }
    }
}
