import HeadgateCore
import Synchronization

/// Merges the values of any number of publishers, which may join while others are already delivering.
///
/// While demand is unlimited, unlimited values are requested from every member and go straight through. Otherwise one
/// value is requested from every member, and the next when that one has been delivered, so members take turns. A value
/// that arrives during another delivery reserves a unit of demand, and the next one is requested from its member at
/// once. Values without demand wait in one queue.
@usableFromInline
package final class MergeConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering, Flattening {
    @usableFromInline package typealias Input = Output

    /// When a failure completes the stream, if values wait for demand.
    @usableFromInline package enum FailureTiming {
        case atOnce
        case afterValues
    }

    @usableFromInline struct Waiting {
        @usableFromInline let member: MergeMember

        @usableFromInline let value: Output

        /// Whether the next value has been requested from the member already.
        @usableFromInline let isReplaced: Bool

        @inlinable init(_ value: Output, from member: MergeMember, isReplaced: Bool) {
            self.member = member
            self.value = value
            self.isReplaced = isReplaced
        }
    }

    /// How many publishers may still send something: the members, and the outer publisher if there is one.
    @usableFromInline package let living: Atomic<Int32>

    @usableFromInline let failures: FailureTiming

    /// The maximum number of inner publishers that are active at a time.
    @usableFromInline package let limit: Subscribers.Demand

    /// The outer publisher, if there is one.
    @usableFromInline let source: Upstream?

    @usableFromInline package var outer: Upstream { source.unsafelyUnwrapped }

    /// Whether the outer publisher is requested from one by one, though any number of publishers may be active: it
    /// waits for demand, and demand is limited.
    ///
    /// Written by the drain's owner. A caller outside the drain that finds it set enters, and looks again.
    @usableFromInline let goesOneByOne = Atomic(false)

    // Confined to the drain's owner.
    /// Whether something is to be requested from upstreams as soon as there is demand.
    @exclusivity(unchecked) @usableFromInline var awaitsDemand = true

    /// How many inner publishers are to be requested then.
    @exclusivity(unchecked) @usableFromInline var missing = Subscribers.Demand.none

    /// The values that wait for demand.
    @exclusivity(unchecked) @usableFromInline var queue = Queue<Waiting>()

    @exclusivity(unchecked) @usableFromInline var members = MergeMembers()

    /// The failure that completes the stream once no more values wait.
    @exclusivity(unchecked) @usableFromInline var failure: Failure?

    /// Creates the conduit.
    ///
    /// - Parameters:
    ///   - count: The number of members that are going to be attached, including the outer publisher.
    ///   - outer: The outer publisher, if there is one.
    ///   - limit: The maximum number of inner publishers that are active at a time.
    @inlinable package init(
        name: StaticString, count: Int, outer: Upstream? = nil, limit: Subscribers.Demand = .unlimited,
        failures: FailureTiming = .atOnce, _ downstream: AnySubscriber<Output, Failure>
    ) {
        source = outer
        self.limit = limit
        self.failures = failures
        living = Atomic(Int32(count))
        super.init(name: name, downstream, handle: MergeConduit.serving)
    }

    /// Attaches the conduit to one of the publishers that are merged.
    @usableFromInline package typealias Attach = (SideInlet<MergeConduit>) -> Void

    @inlinable package static func attach(_ publisher: some Publisher<Output, Failure>) -> Attach {
        { publisher.receive(subscriber: $0) }
    }

    /// Attaches a subscriber to the values of a fixed number of publishers.
    @inlinable package static func connect(_ publishers: [Attach], to subscriber: some Subscriber<Output, Failure>) {
        let conduit = MergeConduit(name: "Merge", count: publishers.count, AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            for attach in publishers where conduit.earlyEnd == nil { attach(conduit.member()) }
        }
    }

    /// A subscriber for one more of the publishers that are merged.
    @inlinable package func member() -> SideInlet<MergeConduit> { SideInlet(self, MergeMember()) }

    /// Adds a member.
    ///
    /// - Returns: The demand to request from it.
    @inlinable package func connect(
        _ member: MergeMember, to subscription: ConduitSubscription
    ) -> Subscribers.Demand {
        guard member.connect(to: subscription, isWanted: !isOver && failure == nil) else { return .none }
        // If others are about to be requested from, it is chosen in its turn.
        let hasDemand = outstanding.isPending && (!choosesFirst || member.traits.contains(.sendsByItself))
        if !hasDemand { awaitsDemand = true }
        return members.append(member, hasDemand: hasDemand)
    }

    /// Delivers a value, or keeps it until there is demand.
    ///
    /// - Returns: The demand to return to its member.
    @inlinable @inline(__always) package func take(_ value: Output, from member: MergeMember) -> Subscribers.Demand {
        // If the stream is over, there is no demand, and after a failure all members have ended.
        if queue.isEmpty, !member.hasEnded, outstanding.takeOne() {
            pass(value)
            return member.isOpen ? .none : demandForNext(of: member)
        }
        if isOver || member.hasEnded || failure != nil { return .none }
        keep(Waiting(value, from: member, isReplaced: member.isOpen))
        return .none
    }

    /// The demand for the next value of a member, whose value has been delivered: none until there is demand.
    @inlinable @inline(__always) func demandForNext(of member: MergeMember) -> Subscribers.Demand {
        if outstanding.isPending, !choosesFirst { return .max(1) }
        requestNext(of: member)
        return .none
    }

    /// Requests the next value of a member when there is demand, or before the others that are about to be requested
    /// from: they may use the demand up.
    @usableFromInline func requestNext(of member: MergeMember) {
        if outstanding.isPending, member.traits.contains(.sendsByItself) {
            return request(.max(1), from: member.subscription)
        }
        members.requestLater(from: member)
        awaitsDemand = true
    }

    /// Receives a value for which a unit of demand has been reserved.
    ///
    /// That unit may go to another value that has waited longer, and demand that comes back with it to this one.
    ///
    /// - Parameter isReplaced: Whether the next value has been requested from the member.
    @usableFromInline func take(reserved value: Output, from member: MergeMember, isReplaced: Bool) {
        if isOver { return }
        outstanding.add(.max(1))
        if !member.hasEnded, failure == nil { keep(Waiting(value, from: member, isReplaced: isReplaced)) }
        deliverWaiting()
    }

    // The unit is taken now, so that the next value is requested from a member that sends on its own before it sends
    // it.
    @inlinable package func postpone(_ value: Output, from member: MergeMember) -> Subscribers.Demand {
        guard outstanding.takeOne() else {
            postpone { self.request(self.take(value, from: member), from: member.subscription) }
            return .none
        }
        let isUnlimited = outstanding.isUnlimited
        let isReplaced = outstanding.isPending
        postpone { self.take(reserved: value, from: member, isReplaced: isReplaced) }
        return isReplaced && !isUnlimited ? .max(1) : .none
    }

    @usableFromInline func keep(_ waiting: Waiting) {
        waiting.member.waiting += 1
        queue.append(waiting)
    }

    /// Delivers a value for which one unit of demand has been taken.
    @inlinable @inline(__always) package func pass(_ value: Output) {
        if deliver(value) > .none { requestWhatAwaitsDemand() }
    }

    // Demand that comes back is for the values that wait first, so nothing is requested for it yet.
    @usableFromInline func deliver(_ waiting: Waiting) {
        waiting.member.waiting -= 1
        _ = deliver(waiting.value)
        if phase == .over || failure != nil { return }
        if waiting.member.hasEnded {
            requestPublisher(inPlaceOf: waiting.member)
        } else if !waiting.isReplaced, !waiting.member.isOpen {
            members.requestLater(from: waiting.member)
            awaitsDemand = true
        }
    }

    /// Delivers the waiting values as far as there is demand, then requests from the upstreams what has waited for it.
    @usableFromInline package func serve() {
        if !isOver { deliverWaiting() }
    }

    @usableFromInline func deliverWaiting() {
        if outstanding.isUnlimited { requestWhatAwaitsDemand() }
        while !queue.isEmpty, outstanding.takeOne(), let first = queue.popFirst() {
            deliver(first)
            if phase == .over { return }
        }
        if outstanding.isPending { requestWhatAwaitsDemand() }
        finishIfDone()
    }

    /// Requests from the upstreams what has waited for demand, which has arrived.
    @inlinable @inline(__always) func requestWhatAwaitsDemand() {
        if awaitsDemand || !members.areOpen && outstanding.isUnlimited { requestFromUpstreams() }
    }

    @usableFromInline func requestFromUpstreams() {
        awaitsDemand = false
        if members.request(isUnlimited: outstanding.isUnlimited, on: self) {
            if source != nil { requestByChoice() }
        } else {
            request(demandForOuter(), from: source?.subscription)
        }
    }

    @usableFromInline package override func nextRequest() -> (
        demand: Subscribers.Demand, upstream: ConduitSubscription
    )? {
        guard outstanding.isPending else {
            awaitsDemand = true
            return nil
        }
        if let member = members.nextUnrequested() { return (.max(1), member) }
        let demand = demandForOuter()
        return demand > .none ? source?.subscription.map { (demand, $0) } : nil
    }

    @usableFromInline package func demandForOuter() -> Subscribers.Demand {
        guard let source, let subscription = source.subscription, outstanding.isPending else { return .none }
        if !source.isRequested {
            source.isRequested = true
            let waits = limit == .unlimited && !outstanding.isUnlimited && subscription.traits.contains(.waitsForDemand)
            goesOneByOne.store(waits, ordering: .relaxed)
            return waits ? .max(1) : limit
        }
        if goesOneByOne.load(ordering: .relaxed), outstanding.isUnlimited {
            goesOneByOne.store(false, ordering: .relaxed)
            return .unlimited
        }
        return exchange(&missing, with: .none)
    }

    /// The demand for another inner publisher: none until there is demand for its values.
    // Inlined: it is called for every value where publishers of one value are requested one at a time.
    @inlinable @inline(__always) func demandForAnother() -> Subscribers.Demand {
        if outstanding.isPending, !choosesFirst { return .max(1) }
        missing += 1
        awaitsDemand = true
        return .none
    }

    /// Requests another publisher when one has completed and all of its values have been delivered.
    @inlinable func requestPublisher(inPlaceOf member: MergeMember) {
        if limit == .unlimited || member.waiting > 0 { return }
        missing += 1
        if outstanding.isPending { requestByChoice() } else { awaitsDemand = true }
    }

    @inlinable package func end(_ member: MergeMember, _ completion: Subscribers.Completion<Failure>) {
        if isOver || !member.end() { return }
        members.remove(member)
        if case .finished = completion { requestPublisher(inPlaceOf: member) }
        hasOneLess(completion)
    }

    @inlinable package func endOuter(_ completion: Subscribers.Completion<Failure>) { hasOneLess(completion) }

    @inlinable func hasOneLess(_ completion: Subscribers.Completion<Failure>) {
        living.subtract(1, ordering: .relaxed)
        switch completion {
        case .finished:
            finishIfDone()
        case .failure(let failure) where failures == .afterValues && !queue.isEmpty:
            self.failure = self.failure ?? failure
            cancelMembers()
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

    @usableFromInline package override var traitsByUpstreams: SubscriptionTraits {
        source?.traits.intersection(.startsOnDemand) ?? members.traits(ofAll: Int(living.load(ordering: .relaxed)))
    }

    @inlinable func cancelMembers() {
        source?.cancel()
        exchange(&members, with: MergeMembers()).cancel()
    }

    @usableFromInline package override func releaseUpstreams() {
        queue = Queue()
        cancelMembers()
    }
}
