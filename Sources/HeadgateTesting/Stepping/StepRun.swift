import HeadgateCore

/// Runs the steps of a step verifier, and tracks which values have been expected.
struct StepRun<Output: Equatable, Failure: Error> {
    private let subscriber: TestSubscriber<Output, Failure>
    private let scheduler: TestScheduler?
    private let timeout: Int
    private let arrivals: Arrivals
    private var consumed = 0
    private var hasConsumedEnd = false
    private var isCancelled = false
    private var isSkipped: ((Output) -> Bool)?

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

    /// Whether the stream has ended or was cancelled.
    var isOver: Bool { isCancelled || subscriber.completion != nil }

    private var unconsumed: ArraySlice<Output> { subscriber.values.dropFirst(consumed) }

    /// Runs a step.
    ///
    /// - Returns: A description of the failure, if it failed.
    mutating func carryOut(_ action: StepVerifier<Output, Failure>.Action) -> String? {
        switch action {
        case .request(let demand): subscriber.request(demand)
        case .advance(let stride): scheduler?.advance(by: stride)
        case .perform(let action): action()
        case .send(let send): return send()
        case .cancel:
            subscriber.cancel()
            isCancelled = true
        case .expect(let values): return expect(values)
        case .expectMatching(let description, let isExpected): return expect(description, isExpected)
        case .expectCount(let count): return expect(count)
        case .skip(let isSkipped): self.isSkipped = isSkipped
        case .expectNothing:
            hasExpectedNothing = true
            return findUnexpected() ?? findLuck()
        case .expectNothingFor(let duration):
            waitUntil(timeout: duration) { findUnexpected() != nil }
            return findUnexpected()
        case .expectFinish:
            return expectEnd("the stream to finish") { if case .finished = $0 { true } else { false } }
        case .expectFailure(let description, let isExpected):
            return expectEnd("the stream to fail with \(description)") {
                if case .failure(let error) = $0 { isExpected(error) } else { false }
            }
        }
        return nil
    }

    /// Waits for a value that no step has expected yet, or for the completion.
    private mutating func next() -> Output? {
        var next: Output?
        waitUntil(timeout: timeout) {
            skip()
            // Read before the values: what precedes it has arrived then.
            let hasEnded = subscriber.completion != nil
            next = unconsumed.first
            return next != nil || hasEnded
        }
        isSkipped = nil
        return next
    }

    /// Consumes the values that a step skips.
    private mutating func skip() {
        guard let isSkipped else { return }
        consumed += unconsumed.prefix(while: isSkipped).count
    }

    private mutating func expect(_ values: [Output]) -> String? {
        for value in values {
            guard let next = next() else { return "expected \(value), but \(whatCameInstead)" }
            if next != value { return "expected \(value), but received \(next)" }
            consumed += 1
        }
        return nil
    }

    private mutating func expect(_ count: Int) -> String? {
        for received in 0..<count {
            if next() == nil { return "expected \(count) values, but after \(received) \(whatCameInstead)" }
            consumed += 1
        }
        return nil
    }

    private mutating func expect(_ description: String, _ isExpected: (Output) -> Bool) -> String? {
        guard let next = next() else { return "expected \(description), but \(whatCameInstead)" }
        if !isExpected(next) { return "expected \(description), but received \(next)" }
        consumed += 1
        return nil
    }

    private mutating func expectEnd(
        _ description: String, _ isExpected: (Subscribers.Completion<Failure>) -> Bool
    ) -> String? {
        if let next = next() { return "expected \(description), but received \(next)" }
        guard let completion = subscriber.completion else { return "expected \(description), but received nothing" }
        if !isExpected(completion) { return "expected \(description), but \(whatCameInstead)" }
        hasConsumedEnd = true
        return nil
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
        hasExpectedNothing && arrivals.wereElsewhere
            ? "expectNothing() can't be sure of a stream that delivers on other threads: use expectNothing(for:)" : nil
    }

    /// The values, completions and timers that no step expected, after all steps have run.
    mutating func findLeftovers() -> [String] {
        skip()
        var leftovers = subscriber.breaches.map(\.description)
        if let luck = findLuck() { leftovers.append(luck) }
        if !unconsumed.isEmpty {
            leftovers.append("not expected: \(unconsumed.map { "\($0)" }.joined(separator: ", "))")
        }
        if subscriber.completion != nil, !hasConsumedEnd { leftovers.append("not expected: \(whatCameInstead)") }
        if !isOver { leftovers.append("the stream was left open: end the steps with a completion or cancel()") }
        if isOver, let scheduler {
            leftovers += scheduler.unfinished.map { "a timer was left pending \($0)" }
        }
        return leftovers
    }
}

/// The threads on which events have arrived.
final class Arrivals: Sendable {
    private let home = ThreadIdentity.current
    private let foreign = Guarded(false)

    /// Records that an event has arrived on the calling thread.
    func note() { if ThreadIdentity.current != home { foreign.withLock { $0 = true } } }

    /// Whether one has arrived on another thread than the one that verifies.
    var wereElsewhere: Bool { foreign.withLock { $0 } }
}
