import Headgate
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import ModelCore
import ModelKit

let livenessScenarios = scenarios(.light) { family in
    for (name, demand) in [("unlimited", Subscribers.Demand.unlimited), ("limited", .max(1))] {
        // What a subscriber does before it requests is done before the values that it has requested.
        family.add("passthrough: a late \(name) request publishes") { run in
            let subject = PayloadSubject()
            let state = ModelCell(0, "the subscriber's state, written before its request")
            let a = Recorder<Never>(.none)
            a.requested = nil
            a.onValue = { _, _ in expect(state.value == 1, "") }
            subject.subscribe(a)
            run.thread {
                state.value = 1; a.subscription!.request(demand)
            }
            run.thread { subject.send(.make(10)) }
            run.after {}
        }
        family.add("merge: a late \(name) request publishes") { run in
            let p = PayloadSubject(), q = PayloadSubject()
            let state = ModelCell(0, "the subscriber's state, written before its request")
            let a = Recorder<Never>(.none)
            a.requested = nil
            a.onValue = { _, _ in expect(state.value == 1, "") }
            p.merge(with: q).subscribe(a)
            run.thread {
                state.value = 1; a.subscription!.request(demand)
            }
            run.thread { p.send(.make(10)) }
            run.after {}
        }
    }
    // And before upstream receives the request that its demand permits, on whichever thread.
    family.add("merge: upstream knows what was done before the request") { run in
        let p = Source(), q = Source()
        let state = ModelCell(0, "the subscriber's state, written before its request")
        let a = Recorder<Never>(.max(1))
        p.merge(with: q).subscribe(a)
        run.thread {
            state.value = 1; a.request(.max(1))
        }
        run.thread { if p.subscribers[0].receive(.make(10)) > .none { expect(state.value == 1, "") } }
        run.after {
            for source in [p, q] { source.subscribers = [] }
        }
    }
    // Stale reads only in the random part: without them the search in order gets to the schedules that matter.
    // Liveness: whatever has happened between the threads, what is sent afterwards arrives, where there is demand.
    func alive(
        _ name: String, _ demand: Subscribers.Demand, each: Subscribers.Demand, more: Int = 0, bounds: Bounds? = nil,
        _ make: @escaping (PayloadSubject, PayloadSubject, Recorder<Never>) -> Void
    ) {
        family.add("alive: \(name), demand \(demand) and \(each) with each", bounds ?? .light.with(stale: 0)) { run in
            let p = PayloadSubject(), q = PayloadSubject()
            let a = Recorder<Never>(demand, each: each)
            make(p, q, a)
            run.thread {
                p.send(.make(10)); p.send(.make(11))
            }
            run.thread { q.send(.make(20)) }
            if more > 0 { run.thread { for _ in 0..<more { a.request(.max(1)) } } }
            run.after {
                let before = a.values.count
                for i in 0..<4 {
                    p.send(.make(1000 + i))
                    q.send(.make(2000 + i))
                }
                expect(a.values.count > before, "nothing arrives any more: \(a.values)")
            }
        }
    }
    for (demand, each, more) in [
        (Subscribers.Demand.max(1), Subscribers.Demand.max(1), 0), (.max(2), .max(1), 0), (.max(1), .max(1), 1),
        (.unlimited, .none, 0),
    ] {
        // A value that waits for the owner with its unit of demand takes some thousand schedules to meet another.
        let joining = Bounds.light.with(stale: 0, effort: demand == .unlimited ? 1 : 4)
        alive("merge", demand, each: each, more: more, bounds: joining) { p, q, a in p.merge(with: q).subscribe(a) }
        alive("flatMap", demand, each: each, more: more, bounds: joining) { p, q, a in
            [0, 1].publisher.flatMap { $0 == 0 ? p : q }.subscribe(a)
        }
        alive("combineLatest", demand, each: each, more: more) { p, q, a in
            p.combineLatest(q) { x, y in Payload.make(x.id + y.id) }.subscribe(a)
        }
        alive("zip", demand, each: each, more: more) { p, q, a in
            p.zip(q) { x, y in Payload.make(x.id + y.id) }.subscribe(a)
        }
        alive("merge, buffered", demand, each: each, more: more) { p, q, a in
            p.merge(with: q).buffer(size: 100, prefetch: .keepFull, whenFull: .dropOldest).subscribe(a)
        }
        alive("merge of three with a sequence", demand, each: each, more: more) { p, q, a in
            p.merge(with: q, [Payload.make(1), Payload.make(2)].publisher).subscribe(a)
        }
        alive("shared", demand, each: each, more: more) { p, q, a in
            p.merge(with: q).share().subscribe(a)
        }
        alive("shareReplay", demand, each: each, more: more) { p, q, a in
            p.merge(with: q).shareReplay(capacity: 1).subscribe(a)
        }
        alive("conflate", demand, each: each, more: more) { p, q, a in
            p.merge(with: q).buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest).subscribe(a)
        }
    }
}
