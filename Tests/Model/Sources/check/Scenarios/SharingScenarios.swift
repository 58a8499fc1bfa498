import Headgate
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import ModelCore
import ModelKit

let sharingScenarios = scenarios(.light) { family in
    family.add("share: two subscribe and cancel") { run in
        var connections = 0, disconnections = 0
        let source = Deferred { () -> AnyPublisher<Payload, Never> in
            connections += 1
            expect(connections - disconnections == 1, "\(connections) connections, \(disconnections) ended")
            return PayloadSubject().handleEvents(receiveCancel: { disconnections += 1 })
                .eraseToAnyPublisher()
        }
        let shared = source.share()
        for _ in 0..<2 {
            run.thread {
                let a = Recorder<Never>()
                shared.subscribe(a)
                a.cancel()
            }
        }
        run.after {
            expect(connections == disconnections, "\(connections) connections, \(disconnections) ended")
            expect(connections >= 1, "no connection")
            model_note("connections \(connections)")
        }
    }
    family.add("multicast: one subscribes and cancels, another connects and disconnects") { run in
        let shared = PayloadSubject().makeConnectable()
        run.thread {
            let a = Recorder<Never>()
            shared.subscribe(a)
            a.cancel()
        }
        run.thread { shared.connect().cancel() }
    }
    family.add("share: one subscribes and cancels, one stays") { run in
        var connections = 0, disconnections = 0
        let subject = PayloadSubject()
        let shared = subject.handleEvents(
            receiveSubscription: { _ in connections += 1 }, receiveCancel: { disconnections += 1 }
        ).share()
        let b = Recorder<Never>()
        run.thread {
            let a = Recorder<Never>()
            shared.subscribe(a)
            a.cancel()
        }
        run.thread { shared.subscribe(b) }
        run.after {
            expect(connections == disconnections + 1, "\(connections) connections, \(disconnections) ended")
            subject.send(.make(10))
            expect(b.values == [10], "\(b.values)")
        }
    }
    family.add("future: two subscribe, one promises, one cancels") { run in
        let promise = Box<Future<Payload, Never>.Promise?>(nil)
        let future = Future<Payload, Never> { promise.value = $0 }
        let a = Recorder<Never>(), b = Recorder<Never>(.none)
        run.thread { promise.value!(.success(.make(10))) }
        run.thread { future.subscribe(a) }
        run.thread {
            future.subscribe(b); b.request(.max(1)); b.cancel()
        }
        run.after {
            expect(a.values == [10] && a.completions == 1, "\(a.values) \(a.completions)")
            expect(b.values == [] || b.values == [10], "\(b.values)")
            promise.value = nil
        }
    }
    family.add("replay subject: send, subscribe, request") { run in
        let subject = ReplaySubject<Payload, Never>(bufferSize: 1)
        let a = Recorder<Never>(), b = Recorder<Never>(.none)
        subject.subscribe(b)
        run.thread {
            subject.send(.make(10)); subject.send(.make(11))
        }
        run.thread { subject.subscribe(a) }
        run.thread {
            b.request(.max(1)); b.request(.max(1))
        }
        run.after {
            a.checkOrder()
            b.checkOrder()
            expect(a.values.last == 11, "\(a.values)")
        }
    }
    family.add("shared: who opens upstream receives what it sends, while another subscribes") { run in
        let shared = [Payload.make(10), .make(11)].publisher.makeConnectable()
        let connection = shared.connect()
        let a = Recorder<Never>(.none), b = Recorder<Never>()
        run.thread { shared.subscribe(a) }
        run.thread { shared.subscribe(b) }
        run.after {
            expect(b.values == [10, 11] && b.completions == 1, "\(b.values), \(b.completions)")
            connection.cancel()
        }
    }
    family.add("shared: another thread requests for a subscriber that is being attached") { run in
        let shared = [Payload.make(10), .make(11)].publisher.makeConnectable()
        let connection = shared.connect()
        let a = Recorder<Never>(.none), b = Recorder<Never>(.none)
        b.requested = nil
        let arrived = Keep(ModelMutex<(any Subscription)?>(nil))
        b.onSubscription = { subscription in arrived.lock.withLock { $0 = subscription } }
        run.thread { shared.subscribe(a) }
        run.thread { shared.subscribe(b) }
        run.thread { arrived.lock.withLock { $0 }?.request(.unlimited) }
        run.after {
            if b.values == [] { b.request(.unlimited) }
            expect(b.values == [10, 11] && b.completions == 1, "\(b.values), \(b.completions)")
            connection.cancel()
        }
    }
    // What connects anew is enqueued for a thread that has just looked whether anything is to be connected.
    family.add("replay: the last leaves and another joins, while a request is made") { run in
        let p = PayloadSubject()
        let shared = p.shareReplay(capacity: 0)
        let (a, b) = (Recorder<Never>(.max(1)), Recorder<Never>())
        a.requested = nil
        a.onValue = { _, a in
            a.cancel()
            shared.subscribe(b)
        }
        shared.subscribe(a)
        run.thread { p.send(.make(10)) }
        run.thread { a.request(.max(1)) }
        run.after {
            p.send(.make(20))
            expect(a.values == [10] && b.values == [20], "\(a.values), then \(b.values)")
        }
    }
    family.add("replay subject: a request brings upstream's values, while another thread sends") { run in
        let p = PayloadSubject()
        let subject = ReplaySubject<Payload, Never>(bufferSize: 1)
        let tie = p.subscribe(subject)
        let a = Recorder<Never>(.none)
        a.requested = nil
        subject.subscribe(a)
        run.thread { subject.send(.make(10)) }
        run.thread { a.request(.unlimited) }
        run.after {
            p.send(.make(20))
            expect(a.values == [10, 20], "\(a.values)")
            tie.cancel()
        }
    }
    family.add("replay: the last cancels during a delivery, while another joins") { run in
        let p = PayloadSubject()
        let upstream = ModelCell(0, "the subscriptions to upstream")
        let shared = p.handleEvents(
            receiveSubscription: { _ in upstream.value += 1 }, receiveCancel: { upstream.value -= 1 }
        ).shareReplay(capacity: 1)
        let (a, b) = (Recorder<Never>(), Recorder<Never>())
        shared.subscribe(a)
        run.thread { p.send(.make(10)) }
        run.thread {
            a.cancel()
            shared.subscribe(b)
        }
        run.after {
            p.send(.make(20))
            expect(b.values.last == 20 && upstream.value == 1, "\(b.values), \(upstream.value) subscriptions")
            b.cancel()
            expect(upstream.value == 0, "\(upstream.value) subscriptions are left")
        }
    }
    family.add("replay: shared upstream, two subscribe") { run in
        let p = PayloadSubject()
        let shared = p.shareReplay(capacity: 1)
        let a = Recorder<Never>(), b = Recorder<Never>()
        run.thread { shared.subscribe(a) }
        run.thread { shared.subscribe(b) }
        run.after {
            p.send(.make(10))
            expect(a.values == [10] && b.values == [10], "\(a.values) \(b.values)")
        }
    }
}
