import Dispatch
import HeadgateCore
import HeadgateLibC
import Synchronization

/// Runs closures concurrently, each on a thread of its own, and waits until they return.
///
/// The threads start together. ThreadSanitizer follows them, which it can't do with those of a dispatch queue.
///
/// - Parameters:
///   - bodies: The closures. The caller is responsible for the state they share.
///   - timeout: The number of milliseconds to wait without progress, twice on a machine that is busy or if a thread
///     hangs.
///   - progress: A number that grows while the closures make progress.
/// - Returns: Whether all have returned. A thread that hangs is abandoned, because it can't be ended.
package func runSideBySide(_ bodies: [() -> Void], timeout: Int, progress: () -> Int = { 0 }) -> Bool {
    let group = DispatchGroup()
    let meetings = Meetings(threadCount: bodies.count)
    let threads = bodies.map { body in
        group.enter()
        return Thread {
            meetings.wait(before: 0)
            body()
            group.leave()
        }
    }
    var last = progress()
    while !wait(for: group, timeout: timeout) {
        let current = progress()
        if current == last {
            for thread in threads { thread.leaveBehind() }
            return false
        }
        last = current
    }
    // ThreadSanitizer knows the order that this establishes.
    for thread in threads { thread.join() }
    return true
}

/// Waits until the threads of a group have returned, or have had that many milliseconds in which they could run.
private func wait(for group: DispatchGroup, timeout: Int) -> Bool {
    if group.wait(timeout: .now() + .milliseconds(timeout)) == .success { return true }
    // A busy machine may have run none of them. Once it has run a thread that starts after them, their time begins again.
    Thread { for _ in 0..<8 { sched_yield() } }.join()
    return group.wait(timeout: .now() + .milliseconds(timeout)) == .success
}

/// A place where threads wait for each other before each of several pieces of work, unless one of them hangs.
package final class Meetings: Sendable {
    private let threadCount: Int
    private let arrivals = Atomic(0)
    private let hasGivenUp = Atomic(false)

    package init(threadCount: Int) { self.threadCount = threadCount }

    /// Whether threads should return, because one of them hangs.
    package var isOver: Bool { hasGivenUp.load(ordering: .relaxed) }

    package func giveUp() { hasGivenUp.store(true, ordering: .relaxed) }

    /// Waits until all threads have come to a piece of work, counted from zero.
    package func wait(before number: Int) {
        arrivals.add(1, ordering: .acquiringAndReleasing)
        let expected = (number + 1) * threadCount
        while arrivals.load(ordering: .acquiring) < expected, !isOver { sched_yield() }
    }
}

private struct Thread {
    private final class Task {
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }

    private let handle: pthread_t?

    init(_ body: @escaping () -> Void) {
        #if canImport(Darwin)
            var handle: pthread_t?
        #else
            var handle = pthread_t()
        #endif
        let task = Unmanaged.passRetained(Task(body))
        let code = pthread_create(
            &handle, nil,
            { task in
                let task: UnsafeMutableRawPointer? = task
                if let task { Unmanaged<Task>.fromOpaque(task).takeRetainedValue().body() }
                return nil
            }, task.toOpaque())
        if code != 0 {
            task.release()
            programmerError(
                rule: "A test needs threads.", found: "pthread_create returned \(code)",
                remedy: "Run fewer tests at the same time.")
        }
        self.handle = handle
    }

    func join() { if let handle { pthread_join(handle, nil) } }

    func leaveBehind() { if let handle { pthread_detach(handle) } }
}
