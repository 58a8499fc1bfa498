import Headgate
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import ModelCore
import ModelKit

let joiningScenarios = scenarios(.light) { family in
    family.add("flatMapFirst: the next turn knows what the completion did") { run in
        let outer = PassthroughSubject<Int, Never>()
        let inner = [PayloadSubject(), PayloadSubject()]
        let state = ModelCell(0, "what the completion writes and the next turn reads")
        let a = Recorder<Never>()
        outer.flatMapFirst { i in
            state.value += 1
            return inner[i].handleEvents(receiveCompletion: { _ in state.value += 1 })
        }.subscribe(a)
        outer.send(0)
        run.thread { inner[0].send(completion: .finished) }
        run.thread { outer.send(1) }
        run.after {}
    }
    family.add("mergeSorted: two requests, and each pulls from both") { run in
        let a = Recorder<Never>(.none)
        let sides = [[1, 3], [2, 4]].map { $0.map(Payload.make).publisher }
        sides.mergeSorted { $0.id < $1.id }.subscribe(a)
        run.thread { a.request(.max(1)) }
        run.thread { a.request(.max(2)) }
        run.after {
            expect(a.values == [1, 2, 3] && a.completions == 0, "\(a.values) \(a.completions)")
            a.cancel()
        }
    }
    family.add("mergeSorted: what is pulled, a subject, and a cancellation") { run in
        let p = PayloadSubject()
        let a = Recorder<Never>()
        let pulled = [1, 2, 30].map(Payload.make).publisher.eraseToAnyPublisher()
        [pulled, p.eraseToAnyPublisher()].mergeSorted { $0.id < $1.id }.subscribe(a)
        run.thread { p.send(.make(10)) }
        run.thread { a.cancel() }
        run.after {
            a.checkOrder()
            expect([1, 2, 10].starts(with: a.values), "\(a.values)")
        }
    }
    // The caller that requests comes back while another one is the owner, and gives up.
    family.add(
        "joining: whatever is due is requested", Bounds().with(preemptions: 3, stale: 1, leaps: 0, waits: 1)
    ) { run in
        let conduit = JoiningConduit<Int, Never>(name: "Test", AnySubscriber()) { _, _ in }
        conduit.phase = .connected
        conduit.outstanding.add(.max(1))
        let subscriptions = [CountingSubscription(), CountingSubscription()]
        let sides = subscriptions.map { subscription in
            let side = Upstream()
            side.subscription = .holding(subscription)
            return side
        }
        run.thread {
            conduit.attend { for side in sides { conduit.request(.max(1), from: side) } }
            depthIsZero()
        }
        run.thread {
            for _ in 0..<2 where conduit.takeTurn() {
                yieldHere()
                conduit.leave()
            }
            depthIsZero()
        }
        run.after {
            let requested = subscriptions.map(\.requested)
            expect(requested == [1, 1], "\(requested)")
        }
    }
    family.add("merge: two upstreams on two threads") { run in
        let p = PayloadSubject(), q = PayloadSubject()
        let a = Recorder<Never>()
        p.merge(with: q).subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(completion: .finished)
        }
        run.thread {
            q.send(.make(20)); q.send(completion: .finished)
        }
        run.after {
            expect(a.values.sorted() == [10, 20] && a.completions == 1, "\(a.values) \(a.completions)")
        }
    }
    family.add("merge: limited demand returned with each value") { run in
        let p = PayloadSubject(), q = PayloadSubject()
        let a = Recorder<Never>(.max(1), each: .max(1))
        p.merge(with: q).subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread { q.send(.make(20)) }
        run.after {
            a.checkOrder()
            // A subject drops what nobody has requested while a value waits for the owner.
            expect(a.values.contains(10) && a.values.contains(20), "\(a.values)")
        }
    }
    family.add("merge: values against cancel and request") { run in
        let p = PayloadSubject(), q = PayloadSubject()
        let a = Recorder<Never>(.none)
        p.merge(with: q).subscribe(a)
        run.thread { p.send(.make(10)) }
        run.thread {
            a.request(.max(1)); a.cancel()
        }
        run.thread { q.send(.make(20)) }
        run.after {
            expect(a.values.count <= 1, "\(a.values)")
            expect(hub(p).subscribers.isEmpty && hub(q).subscribers.isEmpty, "an upstream wasn't cancelled")
        }
    }
    family.add("merge: sequence and subject, demand by ones") { run in
        let q = PayloadSubject()
        let a = Recorder<Never>(.none)
        let made = [Payload.make(10), Payload.make(11)]
        made.publisher.merge(with: q).subscribe(a)
        run.thread {
            a.request(.max(1)); a.request(.max(1))
        }
        run.thread { a.request(.max(1)) }
        run.thread {
            q.send(.make(20)); q.send(completion: .finished)
        }
        run.after {
            a.checkOrder()
            a.request(.max(5))
            expect(a.values.filter { $0 < 20 } == [10, 11] && a.completions == 1, "\(a.values) \(a.completions)")
        }
    }
    family.add("zip: two upstreams on two threads") { run in
        let p = PayloadSubject(), q = PayloadSubject()
        let a = Recorder<Never>()
        p.zip(q) { x, y in
            expect(x.cell.value == x.id && y.cell.value == y.id, "a row without its contents")
            return Payload.make(x.id + y.id)
        }.subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread {
            q.send(.make(100)); q.send(.make(200))
        }
        run.after {
            expect(a.values == [110, 211], "\(a.values)")
        }
    }
    family.add("zip: sequence and subject, two request") { run in
        let q = PayloadSubject()
        let a = Recorder<Never>(.none)
        let made = [Payload.make(1), Payload.make(2)]
        made.publisher.zip(q) { x, y in Payload.make(x.id + y.id) }.subscribe(a)
        run.thread { a.request(.max(1)) }
        run.thread { a.request(.max(1)) }
        run.thread {
            q.send(.make(10)); q.send(.make(20))
        }
        run.after {
            // A subject drops what nobody has requested.
            expect(a.values.count <= 2, "\(a.values)")
        }
    }
    family.add("combineLatest: two upstreams on two threads") { run in
        let p = PayloadSubject(), q = PayloadSubject()
        let a = Recorder<Never>()
        p.combineLatest(q) { x, y in Payload.make(x.id + y.id) }.subscribe(a)
        run.thread {
            p.send(.make(1)); p.send(.make(2))
        }
        run.thread {
            q.send(.make(10)); q.send(.make(20))
        }
        run.after {
            expect(a.values.last == 22, "\(a.values)")
        }
    }
    family.add("flatMap: inner publishers on other threads") { run in
        let outer = PassthroughSubject<Int, Never>()
        let inner = [PayloadSubject(), PayloadSubject()]
        let a = Recorder<Never>()
        outer.flatMap { inner[$0] }.subscribe(a)
        outer.send(0)
        run.thread {
            outer.send(1); outer.send(completion: .finished)
        }
        run.thread {
            inner[0].send(.make(10)); inner[0].send(completion: .finished)
        }
        run.thread { inner[1].send(.make(20)) }
        run.after {
            expect(a.values.contains(10) && a.completions == 0, "\(a.values)")
            inner[1].send(completion: .finished)
            expect(a.completions == 1, "no completion")
        }
    }
    family.add("switchToLatest: the outer switches while the inner sends") { run in
        let outer = PassthroughSubject<Int, Never>()
        let inner = [PayloadSubject(), PayloadSubject()]
        let a = Recorder<Never>()
        outer.map { inner[$0] }.switchToLatest().subscribe(a)
        outer.send(0)
        run.thread { outer.send(1) }
        run.thread { inner[0].send(.make(10)) }
        run.after {
            inner[1].send(.make(20))
            expect(a.values.contains(20), "\(a.values)")
            expect(hub(inner[0]).subscribers.isEmpty, "the first wasn't cancelled")
        }
    }
    family.add("flatMapFirst: turns") { run in
        let outer = PassthroughSubject<Int, Never>()
        let inner = [PayloadSubject(), PayloadSubject()]
        let a = Recorder<Never>()
        outer.flatMapFirst { inner[$0] }.subscribe(a)
        outer.send(0)
        run.thread {
            inner[0].send(.make(10)); inner[0].send(completion: .finished)
        }
        run.thread {
            outer.send(1); inner[1].send(.make(20))
        }
        run.after {
            expect(a.values.contains(10), "\(a.values)")
        }
    }
    family.add("concatenation: the first ends while one requests and cancels") { run in
        let p = PayloadSubject(), q = PayloadSubject()
        let a = Recorder<Never>(.max(1))
        p.append(q).subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(completion: .finished)
        }
        run.thread { a.request(.max(1)) }
        run.after {
            q.send(.make(20))
            expect(a.values == [10, 20], "\(a.values)")
        }
    }
    family.add("concatenation: the first ends while one cancels") { run in
        let p = PayloadSubject(), q = PayloadSubject()
        let a = Recorder<Never>()
        p.append(q).subscribe(a)
        run.thread { p.send(completion: .finished) }
        run.thread { a.cancel() }
        run.after {
            expect(hub(p).subscribers.isEmpty && hub(q).subscribers.isEmpty, "an upstream wasn't cancelled")
        }
    }
    family.add("prefix(untilOutputFrom:): the signal against values") { run in
        let p = PayloadSubject(), q = PassthroughSubject<Int, Never>()
        let a = Recorder<Never>()
        p.prefix(untilOutputFrom: q).subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread { q.send(1) }
        run.after {
            expect(a.completions == 1 && hub(p).subscribers.isEmpty && hub(q).subscribers.isEmpty, "\(a.completions)")
        }
    }
    family.add("flatMap: the first two requests come from two threads") { run in
        let a = Recorder<Never>(.none)
        [10, 20].publisher.flatMap { id in Just(id).map { Payload.make($0) } }.subscribe(a)
        for _ in 0..<2 { run.thread { a.request(.max(1)) } }
        run.after { expect(a.values == [10, 20] && a.completions == 1, "\(a.values) \(a.completions)") }
    }
    family.add("combineLatest: what is done before a request, an upstream knows that is requested from") { run in
        let p = Source(), q = Source()
        let a = Recorder<Never>(.none)
        a.requested = nil
        p.combineLatest(q) { x, y in Payload.make(x.id + y.id) }.subscribe(a)
        // Without a value, so there are no rows: the other one is asked for its values one by one.
        q.subscribers[0].receive(completion: .finished)
        let state = ModelCell(0, "what was written before the request")
        run.thread {
            state.value = 1
            a.subscription!.request(.max(1))
        }
        run.thread { if p.subscribers[0].receive(.make(10)) > .none { expect(state.value == 1, "\(state.value)") } }
        run.after {
            p.subscribers = []
            q.subscribers = []
        }
    }
}
