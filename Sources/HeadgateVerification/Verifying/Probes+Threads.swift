import HeadgateCore
import HeadgateTesting

extension ProbeSubscriber.Call {
    fileprivate var inWords: String {
        switch self {
        case .subscription: "receive(subscription:)"
        case .value: "the delivery"
        case .completion: "receive(completion:)"
        }
    }
}

/// What another thread calls while the subscriber is being called.
private enum CallElsewhere: String, CaseIterable {
    case request = "request(_:)"
    case cancel = "cancel()"
}

extension ScriptRunner {
    /// Calls from another thread while the subscriber is being called.
    ///
    /// If a lock is held meanwhile, the remaining probes are skipped: a call from inside on the same thread might never
    /// return.
    func probeThreads() -> [Finding] {
        if capabilities.contains(.asynchronous) {
            return [Rule.noLockHeld, .anyThread, .workIsLeft].map {
                .notCheckable($0, "the subject has threads of its own")
            } + [.held(.oneCallAtATime)]
        }
        let probes: [() -> [Finding]] = [
            { probeLock(at: .subscription) }, probeRequestElsewhere, probeCancelElsewhere, probeCancelAtTheLast,
            { probeLock(at: .completion) },
        ]
        var findings: [Finding] = []
        for probe in probes {
            let found = probe()
            if found.contains(where: \.isOfALockHeld) { return found }
            findings += found
        }
        return findings
    }

    /// Checks that no lock is held while the subscriber receives the subscription or the completion.
    private func probeLock(at place: Probe.Call) -> [Finding] {
        for call in CallElsewhere.allCases {
            let script = "request everything; in \(place.inWords), on another thread: \(call.rawValue)"
            if let lock = makeElsewhere(call, at: place, demand: everything, script: script).lock { return [lock] }
        }
        return []
    }

    private func probeRequestElsewhere() -> [Finding] {
        let script = "request 1; in the first delivery, on another thread: request 1"
        let (outcome, lock) = makeElsewhere(.request, at: .value(0), demand: .max(1), script: script)
        if let lock { return [lock] }
        if outcome.values.isEmpty {
            return [Rule.noLockHeld, .anyThread, .workIsLeft].map { .notCheckable($0, "no value arrived") }
        }
        var findings = findBreaches(in: outcome, script: script)
        if outcome.values.count > 1 {
            findings.append(.held(.workIsLeft))
        } else if isExpectedToGoOn {
            findings.append(broken(.anyThread, "the request had no effect", script: script, outcome: outcome))
        } else {
            findings.append(.notCheckable(.workIsLeft, "fewer than two values arrived"))
        }
        return findings + [.held(.noLockHeld), .held(.anyThread), .held(.oneCallAtATime)]
    }

    private func probeCancelElsewhere() -> [Finding] {
        let script = "request 4; in the first delivery, on another thread: cancel"
        let (outcome, lock) = makeElsewhere(.cancel, at: .value(0), demand: .max(4), script: script)
        if let lock { return [lock] }
        if outcome.values.isEmpty { return [] }
        // The delivery was under way until cancel() had returned, so no other call can have been.
        if outcome.values.count > 1 || outcome.ending != nil {
            let finding = "\(outcome.values.count > 1 ? "a value" : "the completion") after cancel() has returned"
            return [broken(.cancelElsewhere, finding, script: script, outcome: outcome)]
        }
        let wasAnythingLeft =
            makeFixture().source != nil || runFreely().map { $0.values.count > 1 || $0.ending != nil } ?? false
        return wasAnythingLeft ? [.held(.cancelElsewhere)] : []
    }

    /// Cancels on another thread while the last value is being delivered: the completion must not follow.
    private func probeCancelAtTheLast() -> [Finding] {
        guard capabilities.isDisjoint(with: [.hot, .unbounded]), makeFixture().source == nil, let full = runFreely(),
            full.ending != nil, full.values.count > 1
        else { return [] }
        let last = full.values.count - 1
        let script = "request everything; in the last delivery, on another thread: cancel"
        let (outcome, lock) = makeElsewhere(.cancel, at: .value(last), demand: everything, script: script)
        if lock != nil || outcome.values.count <= last || outcome.ending == nil { return [] }
        let finding = "the completion after cancel() has returned"
        return [broken(.cancelElsewhere, finding, script: script, outcome: outcome)]
    }

    /// Whether a second value is available on request.
    private var isExpectedToGoOn: Bool {
        if makeFixture().source != nil { return !isOperator }
        return capabilities.isDisjoint(with: [.hot, .dropsUnasked]) && (runFreely()?.values.count ?? 0) > 1
    }

    /// Makes a call on another thread while the subscriber is called, and waits for it there.
    ///
    /// - Returns: The outcome, and the finding if the call did not return.
    private func makeElsewhere(
        _ call: CallElsewhere, at place: Probe.Call, demand: Subscribers.Demand, script: String
    ) -> (outcome: Outcome, lock: Finding?) {
        let fixture = makeFixture()
        let subscriber = Probe()
        var isStuck = false
        var hasCalled = false
        subscriber.onCall = { subscriber, current in
            if current != place || hasCalled { return }
            hasCalled = true
            let body = { if call == .request { subscriber.request(.max(1)) } else { subscriber.cancel() } }
            // A thread that is stuck continues when this call returns.
            if !runSideBySide([body], timeout: lateness.timeout) { isStuck = true }
        }
        attach(fixture, subscriber)
        subscriber.request(demand)
        settle(fixture)
        bringValues(from: fixture, to: subscriber)
        if place == .completion {
            fixture.finish()
            settle(fixture)
        }
        let outcome = subscriber.outcome
        subscriber.leave()
        if !isStuck { return (outcome, nil) }
        let finding = "\(call.rawValue) on another thread waits for \(place.inWords) to return"
        return (outcome, broken(.noLockHeld, finding, script: script, outcome: outcome))
    }

    /// Lets the source send until two values have arrived, and finish if that is necessary.
    private func bringValues(from fixture: Fixture<Output, Failure>, to subscriber: Probe) {
        for _ in 0..<30 where subscriber.outcome.values.count < 2 {
            guard fixture.send() else { break }
            settle(fixture)
        }
        if subscriber.outcome.values.count < 2 { fixture.finish() }
        settle(fixture)
    }
}
