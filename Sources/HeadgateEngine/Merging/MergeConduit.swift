import HeadgateCore
import Synchronization

/// Merges the values of any number of publishers, which may join while others are already delivering.
///
/// While demand is unlimited, every member is requested everything from and its values go straight through. Otherwise
/// every member is requested one value from, and the next when that one has been delivered, so members take turns. A value
/// that finds another delivery under way reserves a unit of demand, and its member is requested from again at once. Values
/// that nobody has requested yet wait in one queue.
@usableFromInline
package final class MergeConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering, Feeding {
    @usableFromInline package typealias Input = Output

    /// When a failure ends the stream, if values wait for demand.
    @usableFromInline package enum FailureTiming {
        case atOnce
        case afterValues
    }

    @usableFromInline struct Waiting {
        @usableFromInline let member: MergeMember

        @usableFromInline let value: Output

        /// Whether the member has been requested the next value from already.
        @usableFromInline let isReplaced: Bool

        @inlinable init(_ value: Output, from member: MergeMember, isReplaced: Bool) {
            self.member = member
            self.value = value
            self.isReplaced = isReplaced
        }
    }

    /// How many publishers may still send something: the members, and the feeder if there is one.
    @usableFromInline package let living: Atomic<Int>

    /// How many members the feeder may have brought at a time.
    @usableFromInline package let limit: Subscribers.Demand

    @usableFromInline let failures: FailureTiming

    /// The publisher that brings members, if there is one.
    @usableFromInline package let feeder = Upstream()

    // The members below are only touched by the drain's owner, hence unchecked.

    /// The values that wait for demand.
    @exclusivity(unchecked) @usableFromInline var queue = Queue<Waiting>()

    @exclusivity(unchecked) @usableFromInline var members: ContiguousArray<MergeMember> = []

    /// Whether the upstreams have been requested anything from.
    @exclusivity(unchecked) @usableFromInline var hasStarted = false

    /// Whether every member is requested everything from.
    @exclusivity(unchecked) @usableFromInline var isOpen = false

    /// The failure that ends the stream when no more values wait.
    @exclusivity(unchecked) @usableFromInline var failure: Failure?

    /// Creates the conduit.
    ///
    /// - Parameters:
    ///   - count: The number of members that are going to be attached, the feeder included.
    ///   - limit: How many members the feeder may have brought at a time.
    @inlinable package init(
        name: StaticString, count: Int, limit: Subscribers.Demand = .unlimited, failures: FailureTiming = .atOnce,
        _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.limit = limit
        self.failures = failures
        living = Atomic(count)
        super.init(name: name, downstream, handle: MergeConduit.serving)
    }

    /// Connects the conduit to one of the publishers that are merged.
    @usableFromInline package typealias Attach = (SideInlet<MergeConduit>) -> Void

    @inlinable package static func attach(_ publisher: some Publisher<Output, Failure>) -> Attach {
        { publisher.receive(subscriber: $0) }
    }

    /// Connects a subscriber to the values of a number of publishers that is known from the start.
    @inlinable package static func connect(_ publishers: [Attach], to subscriber: some Subscriber<Output, Failure>) {
        let conduit = MergeConduit(name: "Merge", count: publishers.count, AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            for attach in publishers where conduit.earlyEnd == nil { attach(conduit.member()) }
        } start: {
            conduit.serve()
        }
    }

    /// A subscriber for one more of the publishers that are merged.
    @inlinable package func member() -> SideInlet<MergeConduit> { SideInlet(self, MergeMember()) }

    /// Takes a member in.
    ///
    /// - Returns: What to request from it.
    @inlinable package func connect(
        _ member: MergeMember, to subscription: ConduitSubscription
    ) -> Subscribers.Demand {
        guard member.connect(to: subscription, isWanted: !isOver && failure == nil) else { return .none }
        member.position = members.count
        members.append(member)
        member.isOpen = isOpen
        return hasStarted ? (isOpen ? .unlimited : .max(1)) : .none
    }

    /// Delivers a value, or keeps it until there is demand.
    ///
    /// - Returns: What to request from its member.
    @inlinable @inline(__always) package func take(_ value: Output, from member: MergeMember) -> Subscribers.Demand {
        if isOver || member.hasEnded || failure != nil { return .none }
        if queue.isEmpty, outstanding.takeOne() {
            pass(value)
            return member.isOpen || outstanding.isClosed ? .none : .max(1)
        }
        keep(Waiting(value, from: member, isReplaced: member.isOpen))
        return .none
    }

    /// Takes a value in for which a unit of demand has been reserved.
    ///
    /// Another one that has waited for longer may get it.
    @usableFromInline func take(reserved value: Output, from member: MergeMember) {
        if isOver || member.hasEnded || failure != nil { return }
        keep(Waiting(value, from: member, isReplaced: true))
        if let first = queue.popFirst() { deliver(first) }
    }

    // The unit is taken now, so that a member that sends by itself is requested from again before it sends the next value.
    @inlinable package func postpone(_ value: Output, from member: MergeMember) -> Subscribers.Demand {
        guard outstanding.takeOne() else {
            postpone { self.request(self.take(value, from: member), from: member.subscription) }
            return .none
        }
        let isUnlimited = outstanding.isUnlimited
        postpone { self.take(reserved: value, from: member) }
        return isUnlimited ? .none : .max(1)
    }

    @usableFromInline func keep(_ waiting: Waiting) {
        waiting.member.waiting += 1
        queue.append(waiting)
    }

    /// Delivers a value for which one unit of demand has been taken.
    @inlinable @inline(__always) package func pass(_ value: Output) {
        if deliver(value) > .none, !isOpen, outstanding.isUnlimited { open() }
    }

    @usableFromInline func deliver(_ waiting: Waiting) {
        waiting.member.waiting -= 1
        pass(waiting.value)
        if phase == .over || failure != nil { return }
        if waiting.member.hasEnded {
            requestMember(inPlaceOf: waiting.member)
        } else if !waiting.isReplaced, !waiting.member.isOpen {
            request(.max(1), from: waiting.member.subscription)
        }
    }

    /// Requests what the members are to send, and delivers what waits as far as it is wanted.
    @usableFromInline package func serve() {
        if isOver { return }
        if !hasStarted { start() }
        if outstanding.isUnlimited { open() }
        while !queue.isEmpty, outstanding.takeOne(), let first = queue.popFirst() {
            deliver(first)
            if phase == .over { return }
        }
        finishIfDone()
    }

    /// Requests something from every upstream for the first time.
    ///
    /// First from those that send by themselves: a request to one that answers at once may never return.
    @usableFromInline func start() {
        hasStarted = true
        isOpen = outstanding.isUnlimited
        for member in members { member.isOpen = isOpen }
        let demand: Subscribers.Demand = isOpen ? .unlimited : .max(1)
        for sendsByItself in [true, false] {
            for member in members where member.traits.contains(.sendsByItself) == sendsByItself {
                request(demand, from: member.subscription)
            }
        }
        requestOnce(limit, from: feeder)
    }

    @usableFromInline package func open() {
        if isOpen { return }
        isOpen = true
        for member in members {
            member.isOpen = true
            request(.unlimited, from: member.subscription)
        }
    }

    /// Requests another member from the feeder when one has ended and all of its values have been delivered.
    @inlinable func requestMember(inPlaceOf member: MergeMember) {
        if limit != .unlimited, member.waiting == 0 { request(.max(1), from: feeder.subscription) }
    }

    @inlinable package func end(_ member: MergeMember, _ completion: Subscribers.Completion<Failure>) {
        if isOver || !member.end() { return }
        unregister(member)
        if case .finished = completion { requestMember(inPlaceOf: member) }
        hasOneLess(completion)
    }

    /// Takes a member out; the last one moves to its place.
    @inlinable func unregister(_ member: MergeMember) {
        if member.position < 0 { return }
        let last = members.removeLast()
        if last !== member {
            members[member.position] = last
            last.position = member.position
        }
        member.position = -1
    }

    @inlinable package func endFeeder(_ completion: Subscribers.Completion<Failure>) { hasOneLess(completion) }

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

    @usableFromInline package override var traits: SubscriptionTraits {
        feeder.subscription == nil && members.allSatisfy { $0.traits.contains(.waitsForDemand) } ? .waitsForDemand : []
    }

    @inlinable func cancelMembers() {
        feeder.cancel()
        for member in exchange(&members, with: []) { member.cancel() }
    }

    @usableFromInline package override func releaseUpstreams() {
        queue = Queue()
        cancelMembers()
    }
}

/// One of the publishers that a `MergeConduit` merges.
// Only touched by the owner of the conduit's drain, hence unchecked.
@usableFromInline package final class MergeMember: Upstream {
    /// The place in the conduit's list, negative outside it.
    @exclusivity(unchecked) @usableFromInline var position = -1

    /// How many values of this member wait for demand.
    @exclusivity(unchecked) @usableFromInline var waiting = 0

    /// Whether this member has been requested everything from.
    @exclusivity(unchecked) @usableFromInline var isOpen = false
}
