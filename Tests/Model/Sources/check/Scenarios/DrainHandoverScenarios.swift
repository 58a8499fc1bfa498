@testable import HeadgateEngine
import HeadgateThread
import ModelCore
import ModelKit

let drainHandoverScenarios = scenarios { family in
    // The owner has performed the work of others for too long: it leaves the rest to one that waits.
    family.add(
        "drain: leaves work, a sender and a waiting caller", Bounds().with(preemptions: 3, stale: 0, leaps: 1, waits: 2)
    ) { run in
        let g = GuardedLog()
        run.thread {
            g.drain.run { g.work(10) }; depthIsZero()
        }
        run.thread {
            for i in 0..<2 { g.drain.postpone { g.work(20 + i) } }; depthIsZero()
        }
        run.thread {
            g.drain.run { g.work(30) }; depthIsZero()
        }
        run.after { g.check([10, 20, 21, 30]) }
    }
    family.add("drain: leaves work, weak", Bounds().with(preemptions: 2, stale: 2, leaps: 1, waits: 1)) { run in
        let g = GuardedLog()
        run.thread {
            g.drain.run {
                g.drain.postpone { g.work(11) }
                g.drain.postpone { g.work(12) }
                g.work(10)
            }
            depthIsZero()
        }
        run.thread {
            g.drain.run { g.work(20) }; depthIsZero()
        }
        run.after { g.check([10, 11, 12, 20]) }
    }
    family.add("drain: leaves work, two waiting callers", Bounds().with(preemptions: 2, stale: 1, leaps: 2, waits: 1)) {
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
        run.after { g.check([10, 11, 12, 20, 30]) }
    }
    family.add("drain: performWhatWaits and leaveToOthers") { run in
        let g = GuardedLog()
        run.thread {
            if g.drain.enter() {
                g.work(10)
                repeat { g.drain.performWhatWaits() } while !g.drain.leaveToOthers()
            } else {
                g.drain.postpone { g.work(10) }
            }
            depthIsZero()
        }
        run.thread {
            for i in 0..<2 { g.drain.postpone { g.work(20 + i) } }; depthIsZero()
        }
        run.after { g.check([10, 20, 21]) }
    }
    family.add("drain: leaveToOthers, 3 threads", Bounds().with(stale: 1)) { run in
        let g = GuardedLog()
        run.thread {
            if g.drain.enter() {
                g.work(10)
                repeat { g.drain.performWhatWaits() } while !g.drain.leaveToOthers()
            } else {
                g.drain.postpone { g.work(10) }
            }
            depthIsZero()
        }
        for t in 2...3 {
            run.thread {
                g.drain.postpone { g.work(t * 10) }; depthIsZero()
            }
        }
        run.after { g.check([10, 20, 30]) }
    }
    /// Two pieces of work, which are enqueued; the caller is the owner.
    func beginOwning(_ g: GuardedLog) {
        _ = g.drain.enter()
        for id in [10, 11] { g.drain.postpone { g.work(id) } }
    }
    // Each of them writes one word and reads the other's: the owner that it leaves, and whether somebody waits; the caller
    // that it waits no longer, and whether work was left.
    family.add(
        "drain: an owner leaves work while the only caller gives up",
        Bounds().with(preemptions: 2, stale: 1, leaps: 0, waits: 0)
    ) { run in
        let g = GuardedLog()
        beginOwning(g)
        headgate_deepen(-1)
        // The owner is the thread that begins the run, until it leaves.
        run.thread {
            headgate_deepen(1)
            if !g.drain.leaveToOthers() { g.drain.leave() }
            depthIsZero()
        }
        run.thread {
            if g.drain.waitForTurn() { g.drain.leave() }
            depthIsZero()
        }
        run.after { g.check([10, 11]) }
    }
    // It is overdue after the fourth piece of work at the earliest. Nobody else waits, and what is sent from inside meanwhile is
    // performed by whoever is the owner then, once.
    for (senders, stale) in [(1, 1), (2, 0)] {
        family.add(
            "drain: an overdue owner, and \(senders) that send from inside deliveries",
            Bounds().with(preemptions: 2, stale: stale, leaps: 1, waits: 1)
        ) { run in
            let g = GuardedLog()
            beginOwning(g)
            for id in [12, 13] { g.drain.postpone { g.work(id) } }
            headgate_deepen(-1)
            run.thread {
                headgate_deepen(1)
                g.drain.leave()
                depthIsZero()
            }
            for t in 2..<(2 + senders) {
                run.thread {
                    headgate_deepen(Drain.nested)
                    g.drain.run { g.work(t * 10) }
                    headgate_deepen(-Drain.nested)
                    depthIsZero()
                }
            }
            run.after { g.check([10, 11, 12, 13] + (2..<(2 + senders)).map { $0 * 10 }) }
        }
    }
    // A caller that only changes something performs nothing of what was left to another.
    family.add("drain: one that waits to change something") { run in
        let g = GuardedLog()
        run.thread {
            g.drain.run {
                g.drain.postpone { g.work(11) }
                g.work(10)
            }
            depthIsZero()
        }
        run.thread {
            if g.drain.waitToChange() {
                g.work(20)
                g.drain.leave()
            } else {
                g.drain.postpone { g.work(20) }
            }
            depthIsZero()
        }
        run.after { g.check([10, 11, 20]) }
    }
    // The word is the same each time that work is left.
    family.add("drain: left, taken over and left again", Bounds().with(preemptions: 1, stale: 0, leaps: 1)) { run in
        let g = GuardedLog()
        beginOwning(g)
        g.drain.waiting.add(1, ordering: .relaxed)
        expect(g.drain.leaveToOthers(), "nobody waits")
        for _ in 0..<2 {
            run.thread {
                if g.drain.takeOver() { g.drain.leaveSlowly() }
                depthIsZero()
            }
        }
        run.after {
            if g.drain.takeOver() { g.drain.leaveSlowly() }
            g.check([10, 11])
        }
    }
}
