import HeadgateCore
import Synchronization
import HeadgateTesting

/// The probe subscriber of stress tests.
///
/// It takes no lock, because a lock here would order deliveries that the publisher had left unordered.
final class StressSubscriber<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    // State that deliveries write is accessed by one at a time: a concurrent one is recorded and rejected. The rest is
    // atomic.

    private final class Box: Sendable {
        nonisolated(unsafe) let subscription: any Subscription

        init(_ subscription: any Subscription) { self.subscription = subscription }
    }

    /// The activity under way; that of a delivery is the number of its thread, which is greater than these.
    private enum Phase {
        static var idle: UInt { 0 }
        static var reading: UInt { 1 }
    }

    private var received: [String] = []
    private var end: String?

    private let reaction: (Int) -> Reaction
    private let onValue: (Input) -> Void
    private let timeout: Int
    private let box = LazyReference<Box>()
    private let requestedCount = Atomic(0)
    private let receivedCount = Atomic(0)
    private let phase = Atomic(Phase.idle)
    private let hasEnded = Atomic(false)
    private let hasCancelled = Atomic(false)
    private let mayReceiveOneMore = Atomic(true)
    private var hasCancelledInside = false

    // Written first by every delivery: if the publisher does not order deliveries, ThreadSanitizer reports a race here.
    private var raceDetector = 0

    private let yielder: ThreadYielder

    // Guarded by a lock, which is only taken after a breach.
    private let breachesSeen = Guarded<[Breach]>([])

    /// Creates a subscriber.
    ///
    /// - Parameters:
    ///   - timeout: The milliseconds to wait for a call on another thread.
    ///   - yielder: Random pauses inside deliveries.
    ///   - reaction: The reaction to a value, counted from zero, inside its delivery.
    ///   - onValue: Called inside the delivery before that.
    init(
        timeout: Int, yielder: ThreadYielder = ThreadYielder(seed: 0),
        reaction: @escaping (Int) -> Reaction = { _ in .nothing },
        onValue: @escaping (Input) -> Void = { _ in }
    ) {
        self.timeout = timeout
        self.yielder = yielder
        self.reaction = reaction
        self.onValue = onValue
    }

    var breaches: [Breach] { breachesSeen.withLock { $0 } }
    var subscription: (any Subscription)? { box.existing?.subscription }

    /// The total demand requested, where "unlimited" counts as a number that no test reaches.
    var requested: Int { requestedCount.load(ordering: .relaxed) }

    /// Whether it has cancelled.
    var isCancelled: Bool { hasCancelled.load(ordering: .relaxed) }

    /// Asserts that no call is under way any more: from now on nothing may arrive after `cancel()`.
    func expectQuiet() { mayReceiveOneMore.store(false, ordering: .sequentiallyConsistent) }

    func request(_ demand: Subscribers.Demand) {
        guard let subscription else { return }
        count(demand)
        subscription.request(demand)
    }

    func cancel() {
        guard let subscription else { return }
        subscription.cancel()
        // The call that is under way now is the one that may still arrive; if it began before, it does not check.
        if phase.load(ordering: .sequentiallyConsistent) > Phase.reading {
            mayReceiveOneMore.store(false, ordering: .sequentiallyConsistent)
        }
        hasCancelled.store(true, ordering: .sequentiallyConsistent)
    }

    func receive(subscription: any Subscription) {
        let new = Box(subscription)
        if box.value({ new }) !== new { add(.oneSubscription, "a second subscription") }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        let index = receivedCount.add(1, ordering: .relaxed).oldValue
        if index >= requested { add(.valuesAgainstDemand, "a value without demand") }
        if hasEnded.load(ordering: .relaxed) { add(.silenceAfterTheEnd, "a value after the completion") }
        guard enter("a value") else { return .none }
        defer { leave() }
        received.append(wording(of: input))
        yielder.pause()
        onValue(input)
        return react(reaction(index))
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        if hasEnded.exchange(true, ordering: .relaxed) { add(.oneCompletion, "a second completion") }
        guard enter("a completion") else { return }
        defer { leave() }
        end = wording(of: completion)
    }

    /// - Returns: Whether no other call is under way.
    private func enter(_ what: String) -> Bool {
        raceDetector &+= 1
        // Read before the phase changes, so that a concurrent cancellation does not count as earlier.
        let wasCancelled = hasCancelled.load(ordering: .sequentiallyConsistent)
        let thread = ThreadIdentity.current.rawValue
        var found = Phase.reading
        while found == Phase.reading {
            found =
                phase.compareExchange(expected: Phase.idle, desired: thread, ordering: .sequentiallyConsistent).original
        }
        if found != Phase.idle {
            if found == thread {
                add(.noNestedValues, "\(what) inside another call")
            } else {
                add(.oneCallAtATime, "\(what) while another call is under way")
            }
            return false
        }
        if box.existing == nil { add(.oneSubscription, "\(what) before the subscription") }
        if hasCancelledInside { add(.cancelStopsDelivery, "\(what) after cancel() has returned in a delivery") }
        // The first may have been under way, unless another call was.
        if wasCancelled, !mayReceiveOneMore.exchange(false, ordering: .sequentiallyConsistent) {
            add(.cancelElsewhere, "\(what) long after cancel() on another thread")
        }
        return true
    }

    private func leave() { phase.store(Phase.idle, ordering: .releasing) }

    private func react(_ reaction: Reaction) -> Subscribers.Demand {
        let answer = reaction.carryOut(timeout: timeout, request: request, cancel: cancel, report: add)
        if reaction == .cancel || reaction == .cancelElsewhere { hasCancelledInside = true }
        if answer > .none { count(answer) }
        return answer
    }

    private func count(_ demand: Subscribers.Demand) {
        requestedCount.add(demand.max ?? 1 << 40, ordering: .relaxed)
    }

    private func add(_ rule: Rule, _ finding: String) { add(Breach(rule, finding)) }

    private func add(_ breach: Breach) { breachesSeen.withLock { $0.append(breach) } }
}

extension StressSubscriber {
    /// The received values as text.
    var values: [String] { read { received } }

    /// The completion as text.
    var ending: String? { read { end } }

    /// The number of values received.
    var valueCount: Int { read { received.count } }

    /// Whether a completion has been received.
    var hasCompleted: Bool { ending != nil }

    /// Reads state that deliveries write, which may still be running on a publisher's own threads.
    private func read<Result>(_ body: () -> Result) -> Result {
        let isMine = waitUntil(timeout: timeout) {
            phase.compareExchange(expected: Phase.idle, desired: Phase.reading, ordering: .acquiring).exchanged
        }
        defer { if isMine { phase.store(Phase.idle, ordering: .releasing) } }
        return body()
    }

    /// The last received values and the completion.
    var timeLine: TimeLine {
        var line = TimeLine()
        let shown = values.suffix(16)
        for (index, value) in shown.enumerated() { line.append(.value(value), to: .values, at: 2 * index) }
        if let ending {
            line.append(ending == "finished" ? .finish : .failure, to: .values, at: 2 * shown.count)
        }
        return line
    }
}
