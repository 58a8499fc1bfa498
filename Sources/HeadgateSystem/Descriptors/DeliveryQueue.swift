@preconcurrency import Dispatch
import HeadgateEngine

/// Where one stream makes its system calls and delivers: a serial queue per stream, so that a call that blocks delays
/// no other stream.
package struct DeliveryQueue: Sendable {
    /// Serializes the threads that enqueue work, for a queue that runs it on them.
    // Its only state is an atomic word.
    private final class Turns: @unchecked Sendable {
        let drain = Drain()
    }

    private enum Place {
        #if os(Linux)
            case shared(SerialJobs)
            case waiting(SerialJobs)
        #else
            case own(DispatchQueue)
        #endif
        case callers(Turns)
    }

    private let place: Place

    /// A queue for calls that may block on a disk or a device; it has a thread of its own while it works.
    package static func waiting(_ label: String) -> DeliveryQueue {
        #if os(Linux)
            DeliveryQueue(place: .waiting(SerialJobs(on: .waiting)))
        #else
            DeliveryQueue(place: .own(DispatchQueue(label: "headgate.\(label)")))
        #endif
    }

    /// A queue for calls that never block, which shares the threads of all such queues, about one per processor.
    package static func sharing(_ label: String) -> DeliveryQueue {
        #if os(Linux)
            DeliveryQueue(place: .shared(SerialJobs(on: .shared)))
        #else
            DeliveryQueue(place: .own(DispatchQueue(label: "headgate.\(label)", target: .global())))
        #endif
    }

    /// Runs work on the caller's thread, for tests of calls that never block.
    package static var immediate: DeliveryQueue { DeliveryQueue(place: .callers(Turns())) }

    /// Runs work after all work enqueued earlier.
    package func run(_ work: @escaping @Sendable () -> Void) {
        switch place {
        #if os(Linux)
            case .shared(let jobs), .waiting(let jobs): jobs.run(work)
        #else
            case .own(let queue): queue.async(execute: work)
        #endif
        case .callers(let turns): turns.drain.run(work)
        }
    }

    /// Runs work after a delay, and after all work enqueued until then.
    package func run(afterMilliseconds time: Int, _ work: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(time)) { run(work) }
    }

    #if os(Linux)
        /// The jobs of a queue whose calls never block.
        private var sharedJobs: SerialJobs? {
            if case .shared(let jobs) = place { jobs } else { nil }
        }

        /// Takes the queue for the calling thread if it is idle and its calls never block.
        ///
        /// - Returns: Whether it is taken: then `leave` must be called, soon.
        package func enter() -> Bool { sharedJobs?.enter() ?? false }

        /// Gives back the queue that `enter` has taken.
        package func leave() { sharedJobs?.leave() }

        /// Runs work, enqueued by the job that runs now, after other streams on the same threads have had a turn.
        package func runLater(_ work: @escaping @Sendable () -> Void) {
            if let jobs = sharedJobs { jobs.runLater(work) } else { run(work) }
        }

        /// Whether the thread that receives an event may run the work itself.
        var takesEventsWhereTheyCome: Bool { sharedJobs != nil }

        /// Runs the work for an event on the calling thread if that is allowed and the queue is idle.
        func runHere(_ work: @escaping @Sendable () -> Void) {
            if let jobs = sharedJobs { jobs.runHere(work) } else { runAfterEvent(work) }
        }

        /// Runs the work for an event on another thread.
        func runAfterEvent(_ work: @escaping @Sendable () -> Void) {
            if case .callers = place { return DispatchQueue.global().async { self.run(work) } }
            run(work)
        }
    #else
        package func enter() -> Bool { false }

        package func leave() {}

        package func runLater(_ work: @escaping @Sendable () -> Void) { run(work) }

        /// The queue on which an event source calls back.
        var events: DispatchQueue {
            if case .own(let queue) = place { queue } else { DispatchQueue(label: "headgate.events") }
        }
    #endif
}
