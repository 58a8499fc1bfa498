import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import ModelKit

typealias PayloadSubject = PassthroughSubject<Payload, Never>

final class Account { let demand = OutstandingDemand() }

final class GateBox { let gate = LastValueGate() }

final class Keep<Value> {
    let lock: ModelMutex<Value>

    init(_ lock: consuming ModelMutex<Value>) { self.lock = lock }
}

/// A subscription that counts what it is asked for.
final class CountingSubscription: Subscription {
    var cancels = 0
    var requested = 0
    let seen = ModelCell(0, "what was written before the subscription was sent")
    let onRequest: (Subscribers.Demand) -> Void

    init(_ onRequest: @escaping (Subscribers.Demand) -> Void = { _ in }) { self.onRequest = onRequest }

    func request(_ demand: Subscribers.Demand) {
        requested += demand.max ?? 1_000_000
        _ = seen.value
        onRequest(demand)
    }

    func cancel() {
        cancels += 1
        _ = seen.value
    }
}

/// An upstream that does what the scenario says when values are requested.
final class Source: Publisher {
    typealias Output = Payload
    typealias Failure = Never

    var subscribers: [AnySubscriber<Payload, Never>] = []
    let subscription: CountingSubscription

    init(_ onRequest: @escaping (Subscribers.Demand) -> Void = { _ in }) {
        subscription = CountingSubscription(onRequest)
    }

    func receive(subscriber: some Subscriber<Payload, Never>) {
        subscribers.append(AnySubscriber(subscriber))
        subscriber.receive(subscription: subscription)
    }
}

/// A subject that sends while it is subscribed to.
struct Hasty: Publisher {
    typealias Output = Payload
    typealias Failure = Never

    let subject: PayloadSubject

    func receive(subscriber: some Subscriber<Payload, Never>) {
        subject.subscribe(subscriber)
        subject.send(.make(20))
    }
}

/// A scheduler whose jobs a thread of the scenario performs.
final class Jobs: Scheduler, @unchecked Sendable {
    typealias SchedulerTimeType = ImmediateScheduler.SchedulerTimeType
    typealias SchedulerOptions = Never

    private let jobs = ModelJobs()

    init() {
        // What is still scheduled at the end retains streams, which retain this.
        endings.append { for _ in 0..<4 { self.jobs.dropAll() } }
    }

    var now: SchedulerTimeType { ImmediateScheduler.shared.now }
    var minimumTolerance: SchedulerTimeType.Stride { .zero }

    func schedule(options: Never?, _ action: @escaping () -> Void) { add(action) }

    func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) {
        add(action)
    }

    func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: Never?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        add(action)
        return AnyCancellable {}
    }

    private func add(_ action: @escaping () -> Void) { jobs.add(action) }

    func perform(waits: Int = 1, atMost limit: Int = 20) { jobs.perform(waits: waits, atMost: limit) }
}

/// The hub of a subject.
func hub<T>(_ subject: PassthroughSubject<T, Never>) -> Hub<T, Never> {
    Mirror(reflecting: subject).descendant("hub") as! Hub<T, Never>
}
