@preconcurrency import Dispatch
import HeadgateEngine

/// Where one stream makes its system calls and delivers: a serial queue of its own, so that a call that waits holds up
/// nobody else's stream.
package struct DeliveryQueue: Sendable {
    /// Keeps the threads apart that bring work, where it runs on them.
    // Nothing but an atomic word; hence unchecked.
    private final class Turns: @unchecked Sendable {
        let drain = Drain()
    }

    private enum Place {
        case own(DispatchQueue)
        #if os(Linux)
            case shared(SerialJobs)
        #endif
        case callers(Turns)
    }

    private let place: Place

    /// A queue for calls that may wait for a disk or a device; Dispatch gives it a thread of its own while it works.
    package static func waiting(_ label: String) -> DeliveryQueue {
        DeliveryQueue(place: .own(DispatchQueue(label: "headgate.\(label)")))
    }

    /// A queue for calls that never wait, which shares the threads of all such queues, about as many as there are processors.
    package static func sharing(_ label: String) -> DeliveryQueue {
        #if os(Linux)
            DeliveryQueue(place: .shared(SerialJobs()))
        #else
            DeliveryQueue(place: .own(DispatchQueue(label: "headgate.\(label)", target: .global())))
        #endif
    }

    /// Runs everything in the caller's turn and on its thread, for tests of what never waits.
    package static var immediate: DeliveryQueue { DeliveryQueue(place: .callers(Turns())) }

    /// Runs work after the work that was brought before.
    package func run(_ work: @escaping @Sendable () -> Void) {
        switch place {
        case .own(let queue): queue.async(execute: work)
        #if os(Linux)
            case .shared(let jobs): jobs.run(work)
        #endif
        case .callers(let turns): turns.drain.run(work)
        }
    }

    /// Runs work, brought by the work that runs now, after other streams on the same threads have had a turn.
    package func runLater(_ work: @escaping @Sendable () -> Void) {
        #if os(Linux)
            if case .shared(let jobs) = place { return jobs.runLater(work) }
        #endif
        run(work)
    }

    /// Runs work after the time, and after the work that was brought until then.
    package func run(afterMilliseconds time: Int, _ work: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(time)) { run(work) }
    }

    #if os(Linux)
        /// Whether the thread that brings an event may do the work itself.
        var takesEventsWhereTheyCome: Bool {
            if case .shared = place { true } else { false }
        }

        /// Does what an event has brought, on the calling thread where that may be and nobody is at work.
        func runHere(_ work: @escaping @Sendable () -> Void) {
            if case .shared(let jobs) = place { jobs.runHere(work) } else { runAfterEvent(work) }
        }

        /// Does what an event has brought, on another thread.
        func runAfterEvent(_ work: @escaping @Sendable () -> Void) {
            if case .callers = place { return DispatchQueue.global().async { self.run(work) } }
            run(work)
        }
    #else
        /// Where an event source calls back.
        var events: DispatchQueue {
            if case .own(let queue) = place { queue } else { DispatchQueue(label: "headgate.events") }
        }
    #endif
}
