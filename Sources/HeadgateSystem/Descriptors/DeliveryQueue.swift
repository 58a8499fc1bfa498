@preconcurrency import Dispatch
import HeadgateEngine

/// Where one stream makes its system calls and delivers: a serial queue of its own, so that a call that waits holds up
/// nobody else's stream.
package struct DeliveryQueue: Sendable {
    /// The queue on which event sources call back.
    package let queue: DispatchQueue

    /// Keeps the threads apart that bring work, where it runs on them.
    // Nothing but an atomic word; hence unchecked.
    private final class Turns: @unchecked Sendable {
        let drain = Drain()
    }

    private let turns: Turns?

    private init(_ queue: DispatchQueue, turns: Turns? = nil) {
        self.queue = queue
        self.turns = turns
    }

    /// A queue for calls that may wait for a disk or a device; Dispatch gives it a thread of its own while it works.
    package static func waiting(_ label: String) -> DeliveryQueue {
        DeliveryQueue(DispatchQueue(label: "headgate.\(label)"))
    }

    /// A queue for calls that never wait, which shares the threads of Dispatch, as many as there are processors.
    package static func sharing(_ label: String) -> DeliveryQueue {
        DeliveryQueue(DispatchQueue(label: "headgate.\(label)", target: .global()))
    }

    /// Runs everything in the caller's turn and on its thread, for tests of what never waits.
    package static var immediate: DeliveryQueue {
        DeliveryQueue(DispatchQueue(label: "headgate.immediate"), turns: Turns())
    }

    /// Runs work after the work that was brought before.
    package func run(_ work: @escaping @Sendable () -> Void) {
        if let turns { turns.drain.run(work) } else { queue.async(execute: work) }
    }
}
