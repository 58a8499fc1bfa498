import HeadgateCore

extension OperatorVerifier {
    private typealias Listener = Examiner<P.Output, P.Failure>
    private typealias Upstream = TestPublisher<Input, InputFailure>

    /// Puts the operator behind an upstream that says things after the end, after `cancel()`, and twice.
    func probeUpstreamThatMisbehaves() -> [Finding] { probeLateEvents() + probeSecondSubscription() }

    private func settle(_ scheduler: TestScheduler) {
        if capabilities.contains(.endsByTime) { scheduler.runDue() } else { scheduler.runUntilIdle(limit: 50) }
    }

    /// Subscribes and does something; the clock is moved before and behind.
    private func listen(to upstream: Upstream, _ body: (Listener, TestScheduler) -> Void) -> Outcome {
        let scheduler = TestScheduler()
        let listener = Listener()
        operation(upstream, scheduler).subscribe(listener)
        settle(scheduler)
        listener.request(.unlimited)
        settle(scheduler)
        body(listener, scheduler)
        settle(scheduler)
        let outcome = listener.outcome
        listener.leave()
        return outcome
    }

    private func probeLateEvents() -> [Finding] {
        var ways: [(name: String, body: (Listener, Upstream) -> Void)] = [
            ("upstream finishes", { _, upstream in upstream.finish() }),
            ("cancel", { listener, _ in listener.cancel() }),
            // Where the operator ends the stream by itself, this shows what it does with what is under way.
            ("upstream sends all it has", { _, upstream in for value in values { upstream.send(value) } }),
        ]
        if let failure { ways.append(("upstream fails", { _, upstream in upstream.fail(failure) })) }
        var findings: [Finding] = []
        for (name, body) in ways {
            let upstream = Upstream(keepsSubscribers: true)
            var isOver = false
            let outcome = listen(to: upstream) { listener, scheduler in
                body(listener, upstream)
                settle(scheduler)
                isOver = !upstream.isConnected
                if !isOver { return }
                for value in values.prefix(3) { upstream.force(value) }
                upstream.force(completion: .finished)
            }
            if !isOver { continue }
            if let breach = outcome.breaches.first {
                findings.append(
                    .broken(
                        .ignoresWhatComesLate, "\(breach.finding), handed on from upstream",
                        script: "request everything; \(name); values, an end", outcome: outcome))
            }
        }
        return findings + [.held(.ignoresWhatComesLate)]
    }

    private func probeSecondSubscription() -> [Finding] {
        let upstream = Upstream()
        var second: TestSubscription<Input, InputFailure>?
        var isConnected = false
        let outcome = listen(to: upstream) { _, scheduler in
            guard upstream.subscriptionCount == 1, upstream.isConnected else { return }
            second = upstream.sendSubscription().first
            settle(scheduler)
            isConnected = upstream.isConnected
        }
        guard let second else {
            return [.notCheckable(.secondSubscription, "upstream was not listened to by one subscriber")]
        }
        func broken(_ finding: String) -> [Finding] {
            [
                .broken(
                    .secondSubscription, finding, script: "upstream hands out a second subscription", outcome: outcome)
            ]
        }
        if second.cancelCount != 1 { return broken("it was cancelled \(second.cancelCount) times") }
        if second.requested > .none { return broken("it was asked for values") }
        if !isConnected { return broken("the first was cancelled") }
        return outcome.breaches.isEmpty ? [.held(.secondSubscription)] : broken("it was handed on")
    }
}
