import HeadgateCore
import Synchronization
import HeadgateTesting

/// One thread sends while others subscribe, request and cancel: it must deliver every value itself, before `send`
/// returns.
struct SendingFromOneThread<S: Subject<Int, VerificationFailure>> {
    private typealias Listener = StressSubscriber<Int, VerificationFailure>

    /// The thread that has delivered a value; zero if it has not been delivered.
    private final class Place: Sendable {
        private let thread = Atomic<UInt>(0)

        var current: UInt { thread.load(ordering: .acquiring) }

        func noteThread() { thread.store(ThreadIdentity.current.rawValue, ordering: .releasing) }
    }

    let subject: S
    let effort: StressEffort
    let plan: StressPlan

    /// Runs the threads.
    func run() -> StressFinding {
        let deliveries = (0..<effort.values).map { _ in Place() }
        let steady = Listener(
            timeout: effort.timeout,
            onValue: {
                guard deliveries.indices.contains($0 - 1) else { return }
                deliveries[$0 - 1].noteThread()
            })
        subject.subscribe(steady)
        steady.request(.unlimited)
        let joiners = (0..<2).map { _ in Place() }
        var breaches: [Breach] = []
        var threads: [() -> Void] = [{ breaches = send(deliveries, joiners) }]
        for (number, joiner) in joiners.enumerated() {
            threads.append {
                joiner.noteThread()
                comeAndGo(plan.yielder(5 + number))
            }
        }
        if !runSideBySide(threads, timeout: effort.timeout) { return .stuck }
        subject.send(completion: .finished)
        return StressFinding(breaches: breaches + steady.breaches)
    }

    private func send(_ deliveries: [Place], _ joiners: [Place]) -> [Breach] {
        let yielder = plan.yielder(4)
        let sender = ThreadIdentity.current.rawValue
        var overdue: [Place] = []
        var breaches: [Breach] = []
        func check(_ delivery: Place) {
            let deliverer = delivery.current
            if deliverer == sender || deliverer == 0 { return }
            if joiners.contains(where: { $0.current == deliverer }) {
                breaches.append(
                    Breach(.onlySendersDeliver, "a value was delivered by a thread that only subscribes and cancels"))
            } else {
                breaches.append(Breach(.sendersThread, "a value was delivered by a thread other than its sender"))
            }
        }
        for (index, delivery) in deliveries.enumerated() {
            yielder.pause()
            let isPrompt = SendersBound.isKept { subject.send(index + 1) }
            // After a longer wait the sender may have left the value to another thread.
            if !isPrompt { continue }
            check(delivery)
            if delivery.current == 0 { overdue.append(delivery) }
        }
        if overdue.isEmpty { return breaches }
        breaches.append(Breach(.sendersThread, "a value was not delivered when send had returned"))
        waitUntil(timeout: 100) { overdue.allSatisfy { $0.current != 0 } }
        for delivery in overdue { check(delivery) }
        return breaches
    }

    /// Subscribes and cancels repeatedly.
    private func comeAndGo(_ yielder: ThreadYielder) {
        for _ in 0..<effort.values {
            let visitor = Listener(timeout: effort.timeout)
            subject.subscribe(visitor)
            visitor.request(.max(2))
            yielder.pause()
            visitor.cancel()
        }
    }
}
