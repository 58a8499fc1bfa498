import Dispatch
import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification

/// Bridges to callbacks that don't look whether they were cancelled, and what hides behind a lock.
enum BadCallbacks {
    /// A publisher of one value, which a closure starts to produce at the first request.
    ///
    /// - Parameter start: Is given the callback.
    private static func bridge(_ start: @escaping (@escaping @Sendable () -> Void) -> Void) -> ClosurePublisher {
        ClosurePublisher { visitor in visitor.receive(subscription: Bridge(visitor, start: start)) }
    }

    private final class Bridge: Subscription, @unchecked Sendable {
        // Guarded by the lock.

        private let lock = NSLock()
        private var downstream: ClosurePublisher.Visitor?
        private let start: (@escaping @Sendable () -> Void) -> Void

        init(_ downstream: ClosurePublisher.Visitor, start: @escaping (@escaping @Sendable () -> Void) -> Void) {
            self.downstream = downstream
            self.start = start
        }

        func request(_ demand: Subscribers.Demand) {
            guard demand > .none, let visitor = lock.withLock({ downstream.take() }) else { return }
            start { _ = visitor.receive(1) }
        }

        func cancel() { _ = lock.withLock { downstream.take() } }
    }

    /// Holds a recursive lock while it delivers, and ignores the demand that is returned.
    private static var locksAndForgetsAnswers: ClosurePublisher {
        ClosurePublisher { visitor in
            let lock = NSRecursiveLock()
            let subscription = ClosureSubscription(visitor) { subscription, demand in
                lock.lock()
                defer { lock.unlock() }
                subscription.outstanding += demand
                if subscription.isServing { return }
                subscription.isServing = true
                while subscription.outstanding > .none, !subscription.values.isEmpty,
                    let downstream = subscription.downstream
                {
                    subscription.outstanding -= 1
                    _ = downstream.receive(subscription.values.removeFirst())
                }
                subscription.isServing = false
                if subscription.values.isEmpty { subscription.finish() }
            }
            visitor.receive(subscription: subscription)
        }
    }
}

extension BadCallbacks {
    static var exhibits: [Exhibit] {
        func bridge(
            _ name: String, _ fault: String, met place: String,
            _ start: @escaping (@escaping @Sendable () -> Void) -> Void
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: .cancelElsewhere) { _ in
                verify(
                    publisher: Self.bridge(start), [.hot, .asynchronous],
                    effort: Effort(depth: 2, systematicScripts: 20, randomScripts: 2))
            }
        }
        let queue = DispatchQueue(label: "callbacks")
        return [
            bridge(
                "callbackIgnoresCancel", "delivers the result of a callback although it was cancelled in the meantime",
                met: "wrappers of callbacks"
            ) { work in
                queue.asyncAfter(deadline: .now() + .milliseconds(2), execute: work)
            },
            bridge(
                "taskIgnoresCancel", "delivers the result of a task although it was cancelled in the meantime",
                met: "bridges to `async`"
            ) { work in
                Task {
                    await Task.yield()
                    work()
                }
            },
            bridge(
                "alarmIgnoresCancel", "delivers when its timer fires, which `cancel()` leaves running",
                met: "wrappers of system timers"
            ) { work in
                let timer = DispatchSource.makeTimerSource(queue: queue)
                timer.schedule(deadline: .now() + .milliseconds(2))
                timer.setEventHandler {
                    work()
                    timer.cancel()
                }
                timer.resume()
            },
            Exhibit(
                "locksAndForgetsAnswers",
                "holds a recursive lock, for which it is excused, and ignores returned demand",
                met: "publishers with a lock", breaks: .demandAddsUp
            ) { effort in
                // Does not wait long for the lock, which is known to be held.
                var brisk = effort
                brisk.timeout = 50
                return verify(publisher: locksAndForgetsAnswers, .finite, effort: brisk)
                    .excusing(.noLockHeld, because: "its lock is recursive")
            },
        ]
    }
}
