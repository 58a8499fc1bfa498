import HeadgateCore

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
    @usableFromInline package mutating func request(isUnlimited: Bool, on conduit: DrainingConduit) -> Bool {
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
    @usableFromInline package mutating func open(on conduit: DrainingConduit) {
        if areOpen { return }
        areOpen = true
        haveBegun = true
        unrequestedSenders = []
        // First those that have waited longest: the list is in no particular order.
        while let member = unrequested.popFirst() { open(member, on: conduit) }
        for member in list where !member.isOpen { open(member, on: conduit) }
    }

    private func open(_ member: MergeMember, on conduit: DrainingConduit) {
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
