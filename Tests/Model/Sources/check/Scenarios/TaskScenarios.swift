@testable import Headgate
import HeadgateCombine
import HeadgateCore
@testable import HeadgateEngine
import ModelCore
import ModelKit

/// A source that delivers a value inside each request, and orders nothing by itself.
private final class SourceAtOnce: ConduitSubscription {
    let state = ModelCell(0, "what the source does for a request")

    init(_ conduit: AsyncConduit<Payload, Never>) {
        super.init { [unowned conduit] subscription, signal in
            guard case .request = signal, let source = subscription as? SourceAtOnce else { return }
            source.state.value += 1
            _ = conduit.receive(.make(1))
        }
    }

    override var traits: SubscriptionTraits { .answersDemandAtOnce }
}

/// Scenarios in which virtual threads stand for tasks.
let taskScenarios = scenarios(.light) { family in
    /// Awaits a value, as the iterator of `values` does.
    func next(_ conduit: AsyncConduit<Payload, Never>) -> Payload? {
        while true {
            switch conduit.poll() {
            case .value(let value): return value
            case .ended: return nil
            case .nothing:
                let wakeup = Wakeup()
                conduit.await(wakeup.continuation)
                if !wakeup.wait() { return nil }
            }
        }
    }
    let policies: [(String, AsyncPolicy)] = [
        ("one by one", .onDemand), ("buffered", .bounded(2)), ("newest", .newest(2)),
    ]
    for (name, policy) in policies {
        family.add("values, \(name): one sends, one awaits, one cancels") { run in
            let p = PayloadSubject()
            let conduit = AsyncConduit<Payload, Never>(policy)
            conduit.subscribe(to: p)
            run.thread { if let value = next(conduit) { expect(value.cell.value == value.id, "") } }
            run.thread { p.send(.make(10)) }
            run.thread { conduit.cancel() }
            run.after { expect(hub(p).subscribers.isEmpty, "not cancelled") }
        }
        family.add("values, \(name): the completion wakes") { run in
            let p = PayloadSubject()
            let conduit = AsyncConduit<Payload, Never>(policy)
            conduit.subscribe(to: p)
            var ended = 0
            for _ in 0..<2 {
                run.thread {
                    while next(conduit) != nil {}
                    ended += 1
                }
            }
            run.thread { p.send(completion: .finished) }
            run.after { expect(ended == 2, "\(ended) tasks have ended") }
        }
        family.add("values, \(name): the subscription arrives while one awaits") { run in
            let p = PayloadSubject()
            let conduit = AsyncConduit<Payload, Never>(policy)
            var got = 0
            run.thread { if next(conduit) != nil { got += 1 } }
            run.thread {
                conduit.subscribe(to: p)
                p.send(.make(10))
                p.send(.make(11))
            }
            run.after {
                conduit.cancel()
                model_note("got \(got)")
            }
        }
    }
    family.add("values: two tasks pull a sequence") { run in
        let conduit = AsyncConduit<Payload, Never>(.onDemand)
        conduit.subscribe(to: [1, 2].publisher.map { Payload.make($0) })
        let taken = Keep(ModelMutex<[Int]>([]))
        var ended = 0
        for _ in 0..<2 {
            run.thread {
                while let value = next(conduit) {
                    expect(value.cell.value == value.id, "")
                    taken.lock.withLock { $0.append(value.id) }
                }
                ended += 1
            }
        }
        run.after {
            let values = taken.lock.withLock { $0 }
            expect(values.sorted() == [1, 2] && ended == 2, "\(values), \(ended) have ended")
        }
    }
    family.add("values: a task that waits while another pulls is woken") { run in
        let conduit = AsyncConduit<Payload, Never>(.onDemand)
        conduit.subscribe(to: Always(.make(1)))
        run.thread { expect(conduit.pull() != nil, "no value") }
        run.thread {
            let wakeup = Wakeup()
            conduit.await(wakeup.continuation)
            expect(wakeup.wait(), "nobody wakes the task")
        }
        run.after { conduit.cancel() }
    }
    family.add("values: what a pulling task did, the next one knows") { run in
        let conduit = AsyncConduit<Payload, Never>(.onDemand)
        let source = SourceAtOnce(conduit)
        conduit.receive(subscription: source)
        for _ in 0..<2 { run.thread { expect(next(conduit) != nil, "no value") } }
        run.after {
            expect(source.state.value == 2, "\(source.state.value)")
            conduit.cancel()
        }
    }
    family.add("values: a source that delivers at once arrives while a task pulls") { run in
        let conduit = AsyncConduit<Payload, Never>(.onDemand)
        run.thread { conduit.receive(subscription: SourceAtOnce(conduit)) }
        run.thread { _ = conduit.pull() }
        run.after {
            expect(conduit.pull() != nil, "no value")
            conduit.cancel()
        }
    }
    family.add("values: a task pulls, against a cancellation") { run in
        let conduit = AsyncConduit<Payload, Never>(.onDemand)
        conduit.receive(subscription: SourceAtOnce(conduit))
        run.thread { _ = conduit.pull() }
        run.thread { conduit.cancel() }
        run.after { expect(conduit.pull() == nil, "a value after the cancellation") }
    }
    for limit in [1, 2] {
        family.add("work: \(limit) at a time, values, results, and a cancellation") { run in
            let a = Recorder<Never>()
            let conduit = WorkConduit<Payload, Payload, Never>(
                limit: limit, isOrdered: true, AnySubscriber(a))
            let upstream = CountingSubscription()
            _ = conduit.connect(to: upstream)
            conduit.request(.unlimited)
            let wait = { () -> Void in yieldHere() }
            for _ in 0..<2 {
                run.thread {
                    for _ in 0..<3 {
                        let slot = WorkSlot<Payload, Payload>()
                        switch conduit.take(into: slot) {
                        case .input: return conduit.complete(slot)
                        case .nothing: wait()
                        case .over: return
                        }
                    }
                }
            }
            run.thread {
                for id in 0..<limit { conduit.receive(.make(10 + id)) }
                conduit.receive(completion: .finished)
            }
            run.after {
                conduit.completeEverything()
                expect(a.values == Array(10..<10 + limit) && a.completions == 1, "\(a.values) \(a.completions)")
            }
        }
        family.add("work: \(limit) at a time, a result against cancel and request") { run in
            let a = Recorder<Never>()
            let conduit = WorkConduit<Payload, Payload, Never>(
                limit: limit, isOrdered: true, AnySubscriber(a))
            let upstream = CountingSubscription()
            _ = conduit.connect(to: upstream)
            conduit.request(.max(1))
            conduit.receive(.make(10))
            run.thread {
                let slot = WorkSlot<Payload, Payload>()
                if case .input = conduit.take(into: slot) { conduit.complete(slot) }
            }
            run.thread { conduit.cancel() }
            run.thread { conduit.request(.max(1)) }
            run.after {
                expect(a.values.count <= 1 && a.completions == 0, "\(a.values)")
                expect(upstream.cancels == 1, "upstream was cancelled \(upstream.cancels) times")
            }
        }
    }
    for limit in [1, 2] {
        // What the source does for a request is confined to the task that pulls.
        family.add("work: \(limit) at a time, tasks pull a sequence, against a request") { run in
            let a = Recorder<Never>(.max(limit))
            let read = ModelCell(0, "what the source does for a request")
            let conduit = WorkConduit<Payload, Payload, Never>(
                limit: limit, isOrdered: true, AnySubscriber(a))
            [10, 11, 12].publisher
                .map { id -> Payload in
                    read.value += 1
                    return .make(id)
                }
                .subscribe(WorkInlet(conduit, name: "Test", translate: { $0 }))
            for _ in 0..<limit {
                run.thread {
                    let slot = WorkSlot<Payload, Payload>()
                    var finding = conduit.take(into: slot)
                    for _ in 0..<3 {
                        guard case .input = finding else { break }
                        finding = conduit.work(slot)
                    }
                    if case .input = finding { conduit.complete(slot) }
                }
            }
            run.thread { a.request(.max(1)) }
            run.after {
                conduit.completeEverything()
                expect(a.values == Array(10..<11 + limit), "\(a.values)")
                // One more than has been delivered is processed ahead.
                expect(read.value == 3, "\(read.value) have been read")
            }
        }
    }
    family.add("work: a task pulls a sequence, against a cancellation") { run in
        let a = Recorder<Never>()
        let conduit = WorkConduit<Payload, Payload, Never>(
            limit: 1, isOrdered: true, AnySubscriber(a))
        [10, 11].publisher.map { Payload.make($0) }.subscribe(WorkInlet(conduit, name: "Test", translate: { $0 }))
        run.thread {
            let slot = WorkSlot<Payload, Payload>()
            if case .input = conduit.take(into: slot) { _ = conduit.work(slot) }
        }
        run.thread { conduit.cancel() }
        run.after { expect(a.values.count <= 1 && a.completions == 0, "\(a.values) \(a.completions)") }
    }
    family.add("work: a job ends while a value arrives") { run in
        let a = Recorder<Never>()
        let conduit = WorkConduit<Payload, Payload, Never>(limit: 1, isOrdered: true, AnySubscriber(a))
        var jobs: [() -> Void] = []
        conduit.process(in: { jobs.append($0) }, { $0 })
        _ = conduit.connect(to: CountingSubscription())
        conduit.request(.unlimited)
        conduit.receive(.make(10))
        let first = jobs.removeFirst()
        run.thread { first() }
        run.thread {
            conduit.receive(.make(11))
            conduit.receive(completion: .finished)
        }
        run.after {
            while !jobs.isEmpty { jobs.removeFirst()() }
            expect(a.values == [10, 11] && a.completions == 1, "\(a.values) \(a.completions)")
        }
    }
    family.add("key turns: the next one begins when the one before is done") { run in
        let turns = KeyTurns<Int>()
        let first = turns.next(1), second = turns.next(1)
        _ = second
        run.thread { turns.finish(first, of: 1) }
        run.thread { _ = turns.next(1) }
        run.after { turns.finish(second, of: 1) }
    }
    family.add("exchange: answers from two threads, against a request and the completion") { run in
        let a = Recorder<Never>(.max(1))
        let source = Source()
        let conduit = ExchangeConduit<Payload, Never, Payload, Never>(
            name: "Test", limit: 2, AnySubscriber(a), translate: { $0 })
        conduit.connect(source, to: .init(take: { _, _ in }))
        let upstream = source.subscribers[0]
        a.request(.max(1))
        _ = upstream.receive(.make(10))
        _ = upstream.receive(.make(11))
        for number in 0..<2 { run.thread { conduit.answer([(output: Payload.make(10 + number), number: number)]) } }
        run.thread { upstream.receive(completion: .finished) }
        run.after {
            expect(a.values == [10, 11] && a.completions == 1, "\(a.values) \(a.completions)")
            source.subscribers = []
        }
    }
    family.add("exchange: an answer against a cancellation") { run in
        let a = Recorder<Never>(.max(1))
        let source = Source()
        let conduit = ExchangeConduit<Payload, Never, Payload, Never>(
            name: "Test", limit: 2, AnySubscriber(a), translate: { $0 })
        conduit.connect(source, to: .init(take: { _, _ in }))
        _ = source.subscribers[0].receive(.make(10))
        run.thread { conduit.answer([(output: Payload.make(10), number: 0)]) }
        run.thread { a.cancel() }
        run.after {
            expect(a.values.count <= 1, "\(a.values)")
            expect(source.subscription.cancels == 1, "cancelled \(source.subscription.cancels) times")
            source.subscribers = []
        }
    }
    family.add("task conduit: the task waits for demand, against a request and a cancellation") { run in
        let a = Recorder<Never>(.none)
        let conduit = TaskConduit<Payload, Never>(AnySubscriber(a))
        let wakeup = Wakeup()
        run.thread {
            conduit.wait(wakeup.continuation)
            expect(wakeup.wait(), "nobody wakes the task")
            if conduit.isWanted == true { conduit.deliver(.make(10)) }
            conduit.finish(.finished)
        }
        run.thread {
            a.requested = nil; conduit.request(.max(1))
        }
        run.thread { conduit.cancel() }
        run.after { expect(a.values.count <= 1 && a.completions <= 1, "\(a.values) \(a.completions)") }
    }
    family.add("task conduit: the task waits for demand, and is cancelled or abandoned") { run in
        let a = Recorder<Never>(.none)
        let conduit = TaskConduit<Payload, Never>(AnySubscriber(a))
        let wakeup = Wakeup()
        run.thread {
            conduit.wait(wakeup.continuation)
            expect(wakeup.wait(), "nobody wakes the task")
            expect(conduit.isWanted == false, "wanted")
            conduit.leave()
        }
        run.thread { conduit.interrupt() }
        run.thread { conduit.abandon() }
        run.after { expect(a.values.isEmpty && a.completions == 0, "\(a.values) \(a.completions)") }
    }
    family.add("work: the subscription and the completion come on two threads") { run in
        let a = Recorder<Never>()
        let conduit = WorkConduit<Payload, Payload, Never>(
            limit: 1, isOrdered: true, AnySubscriber(a))
        let inlet = WorkInlet<Payload, Never, Payload, Never>(conduit, name: "Test", translate: { $0 })
        let subscribed = Wakeup()
        let upstream = CountingSubscription()
        run.thread {
            inlet.receive(subscription: upstream)
            subscribed.continuation.resume()
        }
        run.thread {
            if subscribed.wait() { inlet.receive(completion: .finished) }
        }
        run.after { expect(a.completions == 1, "\(a.completions) completions") }
    }
}

extension WorkConduit<Payload, Payload, Never> {
    /// Hands in the value of a task as the result, and goes on with the next.
    fileprivate func work(_ slot: Slot) -> WorkFinding {
        finish(slot)
        return perform(settle(slot, isWorker: true), slot)
    }

    /// Hands in the value of a task as the result.
    fileprivate func complete(_ slot: Slot) {
        finish(slot)
        perform(settle(slot, isWorker: false), nil)
    }

    fileprivate func completeEverything() {
        let slot = Slot()
        while case .input = take(into: slot) { complete(slot) }
    }

    private func finish(_ slot: Slot) {
        let value = slot.takeInput()
        expect(value.cell.value == value.id, "")
        slot.output = value
    }
}
