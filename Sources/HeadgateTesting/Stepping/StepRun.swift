import Dispatch
import HeadgateCore

/// Runs the steps of a step verifier, and tracks which values have been expected.
struct StepRun<Output: Equatable, Failure: Error> {
    let subscriber: TestSubscriber<Output, Failure>
    private let scheduler: TestScheduler?
    private let timeout: Int
    private let arrivals: Arrivals
    private var consumed = 0
    private var hasConsumedEnd = false
    private var isCancelled = false
    private var isSkipped: ((Output) -> Bool)?

    /// The number of the last step that has begun, counted from one.
    private(set) var number = 0

    private var isWaiting = false

    /// How many events the step under way has received.
    private var matched = 0

    /// When the step under way stops waiting for its next event.
    private var deadline = DispatchTime.now()
    private var limit = 0

    /// Whether a step has expected nothing, of which a stream on other threads is no proof.
    private var hasExpectedNothing = false

    init(
        subscriber: TestSubscriber<Output, Failure>, scheduler: TestScheduler?, timeout: Int, arrivals: Arrivals
    ) {
        self.subscriber = subscriber
        self.scheduler = scheduler
        self.timeout = timeout
        self.arrivals = arrivals
    }

    /// Whether another thread may be about to return from its last call.
    var mayBeLate: Bool { arrivals.wereLater }

    /// Whether the stream has ended or was cancelled.
    var isOver: Bool { isCancelled || subscriber.completion != nil }

    private var unconsumed: ArraySlice<Output> { subscriber.values.dropFirst(consumed) }

    /// Goes on with the steps until one waits or has failed.
    mutating func goOn(with steps: [StepVerifier<Output, Failure>.Step]) -> StepProgress {
        var progress = isWaiting ? poll(steps[number - 1].action) : .finished(nil)
        while case .finished(nil) = progress, number < steps.count {
            number += 1
            progress = begin(steps[number - 1].action)
        }
        if case .pending = progress { isWaiting = true } else { isWaiting = false }
        return progress
    }

    /// Begins a step: does what it does at once.
    private mutating func begin(_ action: StepVerifier<Output, Failure>.Action) -> StepProgress {
        matched = 0
        var duration = timeout
        switch action {
        case .request(let demand): arrivals.duringAction { subscriber.request(demand) }
        case .advance(let stride): arrivals.duringAction { scheduler?.advance(by: stride) }
        case .perform(let action): arrivals.duringAction(action)
        case .send(let send): return .finished(arrivals.duringAction(send))
        case .cancel:
            arrivals.duringAction { subscriber.cancel() }
            isCancelled = true
        case .skip(let isSkipped): self.isSkipped = isSkipped
        case .expectNothing:
            hasExpectedNothing = true
            return .finished(findUnexpected() ?? findLuck())
        case .expectNothingFor(let milliseconds): duration = milliseconds
        case .expect, .expectCount, .expectFinish, .expectFailure: break
        }
        limit = duration
        deadline = .now() + .milliseconds(duration)
        return poll(action)
    }

    /// Looks whether what a step waits for has arrived, or the time for it has passed.
    private mutating func poll(_ action: StepVerifier<Output, Failure>.Action) -> StepProgress {
        // Read before looking, so that the last look comes after the deadline.
        let isLate = DispatchTime.now() >= deadline
        let before = matched
        let progress = look(for: action)
        guard case .pending(let trouble) = progress else { return progress }
        if matched > before {
            deadline = .now() + .milliseconds(limit)
        } else if isLate {
            isSkipped = nil
            return .finished(trouble)
        }
        return progress
    }

    private mutating func look(for action: StepVerifier<Output, Failure>.Action) -> StepProgress {
        switch action {
        case .expect(let values): expect(values)
        case .expectCount(let count): expect(count)
        case .expectNothingFor: findUnexpected().map { .finished($0) } ?? .pending(nil)
        case .expectFinish:
            expectEnd("the stream to finish") { if case .finished = $0 { true } else { false } }
        case .expectFailure(let description, let isExpected):
            expectEnd("the stream to fail with \(description)") {
                if case .failure(let error) = $0 { isExpected(error) } else { false }
            }
        case .request, .advance, .perform, .send, .cancel, .skip, .expectNothing: .finished(nil)
        }
    }

    /// A value that no step has expected yet, and whether none can follow if there is none.
    private mutating func next() -> (value: Output?, isLast: Bool) {
        // Read before the values: what precedes it has arrived then.
        let hasEnded = subscriber.completion != nil
        let next = skip().first
        if next != nil || hasEnded { isSkipped = nil }
        return (next, hasEnded)
    }

