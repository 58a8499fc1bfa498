import ModelKit
import Synchronization

let structureLitmus = litmus { suite in
    func lock(_ name: String, _ take: AtomicUpdateOrdering, _ leave: AtomicStoreOrdering, races: Bool) {
        suite.add("spin lock " + name, must: races ? ["RACE"] : ["2"], never: races ? [] : ["RACE", "1"]) { run, note in
            let x = Cell()
            let plain = ModelCell(0)
            for _ in 0..<2 {
                run.thread {
                    while !x.a.compareExchange(expected: 0, desired: 1, ordering: take).exchanged { yieldHere() }
                    plain.value += 1
                    x.a.store(0, ordering: leave)
                }
            }
            run.after { note("\(plain.value)") }
        }
    }
    lock("acquire release", .acquiring, .releasing, races: false)
    lock("without acquire", .relaxed, .releasing, races: true)
    lock("without release", .acquiring, .relaxed, races: true)

    func stack(_ name: String, _ push: AtomicUpdateOrdering, _ pop: AtomicUpdateOrdering, races: Bool) {
        suite.add(
            "Treiber stack, popped as a whole, " + name, must: races ? ["RACE"] : ["2", "1", "0"],
            never: races ? [] : ["RACE"]
        ) {
            run, note in
            let head = Cell()
            let nodes = [ModelCell((0, 0)), ModelCell((0, 0))]
            let sum = Box(0)
            for i in 0..<2 {
                run.thread {
                    while true {
                        let old = head.a.load(ordering: .relaxed)
                        nodes[i].value = (7, old)
                        if head.a.compareExchange(expected: old, desired: i + 1, ordering: push).exchanged { break }
                    }
                }
            }
            run.thread {
                var next = head.a.exchange(0, ordering: pop)
                while next != 0 {
                    sum.value += 1
                    next = nodes[next - 1].value.1
                }
            }
            run.after { note("\(sum.value)") }
        }
    }
    stack("release acquire", .releasing, .acquiring, races: false)
    stack("without release", .relaxed, .acquiring, races: true)
    stack("without acquire", .releasing, .relaxed, races: true)

    // Each in some executions only: those in which the second thread runs first.
    func leak(_ name: String, isFound: Bool, _ leak: @escaping () -> Void) {
        suite.add(name, must: isFound ? ["RACE"] : ["0", "1"], never: isFound ? [] : ["RACE"]) { run, note in
            let x = Cell()
            let seen = Box(0)
            run.thread { x.a.store(1, ordering: .relaxed) }
            run.thread {
                seen.value = x.a.load(ordering: .relaxed)
                if seen.value == 0 { leak() }
            }
            run.after { note("\(seen.value)") }
        }
    }
    leak("an object that retains itself leaks", isFound: true) {
        final class Ring {
            let a = ModelAtomic(0)
            var next: Ring?
        }
        let ring = Ring()
        ring.next = ring
    }
    leak("a global variable, when it is first used, doesn't", isFound: false) {
        Rare.cell.a.store(1, ordering: .relaxed)
    }
}

private enum Rare { nonisolated(unsafe) static let cell = Cell() }
