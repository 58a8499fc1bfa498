import HeadgateCore

/// Serves one subscriber from the first of several upstreams to send a value or to complete, or to send a value.
///
/// Until then, demand is forwarded to all of them. The others are cancelled, and what they have sent meanwhile is
/// dropped.
@usableFromInline package final class AmbConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering {
    @usableFromInline package typealias Input = Output

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var sides = ContiguousArray<Upstream>()

    @exclusivity(unchecked) @usableFromInline var winner: Upstream?

    /// How many sides have to complete without a value before the stream does.
    @exclusivity(unchecked) @usableFromInline var remaining: Int

    /// The failures of sides without a value.
    @exclusivity(unchecked) @usableFromInline var failures: [Failure] = []

    @inlinable init(name: StaticString, remaining: Int, _ downstream: AnySubscriber<Output, Failure>) {
        self.remaining = remaining
        super.init(name: name, downstream, handle: AmbConduit.forwarding)
    }

    /// Attaches a subscriber to the first of these publishers that sends a value or completes; finishes if there are
    /// none.
    ///
    /// - Parameter needingValue: Whether a publisher that completes without a value is not the first.
    @inlinable package static func connect(
        _ publishers: [Attach], needingValue: Bool = false, to subscriber: some Subscriber<Output, Failure>
    ) {
        let conduit = AmbConduit(
            name: needingValue ? "FirstWithValue" : "Amb", remaining: needingValue ? publishers.count : 1,
            AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            if publishers.isEmpty { conduit.finish(.finished) }
            for attach in publishers where conduit.earlyEnd == nil {
                let side = Upstream()
                conduit.sides.append(side)
                attach(SideInlet(conduit, side))
            }
        }
    }

    /// Adds new demand and forwards it, until one upstream has answered.
    @usableFromInline package func forwardDemand() {
        if isOver { return }
        let demand = takeDemand()
        if let winner { return request(demand, from: winner) }
        for side in sides { request(demand, from: side) }
    }

    @inlinable package var isWanted: Bool { !isOver && winner == nil }

    /// Delivers a value of the first upstream.
    ///
    /// - Returns: The demand to return to it.
    @inlinable @inline(__always) package func take(
        _ value: Output, from side: Upstream
    ) -> Subscribers.Demand {
        if isOver || side.hasEnded { return .none }
        if winner == nil { choose(side) }
        return outstanding.takeOne() ? deliver(value) : .none
    }

    /// Cancels all upstreams but one.
    @usableFromInline func choose(_ side: Upstream) {
        winner = side
        for other in exchange(&sides, with: []) where other !== side { cancel(other) }
    }

    @usableFromInline package func end(_ side: Upstream, _ completion: Subscribers.Completion<Failure>) {
        if isOver || !end(side) { return }
        if winner != nil { return finish(completion) }
        remaining -= 1
        if case .failure(let failure) = completion { failures.append(failure) }
        if remaining == 0 { finishWithLastFailure() }
    }

    /// Completes the stream, to which no side has sent a value.
    @usableFromInline func finishWithLastFailure() {
        let last = failures.popLast()
        // Nothing has made up for them.
        for failure in failures { Undeliverable.note(.failure(failure)) }
        finish(last.map { .failure($0) } ?? .finished)
    }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        sides.lazy.filter { !$0.hasEnded }.reduce([.waitsForDemand, .sendsByItself]) { $0.intersection($1.traits) }
    }

    @usableFromInline package override func releaseValues() { sides = [] }
}
