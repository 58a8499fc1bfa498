import Dispatch
import Foundation
import Headgate
import HeadgateTesting
import Synchronization

/// Things under test that end the process, each in a script of its verifier.
enum ScriptMistakes {
    static func make(_ mistake: Substring) {
        switch mistake {
        case "publisher": _ = verify(publisher: Mined(.none), .finite)
        case "another thread": _ = verify(publisher: Mined(.max(2), on: DispatchQueue(label: "mine")), .finite)
        case "abort": _ = verify(publisher: Mined(.none) { abort() }, .finite)
        case "stack": _ = verify(publisher: Mined(.none) { overflow(1) }, .finite)
        case "operator": _ = verify(operator: { MinedOperator(upstream: $0) }, .endsWithUpstream)
        case "subject": _ = verify(subject: MinedSubject())
        case "subscriber": _ = verify(subscriber: MinedSubscriber())
        case "scheduler": _ = verify(scheduler: { MinedScheduler() }, advance: { $0.clock.advance(by: $1) })
        case "stress": _ = stress(publisher: Mined(.max(1)), .finite)
        case "stress of a subscriber": _ = stress(subscriber: MinedSubscriber())
        case "steps": StepVerifier(Mined(.max(2))).request(1).request(2).verify { message, _, _ in print(message) }
        case "no script":
            verify(publisher: (1...3).publisher, .finite).check { message, _, _ in print(message) }
            verify(subject: PassthroughSubject()).check { message, _, _ in print(message) }
            explode()
        default: print("no mistake is called \(mistake)")
        }
    }
}

@Sendable private func explode() { preconditionFailure("a mine") }

/// Uses up the stack.
private func overflow(_ depth: Int) {
    var marker = depth
    withUnsafeMutablePointer(to: &marker) { overflow($0.pointee + 1) }
}

/// Counts to three, and ends the process at a request of a certain demand.
private struct Mined: Publisher, Sendable {
    typealias Output = Int
    typealias Failure = Never

    let demand: Subscribers.Demand
    let queue: DispatchQueue?
    let explosion: @Sendable () -> Void

    init(
        _ demand: Subscribers.Demand, on queue: DispatchQueue? = nil,
        explosion: @escaping @Sendable () -> Void = explode
    ) {
        self.demand = demand
        self.queue = queue
        self.explosion = explosion
    }

    func receive(subscriber: some Subscriber<Int, Never>) {
        (1...3).publisher
            .handleEvents(receiveRequest: { demand in
                if demand != self.demand { return }
                if let queue { queue.sync { explode() } } else { explosion() }
            })
            .subscribe(subscriber)
    }
}

/// Ends the process at a second subscription.
private struct MinedOperator: Publisher {
    let upstream: TestPublisher<Int, VerificationFailure>

    func receive(subscriber: some Subscriber<Int, VerificationFailure>) {
        let isSecond = Mutex(false)
        upstream.handleEvents(receiveSubscription: { _ in
            isSecond.withLock { if $0 { explode() } else { $0 = true } }
        }).subscribe(subscriber)
    }

    typealias Output = Int
    typealias Failure = VerificationFailure
}

/// Ends the process when a fifth subscriber comes.
private final class MinedSubject: Subject {
    typealias Output = Int
    typealias Failure = VerificationFailure

    private let subject = PassthroughSubject<Int, VerificationFailure>()
    private var count = 0

    func send(_ value: Int) { subject.send(value) }
    func send(completion: Subscribers.Completion<VerificationFailure>) { subject.send(completion: completion) }
    func send(subscription: any Subscription) { subject.send(subscription: subscription) }

    func receive(subscriber: some Subscriber<Int, VerificationFailure>) {
        count += 1
        if count == 5 { explode() }
        subject.receive(subscriber: subscriber)
    }
}

/// Ends the process at a failure.
private final class MinedSubscriber: Subscriber, Cancellable {
    typealias Input = Int
    typealias Failure = VerificationFailure

    private var subscription: (any Subscription)?

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        subscription.request(.unlimited)
    }

    func receive(_ input: Int) -> Subscribers.Demand { .none }

    func receive(completion: Subscribers.Completion<VerificationFailure>) {
        if case .failure = completion { explode() }
    }

    func cancel() { subscription?.cancel() }
}

/// Ends the process when a tolerance is given.
private final class MinedScheduler: Scheduler {
    typealias SchedulerOptions = Never

    let clock = TestScheduler()

    var now: TestTime { clock.now }
    var minimumTolerance: TestTime.Stride { .zero }

    func schedule(options: Never?, _ action: @escaping StreamClosure<Void>) { clock.schedule(action) }

    func schedule(
        after date: TestTime, tolerance: TestTime.Stride, options: Never?, _ action: @escaping StreamClosure<Void>
    ) {
        if tolerance > .zero { explode() }
        clock.schedule(after: date, action)
    }

    func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride, options: Never?,
        _ action: @escaping StreamClosure<Void>
    ) -> any Cancellable { clock.schedule(after: date, interval: interval, action) }
}
