import HeadgateCore
import HeadgateTesting

/// The order in which an operator subscribes and hands its subscription downstream: rule 1.7.
extension OperatorVerifier {
    func probeSubscriptionOrder() -> [Finding] {
        [probeSilentUpstreams() ?? .held(.subscribesUpstreamFirst), probeSendingInside()].compactMap(\.self)
    }

    private func broken(_ finding: String, script: String, _ listener: Listener) -> Finding {
        .broken(.subscribesUpstreamFirst, finding, script: script, timeLine: listener.outcome.timeLine)
    }

    /// Advances the clock, and waits for what an asynchronous operator does on other threads.
    func settle(_ scheduler: TestScheduler, until isDone: () -> Bool = { true }) {
        if capabilities.contains(.endsByTime) { scheduler.runDue() } else { scheduler.runUntilIdle(limit: 50) }
        if capabilities.contains(.asynchronous) { waitUntil(timeout: effort.timeout, isDone) }
    }

    /// Subscribes while no upstream sends its subscription, and lets them send it after that.
    private func probeSilentUpstreams() -> Finding? {
        let upstreams = values.map { _ in Upstream(sendsSubscription: false) }
        let scheduler = TestScheduler()
        let listener = Listener()
        defer { listener.leave() }
        let script = "no upstream sends its subscription; subscribe"
        let wereSubscribedTo = { upstreams.contains { $0.subscriptionCount > 0 } }
        let wasInOrder = Guarded(true)
        listener.onCall = { _, call in
            if call != .subscription { return }
            let isInOrder = wereSubscribedTo()
            wasInOrder.withLock { $0 = isInOrder }
        }
        operation(upstreams, scheduler).subscribe(listener)
        settle(scheduler) { wereSubscribedTo() || listener.monitor.isSubscribed }
        if !wasInOrder.withLock({ $0 }) {
            if wereSubscribedTo() {
                return broken("a subscription arrived before upstream was subscribed to", script: script, listener)
            }
            // The first upstream may be another, of which these are what the values become.
            if upstreams.count > 1 {
                let reason = "no upstream of the verifier is subscribed to before values are requested"
                return .notCheckable(.subscribesUpstreamFirst, reason)
            }
            return probeLaziness(upstreams, scheduler, listener)
        }
        if !wereSubscribedTo() { return broken("no upstream was subscribed to", script: script, listener) }
        // The subscription of one upstream may be what lets an operator subscribe to the next.
        var sentCounts = upstreams.map { _ in 0 }
        for _ in upstreams {
            for (number, upstream) in upstreams.enumerated() where upstream.subscriptionCount > sentCounts[number] {
                sentCounts[number] = upstream.subscriptionCount
                upstream.sendSubscription()
                settle(scheduler) { listener.monitor.isSubscribed }
            }
        }
        if listener.monitor.isSubscribed { return nil }
        return broken(
            "no subscription arrived", script: script + "; then each of them sends it", listener)
    }

    /// Requests from an operator that has subscribed to none of its upstreams: only values of another source, or the
    /// end, may come before it does.
    private func probeLaziness(
        _ upstreams: [Upstream], _ scheduler: TestScheduler, _ listener: Listener
    ) -> Finding? {
        listener.request(.max(1))
        settle(scheduler) { upstreams.contains { $0.subscriptionCount > 0 } || !listener.outcome.values.isEmpty }
        if !upstreams.contains(where: { $0.subscriptionCount > 0 }) || !listener.outcome.values.isEmpty { return nil }
        return broken(
            "upstream was subscribed to only when a value was requested",
            script: "no upstream sends its subscription; subscribe; request 1", listener)
    }

    /// Sends from inside `receive(subscription:)`, after a request there: as much has to arrive as of what is sent
    /// after it.
    private func probeSendingInside() -> Finding? {
        if !capabilities.isDisjoint(with: [.hot, .asynchronous, .endsByTime]) { return nil }
        let (inside, counts) = listen(sendingInside: nil)
        if counts.allSatisfy({ $0 == 0 }) { return nil }
        let (after, countsAfter) = listen(sendingInside: counts)
        if counts != countsAfter || !after.outcome.breaches.isEmpty { return nil }
        if inside.outcome.values.sorted() == after.outcome.values.sorted() { return nil }
        return broken(
            "\(inside.outcome.values.count) values arrived; of what is sent after receive(subscription:), "
                + "\(after.outcome.values.count)",
            script: "at once: request unlimited, upstream sends; upstream finishes", inside)
    }

    /// - Parameter counts: How many values each upstream sends after subscribing; `nil` if it sends what it can inside
    ///   `receive(subscription:)`.
    /// - Returns: The subscriber, and how many values each upstream has sent.
    private func listen(sendingInside counts: [Int]?) -> (Listener, [Int]) {
        let senders = values.map { Sender<Input, InputFailure>(values: $0) }
        let scheduler = TestScheduler()
        let listener = Listener(initialDemand: .none)
        var sentCounts = values.map { _ in 0 }
        func send(_ limits: [Int]) {
            for (number, sender) in senders.enumerated() {
                while sentCounts[number] < limits[number], sender.sendNext() { sentCounts[number] += 1 }
            }
        }
        listener.onCall = { listener, call in
            if call != .subscription { return }
            listener.request(.unlimited)
            if counts == nil { send(senders.map { _ in 3 }) }
        }
        operation(senders.map(\.upstream), scheduler).subscribe(listener)
        if let counts { send(counts) }
        settle(scheduler)
        for sender in senders {
            sender.upstream.finish()
            settle(scheduler)
        }
        listener.leave()
        return (listener, sentCounts)
    }
}
