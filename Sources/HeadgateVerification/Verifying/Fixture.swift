import HeadgateCore
import HeadgateTesting

/// A subject under test with everything that one run needs.
struct Fixture<Output, Failure: Error> {
    /// Connects a subscriber.
    var attach: (any Subscriber<Output, Failure>) -> Void

    /// Performs an action of the source; returns whether it was possible.
    ///
    /// `nil` if the source acts by itself.
    var source: ((ScriptAction) -> Bool)?

    /// The number of upstreams.
    var upstreamCount = 1

    /// The scheduler that the verifier advances, if the subject uses one.
    var clock: TestScheduler?

    /// The maximum number of pieces of work per advance, because timers may repeat forever.
    var workLimit = 50

    /// Waits for threads that the verifier does not control.
    var waitForThreads: () -> Void = {}

    /// Whether no call of the publisher is in progress once it has waited for threads.
    var settles = false

    /// Releases the publisher, which may have a timer of its own that belongs to no stream.
    var releasePublisher: () -> Void = {}

    /// Checks other edges for breaches at the end of a run.
    var inspect: (_ hasEnded: Bool, _ isCancelled: Bool) -> [Breach] = { _, _ in [] }

    /// How often values were requested from upstream by `request(_:)`.
    var requestCount: () -> Int = { 0 }

    /// Called when the stream has completed.
    var onCompletion: () -> Void = {}

    /// Whether the stream has ended before its upstream did.
    var hasEndedEarly: () -> Bool = { false }

    /// Whether a subscription is that of an upstream, which an operator has handed down as it is.
    var isOfUpstream: (any Subscription) -> Bool = { _ in false }

    /// Whether everything that an upstream had sent was released.
    var hasReleasedUpstream: () -> Bool = { true }
}

extension Fixture {
    /// The number of upstreams that the verifier drives.
    var sourceCount: Int { source == nil ? 0 : upstreamCount }

    /// Lets every upstream send, and returns whether any could.
    @discardableResult func send() -> Bool {
        // Each of them, whatever the others return.
        (0..<sourceCount).filter { source?(.send(from: $0)) == true }.isEmpty == false
    }

    /// Lets every upstream finish, or fail.
    func finish(failing: Bool = false) {
        for number in 0..<sourceCount { _ = source?(failing ? .fail(number) : .finish(number)) }
    }

    /// Runs due work without advancing the clock.
    func runDue() {
        waitForThreads()
        clock?.runDue()
    }

    /// Lets time pass until nothing is pending.
    func letTimePass() {
        waitForThreads()
        clock?.runUntilIdle(limit: workLimit)
    }

    /// Checks for timers that continue after the stream has ended; the publisher can't be used afterwards.
    func findPendingTimers() -> Breach? {
        releasePublisher()
        letTimePass()
        guard let timer = clock?.unfinished.first else { return nil }
        return Breach(.releasesReferences, "a timer continues after the stream has ended (\(timer))")
    }
}

/// When work on a scheduler runs.
enum Pace {
    /// After every action, whatever its time.
    case atOnce

    /// After every action, if it is due; the clock stands still.
    case whenDue

    /// When the script waits.
    case onWaiting
}
