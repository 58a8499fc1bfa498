import ModelKit
import Synchronization

let orderingLitmus = litmus { suite in

    func mp(_ name: String, _ s: AtomicStoreOrdering, _ l: AtomicLoadOrdering, weak: Bool) {
        suite.add(
            "MP " + name, must: weak ? ["1 0", "1 1", "0 0", "0 1"] : ["1 1", "0 0", "0 1"], never: weak ? [] : ["1 0"]
        ) {
            run, note in
            let x = Cell(), y = Cell()
            let r = Box((0, 0))
            run.thread {
                x.a.store(1, ordering: .relaxed); y.a.store(1, ordering: s)
            }
            run.thread {
                r.value.0 = y.a.load(ordering: l); r.value.1 = x.a.load(ordering: .relaxed)
            }
            run.after { note("\(r.value.0) \(r.value.1)") }
        }
    }
    mp("relaxed", .relaxed, .relaxed, weak: true)
    mp("release relaxed", .releasing, .relaxed, weak: true)
    mp("relaxed acquire", .relaxed, .acquiring, weak: true)
    mp("release acquire", .releasing, .acquiring, weak: false)
    mp("seq_cst", .sequentiallyConsistent, .sequentiallyConsistent, weak: false)

    func sb(_ name: String, _ s: AtomicStoreOrdering, _ l: AtomicLoadOrdering, weak: Bool) {
        suite.add(
            "SB (Dekker) " + name, must: weak ? ["0 0", "0 1", "1 0", "1 1"] : ["0 1", "1 0", "1 1"],
            never: weak ? [] : ["0 0"]
        ) {
            run, note in
            let x = Cell(), y = Cell()
            let r = Box((0, 0))
            run.thread {
                x.a.store(1, ordering: s); r.value.0 = y.a.load(ordering: l)
            }
            run.thread {
                y.a.store(1, ordering: s); r.value.1 = x.a.load(ordering: l)
            }
            run.after { note("\(r.value.0) \(r.value.1)") }
        }
    }
    sb("release acquire", .releasing, .acquiring, weak: true)
    sb("seq_cst", .sequentiallyConsistent, .sequentiallyConsistent, weak: false)

    func iriw(_ name: String, _ s: AtomicStoreOrdering, _ l: AtomicLoadOrdering, weak: Bool) {
        suite.add("IRIW " + name, must: weak ? ["10 10"] : ["11 11"], never: weak ? [] : ["10 10"]) { run, note in
            let x = Cell(), y = Cell()
            let r = Box(("", ""))
            run.thread { x.a.store(1, ordering: s) }
            run.thread { y.a.store(1, ordering: s) }
            run.thread {
                let a = x.a.load(ordering: l); r.value.0 = "\(a)\(y.a.load(ordering: l))"
            }
            run.thread {
                let a = y.a.load(ordering: l); r.value.1 = "\(a)\(x.a.load(ordering: l))"
            }
            run.after { note("\(r.value.0) \(r.value.1)") }
        }
    }
    iriw("release acquire", .releasing, .acquiring, weak: true)
    iriw("seq_cst", .sequentiallyConsistent, .sequentiallyConsistent, weak: false)

    suite.add("CoRR relaxed", must: ["0 0", "0 1", "1 1", "1 2", "0 2", "2 2"], never: ["1 0", "2 1", "2 0"]) {
        run, note in
        let x = Cell()
        let r = Box((0, 0))
        run.thread {
            x.a.store(1, ordering: .relaxed); x.a.store(2, ordering: .relaxed)
        }
        run.thread {
            r.value.0 = x.a.load(ordering: .relaxed); r.value.1 = x.a.load(ordering: .relaxed)
        }
        run.after { note("\(r.value.0) \(r.value.1)") }
    }
    suite.add("CoWW, two writers: readers agree", must: ["12 12", "21 21"], never: ["12 21", "21 12"]) { run, note in
        let x = Cell()
        let r = Box(("", ""))
        run.thread { x.a.store(1, ordering: .relaxed) }
        run.thread { x.a.store(2, ordering: .relaxed) }
        run.thread { r.value.0 = "\(x.a.load(ordering: .relaxed))\(x.a.load(ordering: .relaxed))" }
        run.thread { r.value.1 = "\(x.a.load(ordering: .relaxed))\(x.a.load(ordering: .relaxed))" }
        run.after { note("\(r.value.0) \(r.value.1)") }
    }
    for (name, s, weak) in [
        ("relaxed", AtomicStoreOrdering.relaxed, true), ("seq_cst", .sequentiallyConsistent, false),
    ] {
        suite.add("2+2W " + name, must: weak ? ["1 1"] : ["2 1", "1 2", "2 2"], never: weak ? [] : ["1 1"]) {
            run, note in
            let x = Cell(), y = Cell()
            run.thread {
                x.a.store(1, ordering: s); y.a.store(2, ordering: s)
            }
            run.thread {
                y.a.store(1, ordering: s); x.a.store(2, ordering: s)
            }
            run.after { note("\(x.a.load(ordering: .relaxed)) \(y.a.load(ordering: .relaxed))") }
        }
    }
    for (name, o, weak) in [
        ("relaxed RMW continues it", AtomicUpdateOrdering.relaxed, false),
        ("acq_rel RMW", .acquiringAndReleasing, false),
    ] {
        suite.add("release sequence: " + name, must: ["2 1"], never: weak ? [] : ["2 0"]) { run, note in
            let x = Cell(), y = Cell()
            let r = Box((0, 0))
            run.thread {
                x.a.store(1, ordering: .relaxed); y.a.store(1, ordering: .releasing)
            }
            run.thread { _ = y.a.compareExchange(expected: 1, desired: 2, ordering: o) }
            run.thread {
                r.value.0 = y.a.load(ordering: .acquiring); r.value.1 = x.a.load(ordering: .relaxed)
            }
            run.after { note("\(r.value.0) \(r.value.1)") }
        }
    }
    suite.add("release sequence: a plain store breaks it", must: ["2 0", "2 1"], never: []) { run, note in
        let x = Cell(), y = Cell()
        let r = Box((0, 0))
        run.thread {
            x.a.store(1, ordering: .relaxed); y.a.store(1, ordering: .releasing); y.a.store(2, ordering: .relaxed)
        }
        run.thread {
            r.value.0 = y.a.load(ordering: .acquiring); r.value.1 = x.a.load(ordering: .relaxed)
        }
        run.after { note("\(r.value.0) \(r.value.1)") }
    }
    suite.add("WRC release acquire", must: ["1 1 1"], never: ["1 1 0"]) { run, note in
        let x = Cell(), y = Cell()
        let r = Box((0, 0, 0))
        run.thread { x.a.store(1, ordering: .relaxed) }
        run.thread {
            r.value.0 = x.a.load(ordering: .relaxed); y.a.store(1, ordering: .releasing)
        }
        run.thread {
            r.value.1 = y.a.load(ordering: .acquiring); r.value.2 = x.a.load(ordering: .relaxed)
        }
        run.after { note("\(r.value.0) \(r.value.1) \(r.value.2)") }
    }
    suite.add("RMWs are atomic", must: ["3"], never: ["1", "2"]) { run, note in
        let x = Cell()
        for _ in 0..<3 { run.thread { x.a.add(1, ordering: .relaxed) } }
        run.after { note("\(x.a.load(ordering: .relaxed))") }
    }
    suite.add("an RMW may come before an unseen relaxed store", must: ["1 0 1"], never: []) { run, note in
        let x = Cell(), y = Cell()
        let r = Box((0, 0))
        run.thread {
            x.a.store(1, ordering: .relaxed); y.a.store(1, ordering: .relaxed)
        }
        run.thread {
            r.value.0 = y.a.load(ordering: .relaxed); r.value.1 = x.a.exchange(2, ordering: .relaxed)
        }
        run.after { note("\(r.value.0) \(r.value.1) \(x.a.load(ordering: .relaxed))") }
    }
}
