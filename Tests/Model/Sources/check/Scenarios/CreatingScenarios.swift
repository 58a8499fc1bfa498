@testable import Headgate
@testable import HeadgateCombine
@testable import HeadgateCore
@testable import HeadgateEngine
import ModelCore
import ModelKit

/// Publishers made of closures, channels, and what ends them once.
let creatingScenarios = scenarios(.light) { family in
    family.add("create: the completion against a cancellation") { run in
        let subscriber = Box<Publishers.Create<Payload, Never>.Subscriber?>(nil)
        let cleaned = ModelCell(0, "what cancels the work")
        let a = Recorder<Never>()
        AnyPublisher<Payload, Never>.create { emitting in
            subscriber.value = emitting
            return AnyCancellable { cleaned.value += 1 }
        }.subscribe(a)
        let subscription = a.subscription!
        run.thread {
            subscriber.value!.send(.make(10))
            subscriber.value!.send(completion: .finished)
        }
        run.thread { subscription.cancel() }
        run.after {
            expect(cleaned.value == 1, "cleaned up \(cleaned.value) times")
            a.checkOrder()
            subscriber.value = nil
        }
    }
    family.add("using: the completion against a cancellation") { run in
        let p = PayloadSubject()
        let resource = ModelCell(0, "the resource")
        let a = Recorder<Never>()
        Publishers.using(acquire: { () throws(Never) in resource }, publisher: { _ in p }, release: { $0.value += 1 })
            .subscribe(a)
        let subscription = a.subscription!
        run.thread { p.send(completion: .finished) }
        run.thread { subscription.cancel() }
        run.after { expect(resource.value == 1, "released \(resource.value) times") }
    }
    family.add("usingWhen: the completion against a cancellation") { run in
        let p = PayloadSubject()
        let resource = ModelCell(0, "the resource")
        let a = Recorder<Never>()
        Publishers.usingWhen(
            acquire: Just(resource), publisher: { _ in p },
            release: { resource, _ -> Empty<Never, Never> in
                resource.value += 1
                return Empty()
            }
        ).subscribe(a)
        let subscription = a.subscription!
        run.thread { p.send(completion: .finished) }
        run.thread { subscription.cancel() }
        run.after { expect(resource.value == 1, "released \(resource.value) times") }
    }
    for hasResource in [true, false] {
        let what = hasResource ? "the resource comes" : "no resource comes"
        family.add("usingWhen: \(what), while the stream is cancelled") { run in
            let (p, q) = (PayloadSubject(), PayloadSubject())
            let resource = ModelCell(0, "the resource")
            let a = Recorder<Never>()
            Publishers.usingWhen(
                acquire: p.map { _ in resource }, publisher: { _ in q },
                release: { resource, _ -> Empty<Never, Never> in
                    resource.value += 1
                    return Empty()
                }
            ).subscribe(a)
            let subscription = a.subscription!
            run.thread { if hasResource { p.send(.make(1)) } else { p.send(completion: .finished) } }
            run.thread { subscription.cancel() }
            run.after {
                let times = hasResource ? 1 : 0
                expect(resource.value == times, "released \(resource.value) times, and not \(times)")
            }
        }
    }
    family.add("channel: two send, one requests, one cancels") { run in
        let channel = StreamChannel<Payload, Never>(capacity: 1)
        let a = Recorder<Never>(.max(1))
        channel.subscribe(a)
        let subscription = a.subscription!
        var sent = 0
        for sender in 1...2 {
            run.thread { if channel.trySend(.make(sender * 10)) == .sent { sent += 1 } }
        }
        run.thread { a.request(.max(1)) }
        run.thread { subscription.cancel() }
        run.after {
            expect(a.values.count <= sent, "\(a.values) of \(sent)")
            expect(channel.trySend(.make(30)) == .noSubscribers, "the subscriber is still there")
        }
    }
    // A task that waits is a continuation. What a sender is told is what the subscriber has seen.
    family.add("channel: a sender waits for room, which a request makes, and is cancelled") { run in
        let channel = StreamChannel<Payload, Never>(capacity: 0)
        let a = Recorder<Never>(.none)
        channel.subscribe(a)
        let answers = ModelCell<[StreamChannel<Payload, Never>.Answer?]>([], "what the sender is told")
        let sender = StreamChannel<Payload, Never>.Sender(.make(10))
        run.thread { channel.wait(sender, ModelContinuation { answer in answers.value.append(answer) }) }
        run.thread { a.request(.max(1)) }
        run.thread { channel.cancel(sender) }
        run.after {
            expect(answers.value.count == 1, "resumed \(answers.value.count) times")
            let isSent = answers.value == [.sent]
            expect(a.values == (isSent ? [10] : []), "told \(answers.value), received \(a.values)")
        }
    }
    family.add("channel: the end of the channel answers a waiting sender") { run in
        let channel = StreamChannel<Payload, Never>(capacity: 0)
        let a = Recorder<Never>(.none)
        channel.subscribe(a)
        let answers = ModelCell<[StreamChannel<Payload, Never>.Answer?]>([], "what the sender is told")
        let sender = StreamChannel<Payload, Never>.Sender(.make(10))
        run.thread { channel.wait(sender, ModelContinuation { answer in answers.value.append(answer) }) }
        run.thread { channel.send(completion: .finished) }
        run.after {
            expect(answers.value == [.finished], "\(answers.value)")
            expect(a.completions == 1, "\(a.completions)")
        }
    }
    family.add("emitter: two drop values") { run in
        let a = Recorder<Never>(.none)
        let emitter = EmitterConduit<Payload, Never>(capacity: 0, whenFull: .dropNewest, AnySubscriber(a))
        for sender in 1...2 { run.thread { _ = emitter.send(.make(sender * 10)) } }
        run.thread { expect(emitter.dropped.load(ordering: .relaxed) <= 2, "") }
        run.after { expect(emitter.dropped.load(ordering: .relaxed) == 2, "") }
    }
    family.add("emitter: two send, another requests") { run in
        let a = Recorder<Never>()
        let emitter = EmitterConduit<Payload, Never>(capacity: .max, whenFull: .dropNewest, AnySubscriber(a))
        var sent = 0
        for sender in 1...2 {
            run.thread {
                for value in 0..<2 where emitter.send(.make(sender * 10 + value)) == .sent { sent += 1 }
            }
        }
        run.thread { emitter.request(.max(3)) }
        run.after {
            expect(a.values.count == 3 && sent <= 3, "\(a.values), \(sent) sent")
            emitter.request(.max(1))
            expect(a.values.count == 4, "\(a.values)")
            a.checkOrder()
        }
    }
    family.add("emitter: all demand is reported, whoever delivers") { run in
        let a = Recorder<Never>()
        let emitter = EmitterConduit<Payload, Never>(capacity: .max, whenFull: .dropNewest, AnySubscriber(a))
        a.onValue = { value, _ in if value.id == 10 { emitter.request(.max(1)) } }
        var reported = Subscribers.Demand.none
        emitter.onRequest { reported += $0 }
        for value in 10...11 { _ = emitter.send(.make(value)) }
        run.thread { _ = emitter.send(.make(20)) }
        run.thread { emitter.request(.max(1)) }
        run.after { expect(reported == .max(2), "\(reported) reported, received \(a.values)") }
    }
    family.add("emitter: a value against the end") { run in
        let a = Recorder<Never>()
        let emitter = EmitterConduit<Payload, Never>(capacity: 1, whenFull: .dropNewest, AnySubscriber(a))
        emitter.request(.unlimited)
        var answers: [Emitter<Payload, Never>.Answer] = []
        run.thread { for value in 10...11 { answers.append(emitter.send(.make(value))) } }
        run.thread { emitter.finish(.finished) }
        run.after {
            expect(a.values.count == answers.filter { $0 == .sent }.count, "\(answers), received \(a.values)")
            expect(a.completions == 1 && emitter.isOver, "\(a.completions) completions")
            a.checkOrder()
        }
    }
    family.add("emitter: the last value that is requested against the release of the subscription") { run in
        let a = Recorder<Never>(.max(1))
        let emitter = EmitterConduit<Payload, Never>(capacity: 1, whenFull: .dropNewest, AnySubscriber(a))
        let cancelled = ModelCell(0, "what cancels the work")
        emitter.onCancel { cancelled.value += 1 }
        emitter.request(.max(1))
        run.thread { expect(emitter.send(.make(10)) == .sent, "not sent") }
        run.thread { emitter.abandon() }
        run.after {
            expect(a.values == [10], "\(a.values)")
            expect(emitter.isOver && cancelled.value == 1, "cancelled \(cancelled.value) times")
        }
    }
    family.add("fold: the first request while it subscribes to a source that starts on demand") { run in
        let a = Recorder<Never>(.none)
        let received = Keep(ModelMutex<(any Subscription)?>(nil))
        let state = ModelCell(0, "what the subscriber does with its subscription, after publishing it")
        a.onSubscription = { subscription in
            received.lock.withLock { $0 = subscription }
            state.value = 1
        }
        a.onValue = { _, _ in expect(state.value == 1, "") }
        a.requested = nil
        run.thread { [1, 2].publisher.map { Payload.make($0) }.reduce(Payload.make(0)) { $1 }.subscribe(a) }
        for _ in 0..<2 { run.thread { received.lock.withLock { $0 }?.request(.max(1)) } }
        run.after {
            received.lock.withLock { $0 }?.request(.max(1))
            received.lock.withLock { $0 = nil }
            expect(a.values == [2] && a.completions == 1, "\(a.values) \(a.completions)")
        }
    }
    family.add("fold: upstream knows what was done before the first request") { run in
        let a = Recorder<Never>(.none)
        let received = Keep(ModelMutex<(any Subscription)?>(nil))
        let state = ModelCell(0, "the subscriber's state, written before its request")
        a.onSubscription = { subscription in received.lock.withLock { $0 = subscription } }
        a.requested = nil
        func request() {
            guard let subscription = received.lock.withLock({ $0 }) else { return }
            state.value = 1
            subscription.request(.max(1))
        }
        run.thread {
            [1].publisher.map { id in
                expect(state.value == 1, "")
                return Payload.make(id)
            }.reduce(Payload.make(0)) { $1 }.subscribe(a)
        }
        run.thread { request() }
        run.after {
            if a.completions == 0 { request() }
            received.lock.withLock { $0 = nil }
            expect(a.values == [1] && a.completions == 1, "\(a.values) \(a.completions)")
        }
    }
    family.add("awaited: values and the completion, against the task that waits") { run in
        let source = Source()
        let awaited = AwaitedSubscriber<Payload, Never>(.first(2))
        source.subscribe(awaited)
        let upstream = source.subscribers[0]
        let wakeup = Wakeup()
        var values: [Int] = []
        run.thread {
            _ = upstream.receive(.make(10))
            _ = upstream.receive(.make(11))
        }
        run.thread {
            awaited.latch.wait(wakeup.continuation)
            expect(wakeup.wait(), "nobody wakes the task")
            values = awaited.state.withLock { $0.values }.map { $0.cell.value }
        }
        run.thread { awaited.end(.finished) }
        run.after {
            expect(values == Array([10, 11].prefix(values.count)), "\(values)")
            source.subscribers = []
        }
    }
    family.add("a subject attached to a publisher: values against the end") { run in
        final class Relay: Subject {
            typealias Output = Payload
            typealias Failure = Never
            let subject = PayloadSubject()
            func send(_ value: Payload) { subject.send(value) }
            func send(completion: Subscribers.Completion<Never>) { subject.send(completion: completion) }
            func send(subscription: any Subscription) { subject.send(subscription: subscription) }
            func receive(subscriber: some Subscriber<Payload, Never>) { subject.receive(subscriber: subscriber) }
        }
        let relay = Relay()
        let a = Recorder<Never>()
        relay.subscribe(a)
        let subscriber = SubjectSubscriber(relay)
        let upstream = CountingSubscription()
        subscriber.receive(subscription: upstream)
        run.thread {
            _ = subscriber.receive(.make(10))
            subscriber.receive(completion: .finished)
        }
        run.thread { subscriber.cancel() }
        run.thread { subscriber.request(.max(1)) }
        run.after {
            expect(a.completions + upstream.cancels == 1, "\(a.completions) completions, \(upstream.cancels) cancels")
            a.checkOrder()
            // It is the subject that cancels, otherwise: it keeps the subscription until then.
            relay.send(completion: .finished)
        }
    }
    family.add("identifiers: two threads make different ones") { run in
        let made = Keep(ModelMutex<[CombineIdentifier]>([]))
        // The first one makes the counter, by a lock of the runtime that the model does not see.
        _ = CombineIdentifier()
        for _ in 0..<2 {
            run.thread {
                let new = CombineIdentifier()
                made.lock.withLock { $0.append(new) }
            }
        }
        run.after { expect(Set(made.lock.withLock { $0 }).count == 2, "twice the same") }
    }
    family.add("retryWhen: a failure against the trigger and a cancellation") { run in
        var attempts = 0
        let trigger = PassthroughSubject<Void, Never>()
        let p = PassthroughSubject<Payload, Broken>()
        let a = Recorder<Broken>()
        p.handleEvents(receiveSubscription: { _ in attempts += 1 })
            .retryWhen { _ in trigger }.subscribe(a)
        let subscription = a.subscription!
        run.thread { p.send(completion: .failure(Broken())) }
        run.thread { trigger.send(()) }
        run.thread { subscription.cancel() }
        run.after {
            expect(attempts <= 2 && a.completions == 0, "\(attempts) attempts, \(a.completions) completions")
        }
    }
    family.add("retry: the pause ends against a cancellation") { run in
        let jobs = Jobs()
        let state = ModelCell(0, "what an attempt does")
        let attempt = Deferred { () -> Fail<Payload, Broken> in
            state.value += 1
            return Fail(error: Broken())
        }
        let a = Recorder<Broken>()
        attempt.retry(RetryPolicy(retries: 1, backoff: .constant(.seconds(1))), scheduler: jobs).subscribe(a)
        let subscription = a.subscription!
        run.thread { jobs.perform(waits: 1) }
        run.thread { subscription.cancel() }
        run.after {
            jobs.perform(waits: 0)
            expect(state.value <= 2 && a.completions <= 1, "\(state.value) attempts, \(a.completions) completions")
        }
    }
    family.add("circuit breaker: the end of a run against its cancellation") { run in
        let breaker = CircuitBreaker(scheduler: ImmediateScheduler.shared)
        let circuitRun = CircuitRun(breaker, breaker.admit()!)
        run.thread { circuitRun.end(.succeeded) }
        run.thread { circuitRun.cancel() }
        run.after { expect(breaker.state == .closed, "\(breaker.state)") }
    }
}
