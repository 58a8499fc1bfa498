import Headgate
import HeadgateCore
import HeadgateEngine
import ModelCore
import ModelKit

let demandScenarios = scenarios { family in
    family.add("demand: add 2, take 2 and 2", Bounds().with(preemptions: 4)) { run in
        let a = Account()
        var taken = 0
        run.thread { for _ in 0..<2 { a.demand.add(.max(1)) } }
        for _ in 0..<2 { run.thread { for _ in 0..<2 where a.demand.takeOne() { taken += 1 } } }
        run.after {
            let left = a.demand.current.max ?? -1
            expect(taken + left == 2, "taken \(taken), left \(left)")
            model_note("taken \(taken)")
        }
    }
    family.add("demand: two add, one takes, one closes", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        var taken = 0, added = 0, closed: Int? = nil
        for _ in 0..<2 { run.thread { if a.demand.add(.max(1)) != nil { added += 1 } } }
        run.thread { if a.demand.takeOne() { taken += 1 } }
        run.thread { closed = a.demand.close()?.max }
        run.after {
            expect(closed == added - taken, "added \(added), taken \(taken), closed with \(String(describing: closed))")
            expect(a.demand.isClosed && a.demand.current == .none && !a.demand.takeOne(), "not closed")
        }
    }
    family.add("demand: two close, one is the first", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        var closers = 0
        a.demand.add(.max(3))
        for _ in 0..<2 {
            run.thread { if let left = a.demand.close() { closers += 1; expect(left == .max(3), "\(left)") } }
        }
        run.thread { a.demand.add(.none) }
        run.after { expect(closers == 1, "\(closers) closers") }
    }
    family.add("demand: becomes unlimited while taken", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        var taken = 0
        a.demand.add(.max(1))
        run.thread { for _ in 0..<2 where a.demand.takeOne() { taken += 1 } }
        run.thread { a.demand.add(.unlimited) }
        run.after { expect(a.demand.isUnlimited && taken >= 1, "\(taken)") }
    }
    // Whoever adds to an account of none serves; what it serves is plain and passes from server to server.
    family.add("demand: exactly one server, settle", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        let served = ModelCell(0, "what the server owns")
        for _ in 0..<3 {
            run.thread {
                guard a.demand.add(.max(1)) == Subscribers.Demand.none else { return }
                var isDone = false
                var before = 0
                while !isDone {
                    let now = a.demand.current
                    served.value += now.max! - before
                    before = now.max!
                    isDone = a.demand.settle(now)
                }
            }
        }
        run.after { expect(served.value == 3, "served \(served.value)") }
    }
    family.add("demand: exactly one server, takeOne", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        let served = ModelCell(0, "what the server owns")
        for _ in 0..<2 {
            run.thread {
                guard a.demand.add(.max(2)) == Subscribers.Demand.none else { return }
                // As PollingConduit: one by one, until the account is empty.
                var rest = a.demand.current
                while true {
                    let count = rest.max!
                    served.value += count
                    if a.demand.settle(rest) { break }
                    let newer = a.demand.current
                    served.value -= count
                    rest = newer
                }
            }
        }
        run.after { expect(served.value == 4, "served \(served.value)") }
    }
    family.add("demand: takeAll", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        var sum = 0
        for _ in 0..<2 { run.thread { a.demand.add(.max(1)) } }
        for _ in 0..<2 { run.thread { sum += a.demand.takeAll().max! } }
        run.after { expect(sum + a.demand.current.max! == 2, "\(sum)") }
    }
    // A request publishes what its caller has written before it: the deliverer reads it when it finds the demand.
    family.add("demand: a request publishes", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        let cell = ModelCell(0, "written before the request")
        run.thread {
            cell.value = 1; a.demand.add(.max(1))
        }
        run.thread { if a.demand.takeOne() { expect(cell.value == 1, "") } }
        run.after {}
    }
    family.add("demand: an unlimited request publishes", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        let cell = ModelCell(0, "written before the request")
        run.thread {
            cell.value = 1; a.demand.add(.unlimited)
        }
        run.thread { if a.demand.takeOne() { expect(cell.value == 1, "") } }
        run.thread { if a.demand.current == .unlimited { expect(cell.value == 1, "") } }
        run.after {}
    }
    family.add("demand: the current demand shows what was done before its request", Bounds().with(preemptions: 3)) {
        run in
        let a = Account()
        let cell = ModelCell(0, "written before the request")
        run.thread {
            cell.value = 1; a.demand.add(.unlimited)
        }
        run.thread { if a.demand.current == .unlimited { expect(cell.value == 1, "") } }
        run.after {}
    }
    family.add("demand: the next server knows what the last one did", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        let served = ModelCell(0, "what the server owns")
        for _ in 0..<2 {
            run.thread {
                if a.demand.add(.max(1)) == Subscribers.Demand.none {
                    served.value += 1
                    _ = a.demand.settle(.max(1))
                }
            }
        }
        run.after {}
    }
    family.add("demand: the next server knows what the one did that took the last unit", Bounds().with(preemptions: 3))
    { run in
        let a = Account()
        let served = ModelCell(0, "what the server owns")
        a.demand.add(.max(1))
        run.thread {
            served.value += 1; _ = a.demand.takeOne()
        }
        run.thread { if a.demand.add(.max(1)) == Subscribers.Demand.none { served.value += 1 } }
        run.after {}
    }
    family.add("demand: who takes all knows what was done before the request", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        let cell = ModelCell(0, "written before the request")
        run.thread {
            cell.value = 1; a.demand.add(.max(1))
        }
        run.thread { if a.demand.takeAll() > .none { expect(cell.value == 1, "") } }
        run.after {}
    }
    family.add("demand: who finds that all was taken knows what the taker did", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        let cell = ModelCell(0, "written before all was taken")
        a.demand.add(.max(1))
        run.thread {
            cell.value = 1; _ = a.demand.takeAll()
        }
        run.thread { if a.demand.add(.max(1)) == Subscribers.Demand.none { expect(cell.value == 1, "") } }
        run.after {}
    }
    // The second taker has loaded the first unit, and takes the one that was requested since.
    family.add("demand: a unit that looks like one taken before", Bounds().with(preemptions: 4, stale: 1)) { run in
        let account = Account()
        let state = ModelCell(0, "what was written before the second request")
        account.demand.add(.max(1))
        var taken = 0
        for _ in 0..<2 {
            run.thread {
                if account.demand.takeOne() {
                    taken += 1
                    if taken == 2 { expect(state.value == 1, "\(state.value)") }
                }
            }
        }
        run.thread {
            if account.demand.word.load(ordering: .relaxed) == 0 {
                state.value = 1
                account.demand.add(.max(1))
            }
        }
        run.after {}
    }
    family.add("demand: closing after what was done", Bounds().with(preemptions: 3)) { run in
        let a = Account()
        let cell = ModelCell(0, "written before the account was closed")
        run.thread {
            cell.value = 1; a.demand.close()
        }
        run.thread { if a.demand.close() == nil { expect(cell.value == 1, "") } }
        run.after {}
    }
}
