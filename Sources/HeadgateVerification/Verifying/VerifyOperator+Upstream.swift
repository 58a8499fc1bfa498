import HeadgateCore
import HeadgateTesting

extension OperatorVerifier {
    /// Applies the operator to upstreams of which one sends events after the end, after `cancel()`, and twice.
    func probeUpstreamsThatMisbehave() -> [Finding] {
        values.indices.flatMap { probeLateEvents(of: $0) + [probeSecondSubscription(of: $0)] }
    }

    /// Subscribes and runs a closure; the clock advances before and after it.
    ///
    /// - Parameters:
    ///   - number: The number of the upstream that misbehaves.
    ///   - upstream: That upstream; the others are silent.
    private func listen(
        to number: Int, _ upstream: Upstream, _ body: (Listener, TestScheduler) -> Void
    ) -> Outcome {
        let scheduler = TestScheduler()
        let listener = Listener()
        let upstreams = values.indices.map { $0 == number ? upstream : Upstream() }
        operation(upstreams, scheduler).subscribe(listener)
        settle(scheduler)
        listener.request(.unlimited)
        settle(scheduler)
        body(listener, scheduler)
        settle(scheduler)
        let outcome = listener.outcome
        listener.leave()
        return outcome
    }

    private func probeLateEvents(of number: Int) -> [Finding] {
        let values = values[number]
        var ways: [(name: String, body: (Listener, Upstream) -> Void)] = [
            ("upstream finishes", { _, upstream in upstream.finish() }),
            ("cancel", { listener, _ in listener.cancel() }),
            // If the operator completes by itself, this shows what it does with values that still arrive.
            ("upstream sends all its values", { _, upstream in for value in values { upstream.send(value) } }),
        ]
        if let failure { ways.append(("upstream fails", { _, upstream in upstream.fail(failure) })) }
        let findings = ways.compactMap { name, body -> Finding? in
            let upstream = Upstream(keepsSubscribers: true)
            var timelyCount: Int?
            let outcome = listen(to: number, upstream) { listener, scheduler in
                body(listener, upstream)
                settle(scheduler)
                // What subscribes on a thread of its own may not have done so yet.
                if upstream.isConnected || upstream.subscriptionCount == 0 { return }
                timelyCount = listener.outcome.values.count
                for value in values.prefix(3) { upstream.force(value) }
                upstream.force(completion: .finished)
            }
            guard let timelyCount else { return nil }
            // Another upstream may keep the stream open, so that no rule is broken downstream.
            let late = outcome.values.count > timelyCount ? "a value after the end of upstream" : nil
            guard let finding = outcome.breaches.first?.finding ?? late else { return nil }
            return .broken(
                .ignoresLateEvents, "\(finding), forwarded from upstream",
                script: "request everything; \(name); values, a completion", timeLine: outcome.timeLine)
        }
        return findings + [.held(.ignoresLateEvents)]
    }

    private func probeSecondSubscription(of number: Int) -> Finding {
        let upstream = Upstream()
        var second: TestSubscription<Input, InputFailure>?
        var isConnected = false
        let outcome = listen(to: number, upstream) { _, scheduler in
            guard upstream.subscriptionCount == 1, upstream.isConnected else { return }
            second = upstream.sendSubscription().first
            settle(scheduler)
            isConnected = upstream.isConnected
        }
        guard let second else {
            return .notCheckable(.secondSubscription, "upstream did not have exactly one subscriber")
        }
        func broken(_ finding: String) -> Finding {
            .broken(
                .secondSubscription, finding, script: "upstream sends a second subscription", timeLine: outcome.timeLine
            )
        }
        if second.cancelCount != 1 { return broken("it was cancelled \(second.cancelCount) times") }
        if second.requested > .none { return broken("values were requested from it") }
        if !isConnected { return broken("the first was cancelled") }
        return outcome.breaches.isEmpty ? .held(.secondSubscription) : broken("it was forwarded")
    }
}
