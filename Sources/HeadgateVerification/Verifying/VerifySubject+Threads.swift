import Dispatch
import HeadgateCore
import HeadgateTesting

extension SubjectVerifier {
    /// Sends while another thread is subscribing and stays in `receive(subscription:)`: the sending thread must deliver
    /// the value, before `send` returns.
    func probeSendersThread() -> [Finding] {
        let subject = make()
        let log = Guarded(ThreadLog())
        let first = Listener(.unlimited) { _, value in
            if value == 1001 { log.withLock { $0.deliverer = .current } }
        }
        let scene = Scene(
            "subscribe and request everything; on another thread: subscribe, and in receive(subscription:): send",
            subject, [first])
        let newcomer = AnySubscriber<Int, VerificationFailure>(
            receiveSubscription: serially { _ in
                log.withLock { $0.joiner = .current }
                waitUntil(timeout: effort.timeout) { log.withLock { $0.sender != nil } }
            }, receiveValue: { _ in .none }, receiveCompletion: { _ in })
        let isBack = runSideBySide(
            [
                { subject.subscribe(newcomer) },
                {
                    waitUntil(timeout: effort.timeout) { log.withLock { $0.joiner != nil } }
                    let isPrompt = SendersBound.isKept { subject.send(1001) }
                    log.withLock { log in
                        log.sender = .current
                        log.isExcused = !isPrompt
                        log.wasDeliveredInTime = log.deliverer != nil
                    }
                },
            ], timeout: 2 * effort.timeout)
        if !isBack {
            return [scene.broken(.noLockHeld, "send(_:) waits for receive(subscription:) on another thread to return")]
        }
        defer { subject.send(completion: .finished) }
        let seen = log.withLock { $0 }
        if seen.isExcused { return [] }
        var findings: [Finding] = []
        if !seen.wasDeliveredInTime {
            findings.append(scene.broken(.sendersThread, "the value was not delivered when send had returned"))
        }
        if let deliverer = seen.deliverer, deliverer != seen.sender {
            let isOfJoiner = deliverer == seen.joiner
            let finding = "the value was delivered by \(isOfJoiner ? "the thread that subscribed" : "another thread")"
            findings.append(scene.broken(isOfJoiner ? .onlySendersDeliver : .sendersThread, finding))
        }
        return findings
    }

    private struct ThreadLog {
        /// The thread that has sent.
        var sender: ThreadIdentity?

        /// The thread that is inside `receive(subscription:)`.
        var joiner: ThreadIdentity?

        var deliverer: ThreadIdentity?
        var wasDeliveredInTime = false
        var isExcused = false
    }
}

/// How long a sender may wait for its turn before it leaves its value to another thread: rule 3.6.
enum SendersBound {
    static let nanoseconds: UInt64 = 1_000_000

    /// Sends, and returns whether that took less than the bound, so that the value must have been delivered.
    static func isKept(_ send: () -> Void) -> Bool {
        let start = DispatchTime.now().uptimeNanoseconds
        send()
        return DispatchTime.now().uptimeNanoseconds - start < nanoseconds
    }
}
