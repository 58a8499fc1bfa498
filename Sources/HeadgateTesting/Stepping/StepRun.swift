import HeadgateCore

/// Runs the steps of a step verifier, and tracks which values have been expected.
struct StepRun<Output: Equatable, Failure: Error> {
    private let subscriber: TestSubscriber<Output, Failure>
    private let scheduler: TestScheduler?
    private var consumed = 0
    private var hasConsumedEnd = false
    private var isCancelled = false

    init(subscriber: TestSubscriber<Output, Failure>, scheduler: TestScheduler?) {
        self.subscriber = subscriber
        self.scheduler = scheduler
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
        case .expectNothing: return findUnexpected()
        case .expectFinish:
            return expectEnd("the stream to finish") { if case .finished = $0 { true } else { false } }
        case .expectFailure(let description, let isExpected):
            return expectEnd("the stream to fail with \(description)") {
                if case .failure(let error) = $0 { isExpected(error) } else { false }
            }
        }
        return nil
    }

    private mutating func expect(_ values: [Output]) -> String? {
        for value in values {
            guard let next = unconsumed.first else { return "expected \(value), but \(whatCameInstead)" }
            if next != value { return "expected \(value), but received \(next)" }
            consumed += 1
        }
        return nil
    }

    private mutating func expect(_ description: String, _ isExpected: (Output) -> Bool) -> String? {
        guard let next = unconsumed.first else { return "expected \(description), but \(whatCameInstead)" }
        if !isExpected(next) { return "expected \(description), but received \(next)" }
        consumed += 1
        return nil
    }

    private mutating func expectEnd(
        _ description: String, _ isExpected: (Subscribers.Completion<Failure>) -> Bool
    ) -> String? {
        if let next = unconsumed.first { return "expected \(description), but received \(next)" }
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

    /// The values, completions and timers that no step expected, after all steps have run.
    func findLeftovers() -> [String] {
        var leftovers = subscriber.breaches.map(\.description)
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
