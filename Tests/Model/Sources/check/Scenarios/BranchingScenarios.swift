import Headgate
import HeadgateCombine
import HeadgateCore
@testable import HeadgateEngine
import ModelCore
import ModelKit

let branchingScenarios = scenarios(.light) { family in
    family.add("window: values against the subscriber of a window, and its cancellation") { run in
        let p = PayloadSubject()
        let a = Recorder<Never>(.max(1))
        let opened = Box<Publishers.Window<Payload, Never>?>(nil)
        let sink = p.window(count: 2, unread: .hold).sink { if opened.value == nil { opened.value = $0 } }
        p.send(.make(10))
        let window = opened.value!
        run.thread {
            p.send(.make(11)); p.send(.make(12))
        }
        run.thread { window.subscribe(a) }
        run.after {
            a.checkOrder()
            a.request(.max(5))
            expect(a.values == [10, 11] && a.completions == 1, "\(a.values) \(a.completions)")
            opened.value = nil
            sink.cancel()
        }
    }
    family.add("window: two subscribe, one receives") { run in
        let p = PayloadSubject()
        let opened = Box<Publishers.Window<Payload, Never>?>(nil)
        let sink = p.window(count: 2, unread: .hold).sink { if opened.value == nil { opened.value = $0 } }
        p.send(.make(10))
        let window = opened.value!
        let all = [Recorder<Never>(), Recorder<Never>()]
        for a in all { run.thread { window.subscribe(a) } }
        run.after {
            p.send(.make(11))
            expect(all.map(\.values.count).sorted() == [0, 2], "\(all.map(\.values))")
            expect(all.allSatisfy { $0.completions == 1 }, "one waits for ever")
            opened.value = nil
            sink.cancel()
        }
    }
    family.add("window: another thread subscribes while the window is being delivered") { run in
        let p = PayloadSubject()
        let a = Recorder<Never>()
        let opened = Keep(ModelMutex<Publishers.Window<Payload, Never>?>(nil))
        let sink = p.window(count: 2, unread: .hold).sink { window in opened.lock.withLock { $0 = window } }
        run.thread { p.send(.make(10)) }
        run.thread { opened.lock.withLock { $0.take() }?.subscribe(a) }
        run.after {
            opened.lock.withLock { $0.take() }?.subscribe(a)
            p.send(.make(11))
            a.checkOrder()
            expect(a.values == [10, 11] && a.completions == 1, "\(a.values) \(a.completions)")
            sink.cancel()
        }
    }
    family.add("groupBy: values of two keys against the cancellation of a group") { run in
        let p = PayloadSubject()
        let a = Recorder<Never>(), b = Recorder<Never>()
        let sink = p.groupBy(limit: 2, whenFull: .drop) { $0.id % 2 }
            .sink { group in
                // A key whose group was cancelled begins another.
                if group.key == 1 { group.subscribe(b) } else if a.subscription == nil { group.subscribe(a) }
            }
        p.send(.make(10))
        p.send(.make(11))
        run.thread { p.send(.make(12)) }
        run.thread { a.cancel() }
        run.thread { p.send(.make(13)) }
        run.after {
            a.checkOrder()
            expect(b.values == [11, 13], "\(b.values)")
            sink.cancel()
        }
    }
    family.add("switchOnFirst: the first value and a cancellation") { run in
        let p = PayloadSubject()
        let a = Recorder<Never>()
        p.switchOnFirst { _, stream in stream }.subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread { a.cancel() }
        run.after {
            a.checkOrder()
            expect(hub(p).subscribers.isEmpty, "not cancelled")
        }
    }
    family.add("broadcast: two with their own demand, one leaves") { run in
        let p = PayloadSubject()
        let shared = p.broadcast(to: 2, limit: 2)
        let a = Recorder<Never>(.max(1)), b = Recorder<Never>()
        shared.subscribe(a)
        shared.subscribe(b)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread { a.request(.max(1)) }
        run.thread { b.cancel() }
        run.after {
            a.checkOrder()
            a.request(.max(5))
            p.send(.make(12))
            expect(a.values.first == 10 && a.values.last == 12, "\(a.values)")
        }
    }
    family.add("broadcast: two subscribe at the same time") { run in
        var connections = 0
        let p = PayloadSubject()
        let shared = p.handleEvents(receiveSubscription: { _ in connections += 1 }).broadcast(to: 2, limit: 2)
        let all = [Recorder<Never>(), Recorder<Never>()]
        for a in all { run.thread { shared.subscribe(a) } }
        run.after {
            p.send(.make(10))
            expect(all.allSatisfy { $0.values == [10] } && connections == 1, "\(all.map(\.values)), \(connections)")
        }
    }
    family.add("broadcast: a request and a cancellation, and upstream goes on") { run in
        let source = Source()
        let shared = source.broadcast(to: 2, limit: 1)
        let a = Recorder<Never>(.none), b = Recorder<Never>(.none)
        shared.subscribe(a)
        shared.subscribe(b)
        run.thread { a.request(.max(2)) }
        run.thread {
            b.request(.max(1)); b.cancel()
        }
        run.after {
            expect(source.subscription.requested == 1, "requested \(source.subscription.requested)")
            let more = source.subscribers[0].receive(.make(10)).max ?? 0
            expect(source.subscription.requested + more == 2, "nothing more is requested")
            expect(a.values == [10], "\(a.values)")
            source.subscribers = []
        }
    }
    family.add("partition: values against the demand of both sides") { run in
        let p = PayloadSubject()
        let (even, odd) = p.partition { $0.id % 2 == 0 }
        let a = Recorder<Never>(.none), b = Recorder<Never>()
        even.subscribe(a)
        odd.subscribe(b)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread { a.request(.max(1)) }
        run.after {
            a.request(.max(5))
            a.checkOrder()
            b.checkOrder()
        }
    }
}
