import HeadgateCore
import Synchronization

/// Merges the values of any number of publishers, which may join while others are already delivering.
///
/// While demand is unlimited, unlimited values are requested from every member and go straight through. Otherwise one
/// value is requested from every member, and the next when that one has been delivered, so members take turns. A value
/// that arrives during another delivery reserves a unit of demand, and the next one is requested from its member at
/// once. Values without demand wait in one queue.
@usableFromInline
package final class MergeConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering {
    @usableFromInline package typealias Input = Output

    /// How many publishers may still send something: the members, and the outer publisher if there is one.
    @usableFromInline package let living: Atomic<Int32>

    /// Whether a failure completes the stream only once no more values wait.
    @usableFromInline let failsAfterValues: Bool

    /// Whether publishers are requested one by one, though any number of them may be active: the outer publisher waits
    /// for demand, and demand is limited.
    ///
    /// Written by the drain's owner. A caller outside the drain that finds it set enters, and looks again.
    @usableFromInline let goesOneByOne = Atomic(false)

    /// The outer publisher, if the members are created from its values.
    @usableFromInline let outer: Upstream?

    /// The maximum number of inner publishers that are active at a time.
    @usableFromInline let limit: Subscribers.Demand

    // Confined to the drain's owner.
    /// The values that wait for demand.
    @exclusivity(unchecked) @usableFromInline var queue = Queue<Output>()

    /// Whether unlimited values have been requested from every member.
    ///
    /// Those from which they have been requested are `isRequested`; from any other, one value at a time is.
    @exclusivity(unchecked) @usableFromInline var areOpen = false

    /// The failure that completes the stream once no more values wait.
    @exclusivity(unchecked) @usableFromInline var failure: Failure?

    /// Creates the conduit.
    ///
    /// - Parameter count: The number of members that are going to be attached, including the outer publisher.
    @inlinable package init(
        name: StaticString, count: Int, outer: Upstream? = nil, limit: Subscribers.Demand = .unlimited,
        failsAfterValues: Bool = false, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.outer = outer
        self.limit = limit
        self.failsAfterValues = failsAfterValues
        living = Atomic(Int32(count))
        super.init(name: name, requestsWhileDemanded: true, downstream, handle: MergeConduit.serving)
    }

    /// Attaches a subscriber to the values of a fixed number of publishers.
    @inlinable package static func connect(_ publishers: [Attach], to subscriber: some Subscriber<Output, Failure>) {
        let conduit = MergeConduit(name: "Merge", count: publishers.count, AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            for attach in publishers where conduit.earlyEnd == nil { attach(conduit.member()) }
        }
    }

    /// A subscriber for one more of the publishers that are merged.
    @inlinable package func member() -> SideInlet<MergeConduit> { SideInlet(self, Upstream()) }

    /// Adds a member.
    ///
    /// - Returns: The demand to request from it.
    @inlinable package func connect(
        _ member: Upstream, to subscription: ConduitSubscription
    ) -> Subscribers.Demand {
        guard accept(subscription, of: member, if: !isOver && failure == nil) else { return .none }
        member.isRequested = areOpen
        return areOpen ? .unlimited : demandForNext(of: member)
    }

    // Not inlined: inside the loops of a sequence, it would take an eighth more stack per `flatMap`.
    @inlinable @inline(never) package func receive(_ value: Output, from member: Upstream) -> Subscribers.Demand {
        receiveInTurn(value, from: member)
    }

    /// Delivers a value, or keeps it until there is demand.
    ///
    /// - Returns: The demand to return to its member.
    @inlinable @inline(__always) package func take(_ value: Output, from member: Upstream) -> Subscribers.Demand {
        // If the stream is over, there is no demand, and after a failure all members have ended.
        if queue.isEmpty, !member.hasEnded, outstanding.takeOne() {
            pass(value)
        } else {
            if isOver || member.hasEnded || failure != nil { return .none }
            keep(value)
        }
        return member.isRequested ? .none : demandForNext(of: member)
    }

    /// Keeps a value until there is demand.
    @inlinable func keep(_ value: Output) {
        queue.append(value)
        note(waiting: queue.count)
    }

    /// Receives a value for which a unit of demand has been reserved.
    ///
    /// That unit may go to another value that has waited longer, and demand that comes back with it to this one.
    ///
    /// - Parameters:
    ///   - upstream: The member, or the outer publisher if the value is all that an inner one publishes.
    ///   - isReplaced: Whether the next value, or the next inner publisher, has been requested from it.
    @usableFromInline func take(reserved value: Output, from upstream: Upstream, isReplaced: Bool) {
        if isOver { return }
        outstanding.add(.max(1))
        requestWhatIsDue()
        if !upstream.hasEnded || upstream === outer, failure == nil {
            keep(value)
            if !isReplaced { request(.max(1), from: upstream) }
        }
        deliverWaiting()
    }

    /// Enqueues a value for the drain's owner.
    ///
    /// - Returns: The demand to return to its member meanwhile.
    // The unit is taken now, so that the next value is requested from a member that sends on its own before it sends
    // it.
    @inlinable @inline(never) package func postpone(_ value: Output, from member: Upstream) -> Subscribers.Demand {
        guard outstanding.takeOne() else {
            postpone { self.request(self.take(value, from: member), from: member) }
            return .none
        }
        let isUnlimited = outstanding.isUnlimited
        let isReplaced = outstanding.isPending
        postpone { self.take(reserved: value, from: member, isReplaced: isReplaced || member.isRequested) }
        return isReplaced && !isUnlimited ? .max(1) : .none
    }

    /// Delivers a value for which one unit of demand has been taken.
    @inlinable @inline(__always) package func pass(_ value: Output) {
        if deliver(value) > .none { openIfUnlimited() }
    }

    @usableFromInline package func forwardDemand() {
        if isOver { return }
        if let outer { request(demandForOuter(), from: outer) }
        openIfUnlimited()
    }

    /// Delivers the waiting values as far as there is demand, then requests from the upstreams what has waited for it.
    @usableFromInline package func serve() {
        if isOver { return }
        if let outer { request(demandForOuter(), from: outer) }
        deliverWaiting()
    }

    @usableFromInline func deliverWaiting() {
        openIfUnlimited()
        while !queue.isEmpty, outstanding.takeOne(), let value = queue.popFirst() {
            note(waiting: queue.count)
            pass(value)
            if hasEnded { return }
        }
        finishIfDone()
    }

    /// Requests unlimited values from every upstream once demand is unlimited.
    @inlinable @inline(__always) func openIfUnlimited() {
        if !areOpen, outstanding.isUnlimited { open() }
    }

    @usableFromInline func open() {
        areOpen = true
        for member in attached.all where member !== outer {
            member.isRequested = true
            request(.unlimited, from: member)
        }
        if let outer { request(demandForOuter(), from: outer) }
    }

    @inlinable package func end(_ member: Upstream, _ completion: Subscribers.Completion<Failure>) {
        if isOver || !end(member) { return }
        if let outer, limit != .unlimited { request(.max(1), from: outer) }
        hasOneLess(completion)
    }

    @inlinable func hasOneLess(_ completion: Subscribers.Completion<Failure>) {
        living.subtract(1, ordering: .relaxed)
        switch completion {
        case .finished:
            finishIfDone()
        case .failure(let failure) where failsAfterValues && !queue.isEmpty:
            self.failure = self.failure ?? failure
            attached.cancel()
        case .failure:
            finish(completion)
        }
    }

    @inlinable func finishIfDone() {
        if !queue.isEmpty || isOver { return }
        if let failure {
            finish(.failure(failure))
        } else if living.load(ordering: .relaxed) == 0 {
            finish(.finished)
        }
    }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        if let outer { return outer.traits.intersection(.sendsByItself) }
        let members = attached.all
        if members.count < Int(living.load(ordering: .relaxed)) { return [] }
        return members.reduce([.waitsForDemand, .sendsByItself]) { $0.intersection($1.traits) }
    }

    @usableFromInline package override func releaseValues() { queue = Queue() }
}
