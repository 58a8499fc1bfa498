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

    // Confined to the drain's owner.
    /// Whether anything has been requested from the upstreams.
    @exclusivity(unchecked) @usableFromInline var hasStarted = false

    /// The maximum number of inner publishers that are active at a time.
    @usableFromInline package let limit: Subscribers.Demand

    /// The outer publisher, if there is one.
    @usableFromInline let source: Upstream?

    @usableFromInline package var outer: Upstream { source.unsafelyUnwrapped }

    /// The values that wait for demand.
    // Confined to the drain's owner.
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
        members.append(member)
        return hasStarted ? (member.isOpen ? .unlimited : .max(1)) : .none
    }

    /// Delivers a value, or keeps it until there is demand.
    ///
    /// - Returns: The demand to return to its member.
    @inlinable @inline(__always) package func take(_ value: Output, from member: MergeMember) -> Subscribers.Demand {
        // If the stream is over, there is no demand, and after a failure all members have ended.
        if queue.isEmpty, !member.hasEnded, outstanding.takeOne() {
            pass(value)
            return member.isOpen || outstanding.isClosed ? .none : .max(1)
        }
        if isOver || member.hasEnded || failure != nil { return .none }
        keep(Waiting(value, from: member, isReplaced: member.isOpen))
        return .none
    }

    /// Receives a value for which a unit of demand has been reserved.
    ///
    /// That unit may go to another value that has waited longer.
    @usableFromInline func take(reserved value: Output, from member: MergeMember) {
        if isOver || member.hasEnded || failure != nil { return }
        keep(Waiting(value, from: member, isReplaced: true))
        if let first = queue.popFirst() { deliver(first) }
    }

    // The unit is taken now, so that the next value is requested from a member that sends on its own before it sends
    // it.
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
        if deliver(value) > .none, !members.areOpen, outstanding.isUnlimited { members.open(on: self) }
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

    /// Requests what the members are to send, and delivers the waiting values as far as there is demand.
    @usableFromInline package func serve() {
        if isOver { return }
        if !hasStarted { begin() }
        if outstanding.isUnlimited { members.open(on: self) }
        while !queue.isEmpty, outstanding.takeOne(), let first = queue.popFirst() {
            deliver(first)
            if phase == .over { return }
        }
        finishIfDone()
    }

    /// Makes the first request to every upstream.
    @usableFromInline func begin() {
        hasStarted = true
        members.begin(isUnlimited: outstanding.isUnlimited, on: self)
        if let source { requestOnce(limit, from: source) }
    }

    /// Requests another member from the outer publisher when one has completed and all of its values have been
    /// delivered.
    @inlinable func requestMember(inPlaceOf member: MergeMember) {
        if limit != .unlimited, member.waiting == 0 { request(.max(1), from: outer.subscription) }
    }

    @inlinable package func end(_ member: MergeMember, _ completion: Subscribers.Completion<Failure>) {
        if isOver || !member.end() { return }
        members.remove(member)
        if case .finished = completion { requestMember(inPlaceOf: member) }
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

    @usableFromInline package override var traits: SubscriptionTraits {
        source?.subscription == nil ? members.traits : []
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
