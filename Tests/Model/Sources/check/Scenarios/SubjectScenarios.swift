import Headgate
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import ModelCore
import ModelKit

let subjectScenarios = scenarios(.light) { family in
    family.add("passthrough: two send 2 each, two subscribers agree") { run in
        let subject = PayloadSubject()
        let a = Recorder<Never>(), b = Recorder<Never>()
        subject.subscribe(a)
        subject.subscribe(b)
        for t in 1...2 { run.thread { for i in 0..<2 { subject.send(.make(t * 10 + i)) } } }
        run.after {
            expect(a.values.sorted() == [10, 11, 20, 21], "\(a.values)")
            expect(a.values == b.values, "\(a.values) \(b.values)")
            a.checkOrder()
        }
    }
    family.add("passthrough: send, cancel, subscribe") { run in
        let subject = PayloadSubject()
        let a = Recorder<Never>(), b = Recorder<Never>()
        subject.subscribe(a)
        run.thread { for i in 0..<2 { subject.send(.make(10 + i)) } }
        run.thread { a.cancel() }
        run.thread { subject.subscribe(b) }
        run.after {
            let all = [10, 11]
            expect(Array(all.prefix(a.values.count)) == a.values, "\(a.values)")
            expect(Array(all.suffix(b.values.count)) == b.values, "\(b.values)")
            subject.send(.make(12))
            expect(!a.values.contains(12) && b.values.last == 12, "\(a.values) \(b.values)")
            expect(hub(subject).subscribers.isEmpty == false, "nobody is left")
        }
    }
    family.add("passthrough: send, complete, subscribe") { run in
        let subject = PayloadSubject()
        let a = Recorder<Never>(), b = Recorder<Never>()
        subject.subscribe(a)
        run.thread { for i in 0..<2 { subject.send(.make(10 + i)) } }
        run.thread { subject.send(completion: .finished) }
        run.thread { subject.subscribe(b) }
        run.after {
            expect(
                a.completions == 1 && b.completions == 1 && b.subscriptions == 1, "\(a.completions) \(b.completions)")
        }
    }
    family.add("passthrough: complete against subscribe", Bounds.light.with(preemptions: 3, stale: 2)) { run in
        let subject = PayloadSubject()
        let a = Recorder<Never>()
        run.thread { subject.send(completion: .finished) }
        run.thread { subject.subscribe(a) }
        run.after {
            expect(a.completions == 1 && a.subscriptions == 1, "")
        }
    }
    family.add("passthrough: a late subscriber reads the failure", Bounds.light.with(preemptions: 3, stale: 2)) { run in
        let subject = PassthroughSubject<Payload, Broken>()
        let a = Recorder<Broken>()
        a.onFailure = { expect($0.cell.value == 1, "a failure without its contents") }
        run.thread {
            let failure = Broken()
            failure.cell.value = 1
            subject.send(completion: .failure(failure))
        }
        run.thread { subject.subscribe(a) }
        run.after { expect(a.completions == 1, "\(a.completions)") }
    }
    family.add("passthrough: cancel against send", Bounds.light.with(preemptions: 3, stale: 2)) { run in
        let subject = PayloadSubject()
        let a = Recorder<Never>()
        subject.subscribe(a)
        run.thread { subject.send(.make(10)) }
        run.thread { a.cancel() }
        run.after {
            expect(hub(subject).subscribers.isEmpty, "")
        }
    }
    family.add("passthrough: two complete, one cancels") { run in
        let subject = PayloadSubject()
        let a = Recorder<Never>()
        subject.subscribe(a)
        for _ in 0..<2 { run.thread { subject.send(completion: .finished) } }
        run.thread { a.cancel() }
        run.after {
            expect(a.completions <= 1, "")
            expect(hub(subject).subscribers.isEmpty, "the subscriber is still there")
        }
    }
    family.add("passthrough: limited demand from another thread") { run in
        let subject = PayloadSubject()
        let a = Recorder<Never>(.max(1))
        subject.subscribe(a)
        run.thread { for i in 0..<3 { subject.send(.make(10 + i)) } }
        run.thread { a.request(.max(1)) }
        run.after {
            a.checkOrder()
            expect(a.values.count >= 1 && a.values.count <= 2, "\(a.values)")
        }
    }
    family.add("passthrough: cancel and what was before it") { run in
        // Who has cancelled may free what the subscriber used, once a delivery is over: the log is only read here.
        let subject = PayloadSubject()
        let a = Recorder<Never>()
        subject.subscribe(a)
        run.thread { subject.send(.make(10)) }
        run.thread {
            a.cancel(); subject.send(.make(20)); subject.send(.make(21))
        }
        run.after {
            expect(!a.values.contains(20) && !a.values.contains(21), "\(a.values)")
        }
    }
    family.add("passthrough: two subjects send to each other") { run in
        let p = PayloadSubject(), q = PayloadSubject()
        let a = Recorder<Never>(), b = Recorder<Never>()
        a.onValue = { value, _ in if value.id % 10 == 0 { q.send(.make(value.id + 1)) } }
        b.onValue = { value, _ in if value.id % 10 == 0 { p.send(.make(value.id + 1)) } }
        p.subscribe(a)
        q.subscribe(b)
        run.thread { p.send(.make(10)) }
        run.thread { q.send(.make(20)) }
        run.after {
            expect(a.values.sorted() == [10, 21] && b.values.sorted() == [11, 20], "\(a.values) \(b.values)")
        }
    }
    family.add("passthrough: attached to an upstream, first demand during a send") { run in
        let subject = PayloadSubject()
        let upstream = CountingSubscription()
        subject.send(subscription: upstream)
        let a = Recorder<Never>(.max(1)), b = Recorder<Never>(.none)
        run.thread { subject.send(.make(10)) }
        run.thread { subject.subscribe(a) }
        run.thread {
            subject.send(.make(20)); subject.subscribe(b); b.request(.max(1))
        }
        run.after {
            expect(upstream.requested == 1_000_000, "requested \(upstream.requested)")
        }
    }
    family.add("passthrough: an upstream arrives while the first demand does", Bounds.light.with(preemptions: 3)) {
        run in
        let subject = PayloadSubject()
        let upstream = CountingSubscription()
        let a = Recorder<Never>(.max(1))
        run.thread { subject.send(subscription: upstream) }
        run.thread { subject.subscribe(a) }
        run.after {
            expect(upstream.requested == 1_000_000, "requested \(upstream.requested)")
        }
    }
    family.add("passthrough: an upstream arrives while the stream completes", Bounds.light.with(preemptions: 3)) {
        run in
        let subject = PayloadSubject()
        let upstream = CountingSubscription()
        let a = Recorder<Never>(.max(1))
        run.thread { subject.send(subscription: upstream) }
        run.thread { subject.subscribe(a) }
        run.thread { subject.send(completion: .finished) }
        run.after {
            expect(upstream.cancels == 1, "upstream was cancelled \(upstream.cancels) times")
        }
    }
    family.add("passthrough: the subject is released while it sends and one cancels") { run in
        var subject: PayloadSubject? = PassthroughSubject()
        let a = Recorder<Never>()
        subject!.subscribe(a)
        let s = Box<PayloadSubject?>(subject)
        subject = nil
        run.thread {
            s.value?.send(.make(10)); s.value = nil
        }
        run.thread { a.cancel() }
    }
    family.add("current value: two send, the last one is current") { run in
        let subject = CurrentValueSubject<Payload, Never>(.make(1))
        let a = Recorder<Never>()
        subject.subscribe(a)
        for t in 1...2 { run.thread { for i in 0..<2 { subject.send(.make(t * 10 + i)) } } }
        run.after {
            expect(a.values.count == 5 && a.values[0] == 1, "\(a.values)")
            expect(subject.value.id == a.values.last, "the current value is \(subject.value.id), sent: \(a.values)")
            a.checkOrder()
        }
    }
    family.add("current value: send, read, subscribe") { run in
        let subject = CurrentValueSubject<Payload, Never>(.make(1))
        let a = Recorder<Never>()
        run.thread { for i in 0..<2 { subject.send(.make(10 + i)) } }
        run.thread {
            let one = subject.value, two = subject.value
            expect(one.cell.value == one.id && two.cell.value == two.id && one.id <= two.id, "\(one.id) \(two.id)")
        }
        run.thread { subject.subscribe(a) }
        run.after {
            expect(a.values.last == 11, "the latest is missing: \(a.values)")
            expect(a.values == a.values.sorted() && Set(a.values).count == a.values.count, "\(a.values)")
        }
    }
    family.add("current value: late demand against send") { run in
        let subject = CurrentValueSubject<Payload, Never>(.make(1))
        let a = Recorder<Never>(.none)
        subject.subscribe(a)
        run.thread {
            subject.send(.make(10)); subject.send(.make(11))
        }
        run.thread {
            a.request(.max(1)); a.request(.max(1))
        }
        run.after {
            a.checkOrder()
            expect(a.values.count <= 2, "\(a.values)")
            expect(a.values.last == 11 || a.values.count == 2, "demand is left, and the latest is missing: \(a.values)")
        }
    }
    family.add("current value: send and complete") { run in
        let subject = CurrentValueSubject<Payload, Never>(.make(1))
        let a = Recorder<Never>()
        subject.subscribe(a)
        run.thread { subject.send(.make(10)) }
        run.thread { subject.send(completion: .finished) }
        run.thread { subject.value = .make(20) }
        run.after {
            expect(a.completions == 1, "\(a.completions)")
        }
    }
}
