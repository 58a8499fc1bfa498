@preconcurrency import Dispatch

/// Where one stream makes its system calls and delivers: a serial queue of its own, so that a call that waits holds up
/// nobody else's stream.
package struct DeliveryQueue: Sendable {
    /// The queue on which event sources call back.
    package let queue: DispatchQueue

    private let runsAtOnce: Bool

    private init(_ queue: DispatchQueue, runsAtOnce: Bool) {
        self.queue = queue
        self.runsAtOnce = runsAtOnce
    }

    /// A queue for calls that may wait for a disk or a device; Dispatch gives it a thread of its own while it works.
    package static func waiting(_ label: String) -> DeliveryQueue {
        DeliveryQueue(DispatchQueue(label: "headgate.\(label)"), runsAtOnce: false)
    }

    /// A queue for calls that never wait, which shares the threads of Dispatch, as many as there are processors.
    package static func sharing(_ label: String) -> DeliveryQueue {
        DeliveryQueue(DispatchQueue(label: "headgate.\(label)", target: .global()), runsAtOnce: false)
    }

    /// Runs everything before `run` returns, on the thread that calls it, for tests of what never waits.
    package static var immediate: DeliveryQueue {
        DeliveryQueue(DispatchQueue(label: "headgate.immediate"), runsAtOnce: true)
    }

    /// Runs work after the work that was brought before.
    package func run(_ work: @escaping @Sendable () -> Void) {
        if runsAtOnce { work() } else { queue.async(execute: work) }
    }
}
