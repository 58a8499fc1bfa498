import HeadgateCore

/// A subject under test with everything that one run needs.
struct Rig<Output, Failure: Error> {
    /// Connects a subscriber.
    let attach: (Examiner<Output, Failure>) -> Void

    /// Performs a move of the source; answers whether anything was possible.
    ///
    /// `nil` where the source acts by itself.
    var source: ((Move) -> Bool)?

    /// How many upstreams the source has.
    var sourceCount = 1

    /// The scheduler that the verifier moves on, if the subject works with one.
    var clock: TestScheduler?

    /// How many pieces of work are done at a time, for there may be timers that go on for ever.
    var workLimit = 50

    /// Waits for threads that the verifier does not steer.
    var waitForThreads: () -> Void = {}

    /// Lets go of the publisher, which may keep a timer of its own that has nothing to do with any stream.
    var letGoOfPublisher: () -> Void = {}

    /// Looks for breaches on other edges at the end of a run.
    var inspect: (Outcome) -> [Breach] = { _ in [] }

    /// How often upstream was asked for values by `request(_:)`.
    var askCount: () -> Int = { 0 }

    /// Hears that the stream has ended.
    var completionWasHeard: () -> Void = {}

    /// Whether the stream has ended before its upstream did.
    var hasEndedEarly: () -> Bool = { false }

    /// Whether everything that an upstream had handed out was let go of.
    var hasReleasedUpstream: () -> Bool = { true }
}

extension Rig {
    /// Has every upstream send, and answers whether any could.
    @discardableResult func send() -> Bool {
        guard let source else { return false }
        // Each of them, whatever the others answer.
        return (0..<sourceCount).filter { source(.send(from: $0)) }.isEmpty == false
    }

    /// Has every upstream finish.
    func finish() {
        for number in 0..<sourceCount { _ = source?(.finish(number)) }
    }

    /// Does what is due, without moving the clock.
    func runDue() {
        waitForThreads()
        clock?.runDue()
    }

    /// Lets time pass until nothing waits any more.
    func letTimePass() {
        waitForThreads()
        clock?.runUntilIdle(limit: workLimit)
    }

    /// Looks for timers that go on though the stream is over; nothing can be done with the publisher any more.
    func findTimersLeftBehind() -> Breach? {
        letGoOfPublisher()
        letTimePass()
        guard let timer = clock?.unfinished.first else { return nil }
        return Breach(.letsGo, "a timer goes on when the stream is over (\(timer))")
    }
}

/// When work on a scheduler is done.
enum Pace {
    /// After every move, whatever its moment.
    case atOnce

    /// After every move, if it is due; the clock stands still.
    case whenDue

    /// Where the script waits.
    case onWaiting
}