    /// Consumes the values that a step skips, and returns those after them, of what had arrived when it was called.
    private mutating func skip() -> ArraySlice<Output> {
        let arrived = unconsumed
        guard let isSkipped else { return arrived }
        let rest = arrived.drop(while: isSkipped)
        consumed += arrived.count - rest.count
        return rest
    }

    private mutating func consume() {
        consumed += 1
        matched += 1
    }

    private mutating func expect(_ values: [StepVerifier<Output, Failure>.Expectation]) -> StepProgress {
        for (description, isExpected) in values.dropFirst(matched) {
            let (next, isLast) = next()
            guard let next else { return missing("expected \(description), but \(whatCameInstead)", isLast) }
            if !isExpected(next) { return .finished("expected \(description), but received \(next)") }
            consume()
        }
        return .finished(nil)
    }

    private mutating func expect(_ count: Int) -> StepProgress {
        while matched < count {
            let (next, isLast) = next()
            if next == nil {
                return missing("expected \(count) values, but after \(matched) \(whatCameInstead)", isLast)
            }
            consume()
        }
        return .finished(nil)
    }

    private mutating func expectEnd(
        _ description: String, _ isExpected: (Subscribers.Completion<Failure>) -> Bool
    ) -> StepProgress {
        if let next = next().value { return .finished("expected \(description), but received \(next)") }
        guard let completion = subscriber.completion else {
            return .pending("expected \(description), but received nothing")
        }
        // It may have come after the values were read.
        if let next = next().value { return .finished("expected \(description), but received \(next)") }
        if !isExpected(completion) { return .finished("expected \(description), but \(whatCameInstead)") }
        hasConsumedEnd = true
        return .finished(nil)
    }

    private func missing(_ trouble: String, _ isLast: Bool) -> StepProgress {
        isLast ? .finished(trouble) : .pending(trouble)
    }

    private var whatCameInstead: String {
        switch subscriber.completion {
        case .finished: "the stream finished"
        case .failure(let error): "the stream failed with \(error)"
        case nil: "received nothing"
        }
    }

    private func findUnexpected() -> String? {
        if let next = unconsumed.first { return "expected nothing, but received \(next)" }
        if subscriber.completion != nil, !hasConsumedEnd { return "expected nothing, but \(whatCameInstead)" }
        return nil
    }

    /// What passed only because no thread had delivered yet.
    private func findLuck() -> String? {
        if !hasExpectedNothing { return nil }
        if arrivals.areAwaited, scheduler == nil {
            return "expectNothing() can't be sure of a stream that is awaited: use expectNothing(for:)"
        }
        return arrivals.wereLater
            ? "expectNothing() can't be sure of a stream that delivers on other threads: use expectNothing(for:)" : nil
    }

    /// The values, completions and timers that no step expected, after all steps have run.
    mutating func findLeftovers() -> [String] {
        let unexpected = skip()
        var leftovers = subscriber.breaches.map(\.description)
        if let luck = findLuck() { leftovers.append(luck) }
        if !unexpected.isEmpty {
            leftovers.append("not expected: \(unexpected.map { "\($0)" }.joined(separator: ", "))")
        }
        if subscriber.completion != nil, !hasConsumedEnd { leftovers.append("not expected: \(whatCameInstead)") }
        if !isOver { leftovers.append("the stream was left open: end the steps with a completion or cancel()") }
        if isOver, let scheduler {
            leftovers += scheduler.unfinished.map { "a timer was left pending \($0)" }
        }
        return leftovers
    }
}

/// What became of a step.
enum StepProgress {
    /// It has succeeded, or failed as described.
    case finished(String?)

    /// It waits, and will have failed as described if nothing arrives.
    case pending(String?)
}

/// How events have arrived: inside what the verifier did, or some time later.
final class Arrivals: Sendable {
    private let state = Guarded((actor: ThreadIdentity?.none, wereLater: false))

    /// Whether the verifier suspends while it waits.
    let areAwaited: Bool

    init(areAwaited: Bool) { self.areAwaited = areAwaited }

    /// Runs an action of the verifier, inside which events may arrive.
    func duringAction<Result>(_ action: () -> Result) -> Result {
        state.withLock { $0.actor = .current }
        defer { state.withLock { $0.actor = nil } }
        return action()
    }

    /// Records that an event has arrived on the calling thread.
    func note() { state.withLock { if $0.actor != .current { $0.wereLater = true } } }

    /// Whether one has arrived on another thread than the one that acts, or when the verifier was only waiting.
    var wereLater: Bool { state.withLock { $0.wereLater } }
}
