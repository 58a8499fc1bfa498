import HeadgateCore

/// Serves one subscriber from a publisher, and after each value from the publisher that is made from it, and so on.
///
/// Only the publisher at the deepest level is requested from, for one value at a time. The others wait for it in a list,
/// so the depth costs no stack.
@usableFromInline package final class DepthConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering {
    @usableFromInline package typealias Input = Output

    /// What becomes of a value.
    @usableFromInline package enum Place {
        /// It is delivered, and a publisher is made from it.
        case inner
        /// It is delivered, and nothing is made from it.
        case leaf
        /// The stream fails in place of it.
        case failure(Failure)
    }

    /// Creates the publisher that is made from a value, and attaches it; called outside the drain.
    @usableFromInline let attach: (Output, SideInlet<DepthConduit>) -> Void

    /// Determines what becomes of a value at a given depth.
    @usableFromInline let place: (Output, Int) -> Place

    /// The publishers that have not finished, or for which a deeper one hasn't, the deepest last.
    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var levels: [Upstream] = []

    @inlinable init(
        attach: @escaping (Output, SideInlet<DepthConduit>) -> Void, place: @escaping (Output, Int) -> Place,
        _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.attach = attach
        self.place = place
        super.init(name: "Expand", downstream, handle: DepthConduit.serving)
    }

    /// Attaches a subscriber to the values of a publisher, each followed by what is made from it.
    @inlinable package static func connect(
        _ upstream: some Publisher<Output, Failure>, to subscriber: some Subscriber<Output, Failure>,
        place: @escaping (Output, Int) -> Place, attach: @escaping (Output, SideInlet<DepthConduit>) -> Void
    ) {
        let conduit = DepthConduit(attach: attach, place: place, AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            upstream.receive(subscriber: SideInlet(conduit, conduit.addLevel()))
        }
    }

    @inlinable func addLevel() -> Upstream {
        let level = Upstream()
        levels.append(level)
        return level
    }

    @inlinable package func connect(_ level: Upstream, to subscription: ConduitSubscription) -> Subscribers.Demand {
        // What stands in for it has made the publisher.
        if level.subscription.take() != nil { level.isRequested = false }
        return accept(subscription, of: level, if: !isOver) ? demandOnce(.max(1), of: level) : .none
    }

    /// Requests the next value, once there is demand.
    @inlinable package func serve() {
        guard !isOver, let deepest = levels.last else { return }
        request(demandOnce(.max(1), of: deepest), from: deepest)
    }

    /// Delivers a value, and has a publisher made from it; a value that was not requested is dropped.
    @inlinable package func take(_ value: Output, from level: Upstream) -> Subscribers.Demand {
        if isOver || level.hasEnded || level !== levels.last || !level.isRequested { return .none }
        level.isRequested = false
        // As deep as the list is long: only what is deepest is removed from it.
        switch place(value, levels.count - 1) {
        case .failure(let failure):
            finish(.failure(failure))
        case .leaf:
            if outstanding.takeOne() { _ = deliver(value) }
            serve()
        case .inner:
            if outstanding.takeOne() { _ = deliver(value) }
            if isOver { return .none }
            let next = addLevel()
            // The first request, which needs no demand, has the publisher made and attached.
            next.subscription = DepthOpening(self, next, value)
            next.isRequested = true
            request(.max(1), from: next)
        }
        return .none
    }

    @inlinable package func end(_ level: Upstream, _ completion: Subscribers.Completion<Failure>) {
        end(level, completion) {
            while let deepest = levels.last, deepest.hasEnded { levels.removeLast() }
            if levels.isEmpty { finish(.finished) } else { serve() }
        }
    }

    @usableFromInline package override func releaseValues() {
        // What stands in for a subscription refers to its level.
        for level in exchange(&levels, with: []) { level.subscription = nil }
    }
}

/// Makes and attaches a publisher outside the drain, as a subscription that is requested like an upstream.
@usableFromInline final class DepthOpening<Output, Failure: Error>: ConduitSubscription, SignalHandling {
    @usableFromInline let conduit: DepthConduit<Output, Failure>

    @usableFromInline let level: Upstream

    @usableFromInline let value: Output

    @inlinable init(_ conduit: DepthConduit<Output, Failure>, _ level: Upstream, _ value: Output) {
        self.conduit = conduit
        self.level = level
        self.value = value
        super.init(handle: DepthOpening.handling)
    }

    @inlinable func handleRequest(_ demand: Subscribers.Demand) {
        if conduit.outstanding.isClosed { return }
        QueueRegistry.bind(conduit.counts?.registry) { conduit.attach(value, SideInlet(conduit, level)) }
    }

    @inlinable func handleCancel() {}
}
