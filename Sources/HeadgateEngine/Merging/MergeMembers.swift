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

    @usableFromInline package init() {}

    /// Adds a member, from which the caller requests values.
    @usableFromInline package mutating func append(_ member: MergeMember) {
        member.position = Int32(list.count)
        member.isOpen = areOpen
        list.append(member)
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

    /// Makes the first request to every member.
    ///
    /// Begins with those that send on their own: a request to one that delivers immediately may never return.
    @usableFromInline package mutating func begin(isUnlimited: Bool, on conduit: DrainingConduit) {
        areOpen = isUnlimited
        for member in list { member.isOpen = isUnlimited }
        for sendsByItself in [true, false] {
            for member in list where member.traits.contains(.sendsByItself) == sendsByItself {
                conduit.request(isUnlimited ? .unlimited : .max(1), from: member.subscription)
            }
        }
    }

    /// Requests unlimited values from every member, unless that has been done.
    @usableFromInline package mutating func open(on conduit: DrainingConduit) {
        if areOpen { return }
        areOpen = true
        for member in list {
            member.isOpen = true
            conduit.request(.unlimited, from: member.subscription)
        }
    }

    /// Cancels every member.
    @usableFromInline package consuming func cancel() {
        for member in list { member.cancel() }
    }

    @usableFromInline package var traits: SubscriptionTraits {
        list.allSatisfy { $0.traits.contains(.waitsForDemand) } ? .waitsForDemand : []
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
