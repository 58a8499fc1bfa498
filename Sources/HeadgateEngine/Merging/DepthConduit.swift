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
    @exclusivity(unchecked) @usableFromInline var levels: [DepthLevel] = []

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
            upstream.receive(subscriber: SideInlet(conduit, conduit.addLevel(depth: 0)))
        }
    }

    @inlinable func addLevel(depth: Int) -> DepthLevel {
        let level = DepthLevel(depth: depth)
        levels.append(level)
        return level
    }

    @inlinable package func connect(_ level: DepthLevel, to subscription: ConduitSubscription) -> Subscribers.Demand {
        level.endOpening()
        return accept(subscription, of: level, if: !isOver) ? demandOnce(.max(1), of: level) : .none
    }

    /// Requests the next value, once there is demand.
    @inlinable package func serve() {
        guard !isOver, let deepest = levels.last else { return }
        request(demandOnce(.max(1), of: deepest), from: deepest)
    }

    /// Delivers a value, and has a publisher made from it; a value that was not requested is dropped.
    @inlinable package func take(_ value: Output, from level: DepthLevel) -> Subscribers.Demand {
        if isOver || level.hasEnded || level !== levels.last || !level.isRequested { return .none }
        level.isRequested = false
        switch place(value, level.depth) {
        case .failure(let failure):
            finish(.failure(failure))
        case .leaf:
            if outstanding.takeOne() { _ = deliver(value) }
            serve()
        case .inner:
            if outstanding.takeOne() { _ = deliver(value) }
            if isOver { return .none }
            let next = addLevel(depth: level.depth + 1)
            next.begin(with: DepthOpening(self, next, value))
            request(.max(1), from: next)
        }
        return .none
    }

    @inlinable package func end(_ level: DepthLevel, _ completion: Subscribers.Completion<Failure>) {
        end(level, completion) {
            while let deepest = levels.last, deepest.hasEnded { levels.removeLast() }
            if levels.isEmpty { finish(.finished) } else { serve() }
        }
    }

    @usableFromInline package override func releaseValues() { levels = [] }
}

/// One of the publishers that a `DepthConduit` serves from.
// Confined to the owner of the conduit's drain.
@usableFromInline package final class DepthLevel: Upstream {
    @usableFromInline let depth: Int

    /// Whether its subscription makes the publisher, in place of requesting from it.
    @exclusivity(unchecked) @usableFromInline var isOpening = false

    @inlinable init(depth: Int) {
        self.depth = depth
    }

    /// Has the publisher made and attached by the first request, which needs no demand.
    @inlinable func begin(with opening: ConduitSubscription) {
        subscription = opening
        isOpening = true
        isRequested = true
    }

    @inlinable func endOpening() {
        if !isOpening { return }
        subscription = nil
        isOpening = false
        isRequested = false
    }
}

/// Makes and attaches a publisher outside the drain, as a subscription that is requested like an upstream.
@usableFromInline final class DepthOpening<Output, Failure: Error>: ConduitSubscription, SignalHandling {
    @usableFromInline let conduit: DepthConduit<Output, Failure>

    @usableFromInline let level: DepthLevel

    @usableFromInline let value: Output

    @inlinable init(_ conduit: DepthConduit<Output, Failure>, _ level: DepthLevel, _ value: Output) {
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
