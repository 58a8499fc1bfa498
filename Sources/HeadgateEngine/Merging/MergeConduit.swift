import HeadgateCore
import Synchronization

/// Merges the values of any number of publishers, which may join while others are already delivering.
///
/// While demand is unlimited, unlimited values are requested from every member and go straight through. Otherwise one
/// value is requested from every member, and the next when that one has been delivered, so members take turns. A value
/// that arrives during another delivery reserves a unit of demand, and the next one is requested from its member at
/// once. Values without demand wait in one queue.
@usableFromInline
package final class MergeConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Joining {
    /// How many publishers may still send something: the members, and the outer publisher if there is one.
    @usableFromInline package let living: Atomic<Int32>

    /// Whether a failure completes the stream only once no more values wait.
    @usableFromInline let failsAfterValues: Bool

    /// The outer publisher, if the members are created from its values.
    @usableFromInline let outer: FlatMapOuter?

    // Confined to the drain's owner.
    /// Whether something is to be requested from upstreams as soon as there is demand.
    @exclusivity(unchecked) @usableFromInline var awaitsDemand = true

    /// The values that wait for demand, and whether the next one has been requested from their member already.
    @exclusivity(unchecked) @usableFromInline var queue = Queue<
        (value: Output, member: MergeMember, isReplaced: Bool)
    >()

    @exclusivity(unchecked) @usableFromInline var members = MergeMembers()

    /// The failure that completes the stream once no more values wait.
    @exclusivity(unchecked) @usableFromInline var failure: Failure?

    /// Creates the conduit.
    ///
    /// - Parameter count: The number of members that are going to be attached, including the outer publisher.
    @inlinable package init(
        name: StaticString, count: Int, outer: FlatMapOuter? = nil, failsAfterValues: Bool = false,
        _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.outer = outer
        self.failsAfterValues = failsAfterValues
        living = Atomic(Int32(count))
        super.init(name: name, downstream, handle: MergeConduit.serving)
    }

    /// Attaches the conduit to one of the publishers that are merged.
    @usableFromInline package typealias Attach = (MergeInlet<Output, Failure>) -> Void

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
    @inlinable package func member() -> MergeInlet<Output, Failure> { MergeInlet(self, MergeMember()) }

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
        keep(value, from: member, isReplaced: member.isOpen)
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
        if !member.hasEnded, failure == nil { keep(value, from: member, isReplaced: isReplaced) }
        deliverWaiting()
    }

    /// Enqueues a value for the drain's owner.
    ///
    /// - Returns: The demand to return to its member meanwhile.
    // The unit is taken now, so that the next value is requested from a member that sends on its own before it sends
    // it.
    @inlinable @inline(never) package func postpone(_ value: Output, from member: MergeMember) -> Subscribers.Demand {
        guard outstanding.takeOne() else {
            postpone { self.request(self.take(value, from: member), from: member.subscription) }
            return .none
        }
        let isUnlimited = outstanding.isUnlimited
        let isReplaced = outstanding.isPending
        postpone { self.take(reserved: value, from: member, isReplaced: isReplaced) }
        return isReplaced && !isUnlimited ? .max(1) : .none
    }

    @usableFromInline func keep(_ value: Output, from member: MergeMember, isReplaced: Bool) {
        member.waiting += 1
        queue.append((value, member, isReplaced))
    }

    /// Delivers a value for which one unit of demand has been taken.
    @inlinable @inline(__always) package func pass(_ value: Output) {
        if deliver(value) > .none { requestWhatAwaitsDemand() }
    }

    // Demand that comes back is for the values that wait first, so nothing is requested for it yet.
    @usableFromInline func deliver(_ value: Output, from member: MergeMember, isReplaced: Bool) {
        member.waiting -= 1
        _ = deliver(value)
        if hasEnded || failure != nil { return }
        if member.hasEnded {
            requestPublisher(inPlaceOf: member)
        } else if !isReplaced, !member.isOpen {
            members.requestLater(from: member)
            awaitsDemand = true
        }
    }

    /// Requests another publisher when one has completed and all of its values have been delivered.
    @inlinable func requestPublisher(inPlaceOf member: MergeMember) {
        if let outer, member.waiting == 0 { requestPublisher(from: outer) }
    }

    /// Delivers the waiting values as far as there is demand, then requests from the upstreams what has waited for it.
    @usableFromInline package func serve() {
        if !isOver { deliverWaiting() }
    }

    @usableFromInline func deliverWaiting() {
        if outstanding.isUnlimited { requestWhatAwaitsDemand() }
        while !queue.isEmpty, outstanding.takeOne(), let first = queue.popFirst() {
            deliver(first.value, from: first.member, isReplaced: first.isReplaced)
            if hasEnded { return }
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
        let areChosen = members.request(isUnlimited: outstanding.isUnlimited, on: self)
        guard let outer else { return }
        if areChosen { requestByChoice() } else { request(demandForOuter(), from: outer.subscription) }
    }

    @usableFromInline package override func nextRequest() -> (
        demand: Subscribers.Demand, upstream: ConduitSubscription
    )? {
        guard outstanding.isPending else {
            awaitsDemand = true
            return nil
        }
        if let member = members.nextUnrequested() { return (.max(1), member) }
        guard let outer else { return nil }
        let demand = demandForOuter()
        return demand > .none ? outer.subscription.map { (demand, $0) } : nil
    }

    @inlinable package func end(_ member: MergeMember, _ completion: Subscribers.Completion<Failure>) {
        if isOver || !member.end() { return }
        members.remove(member)
        if case .finished = completion { requestPublisher(inPlaceOf: member) }
        hasOneLess(completion)
    }

    @inlinable func hasOneLess(_ completion: Subscribers.Completion<Failure>) {
        living.subtract(1, ordering: .relaxed)
        switch completion {
        case .finished:
            finishIfDone()
        case .failure(let failure) where failsAfterValues && !queue.isEmpty:
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

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        outer?.traits.intersection(.startsOnDemand) ?? members.traits(ofAll: Int(living.load(ordering: .relaxed)))
    }

    @inlinable func cancelMembers() {
        outer?.cancel()
        exchange(&members, with: MergeMembers()).cancel()
    }

    @usableFromInline package override func releaseUpstreams() {
        queue = Queue()
        cancelMembers()
    }
}

/// The members of a `MergeConduit` that may still send something, in no particular order.
///
/// Adding and removing take constant time. It isn't generic, so that clients don't have to compile it for each type of
/// value.
// Confined to the owner of the conduit's drain.
@usableFromInline package struct MergeMembers: ~Copyable {
    private var list: [MergeMember] = []

    /// Whether unlimited values have been requested from every member.
    @usableFromInline package private(set) var areOpen = false

    /// Whether values have been requested from the members.
    private var haveBegun = false

    /// The members whose next value is requested when there is demand.
    private var unrequested = Queue<MergeMember>()

    /// Those of them that send on their own.
    private var unrequestedSenders: [MergeMember] = []

    @usableFromInline package init() {}

    /// Adds a member.
    ///
    /// - Returns: The demand to request from it.
    @usableFromInline package mutating func append(_ member: MergeMember, hasDemand: Bool) -> Subscribers.Demand {
        member.position = Int32(list.count)
        member.isOpen = areOpen
        list.append(member)
        if areOpen { return .unlimited }
        // If nothing has been requested from any member, the first request will include this one.
        if !haveBegun { return .none }
        if hasDemand { return .max(1) }
        requestLater(from: member)
        return .none
    }

    /// Removes a member, if it is in the list; the last one moves to its position.
    @usableFromInline package mutating func remove(_ member: MergeMember) {
        if member.position < 0 { return }
        let last = list.removeLast()
        if last !== member {
            list[Int(member.position)] = last
            last.position = member.position
        }
        member.position = -1
    }

    /// Records that the next value of a member is to be requested when there is demand.
    @usableFromInline @inline(never) package mutating func requestLater(from member: MergeMember) {
        if member.traits.contains(.sendsByItself) {
            unrequestedSenders.append(member)
        } else {
            unrequested.append(member)
        }
    }

    /// Requests a value from every member from which none has been requested, as long as there is demand, or unlimited
    /// values from all.
    ///
    /// - Returns: Whether there were any.
    @usableFromInline package mutating func request(isUnlimited: Bool, on conduit: JoiningConduit<some Any, some Error>)
        -> Bool
    {
        if isUnlimited {
            open(on: conduit)
            return false
        }
        if !haveBegun {
            haveBegun = true
            for member in list { requestLater(from: member) }
        }
        // A request to these returns before they have sent anything.
        for member in unrequestedSenders { conduit.request(.max(1), from: member.subscription) }
        unrequestedSenders.removeAll(keepingCapacity: true)
        if unrequested.isEmpty { return false }
        if unrequested.count == 1 {
            conduit.request(.max(1), from: nextUnrequested())
        } else {
            conduit.requestByChoice()
        }
        return true
    }

    /// Removes the member that has waited longest for a request.
    @usableFromInline package mutating func nextUnrequested() -> ConduitSubscription? {
        while let member = unrequested.popFirst() {
            if let subscription = member.subscription { return subscription }
        }
        return nil
    }

    /// Requests unlimited values from every member, unless that has been done.
    @usableFromInline package mutating func open(on conduit: JoiningConduit<some Any, some Error>) {
        if areOpen { return }
        areOpen = true
        haveBegun = true
        unrequestedSenders = []
        // First those that have waited longest: the list is in no particular order.
        while let member = unrequested.popFirst() { open(member, on: conduit) }
        for member in list where !member.isOpen { open(member, on: conduit) }
    }

    private func open(_ member: MergeMember, on conduit: JoiningConduit<some Any, some Error>) {
        member.isOpen = true
        conduit.request(.unlimited, from: member.subscription)
    }

    /// Cancels every member.
    @usableFromInline package consuming func cancel() {
        for member in list { member.cancel() }
    }

    /// What is known about how their values arrive, if there are as many as are expected.
    @usableFromInline package func traits(ofAll count: Int) -> SubscriptionTraits {
        list.count < count ? [] : list.reduce(.waitsForDemand) { $0.intersection($1.traits) }
    }
}

/// One of the publishers that a `MergeConduit` merges.
// Confined to the owner of the conduit's drain.
@usableFromInline package final class MergeMember: Upstream {
    /// Whether unlimited values have been requested from this member.
    @exclusivity(unchecked) @usableFromInline var isOpen = false

    /// The position in the conduit's list, negative outside it.
    @exclusivity(unchecked) var position: Int32 = -1

    /// How many values of this member wait for demand.
    @exclusivity(unchecked) @usableFromInline var waiting: Int32 = 0

    @usableFromInline override init() {}
}

/// The subscriber to one of these publishers.
@usableFromInline package struct MergeInlet<Input, Failure: Error>: Inlet {
    @usableFromInline package let conduit: MergeConduit<Input, Failure>

    @usableFromInline package let side: MergeMember

    @inlinable init(_ conduit: MergeConduit<Input, Failure>, _ member: MergeMember) {
        self.conduit = conduit
        side = member
    }

    // Not inlined: inside the loops of a sequence, it would take an eighth more stack per `flatMap`.
    @inlinable @inline(never) package func receive(_ input: Input) -> Subscribers.Demand { takeInTurn(input) }

    @inlinable @inline(__always) package func take(_ input: Input) -> Subscribers.Demand {
        conduit.take(input, from: side)
    }

    @inlinable package func postpone(_ input: Input) -> Subscribers.Demand { conduit.postpone(input, from: side) }
}
