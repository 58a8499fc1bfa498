import HeadgateCore
import Synchronization

/// The subscribers of a hub, in the order in which they subscribed.
///
/// Removal takes amortised constant time: a position is vacated, and the list is compacted when most positions are
/// vacant. It isn't generic, so that clients don't have to compile it for each type of value.
@usableFromInline package struct SubscriberList: ~Copyable {
    /// The position of a subscriber that isn't in the list.
    @inlinable package static var outside: Int32 { -1 }

    /// The position of one that has left with the others because nothing will be sent any more, and may still request
    /// the most recent value.
    @inlinable package static var awaitingLatest: Int32 { -2 }

    // Retained by the list, and not by each delivery.
    @usableFromInline package var places = ContiguousArray<Unmanaged<HubMember>?>()

    @usableFromInline package var vacancies = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { vacancies == places.count }

    @usableFromInline deinit {
        for place in places { place?.release() }
    }

    /// The subscriber at a position that exists, unless it has been removed.
    // Unchecked, because this is read once per delivery.
    @inlinable @inline(__always) package subscript(position: Int) -> Unmanaged<HubMember>? {
        places.withUnsafeBufferPointer { $0[position] }
    }

    /// Appends a subscriber.
    @usableFromInline package mutating func append(_ member: HubMember) {
        member.position = Int32(places.count)
        places.append(.passRetained(member))
    }

    /// Removes a subscriber, if it is still in the list.
    ///
    /// - Returns: Whether the caller has to release what it has subscribed with.
    @usableFromInline package mutating func remove(_ member: HubMember) -> Bool {
        if member.position < 0 { return member.position == Self.awaitingLatest }
        places[Int(member.position)]?.release()
        places[Int(member.position)] = nil
        member.position = Self.outside
        vacancies += 1
        if vacancies > 16, vacancies > places.count / 2 { compact() }
        return true
    }

    mutating func compact() {
        places.removeAll { $0 == nil }
        vacancies = 0
        for (position, place) in places.enumerated() {
            place?._withUnsafeGuaranteedRef { $0.position = Int32(position) }
        }
    }
}

/// The subscription of a subscriber to a hub, as far as its types don't matter.
@usableFromInline package class HubMember: ConduitSubscription {
    @usableFromInline package final let outstanding = OutstandingDemand()

    // Confined to the owner of the hub's drain.
    /// The position in the hub's list; negative outside it.
    @exclusivity(unchecked) @usableFromInline package final var position = SubscriberList.outside

    /// Whether the hub's most recent value is still to be delivered.
    @exclusivity(unchecked) @usableFromInline package final var hasMissedLatest = false

    /// Whether the subscriber has its subscription, and has yet to be enqueued for the list: its demand opens no upstream.
    @usableFromInline package final let isExpected = Atomic(false)

    /// Ends the time in which the subscriber is expected.
    ///
    /// - Returns: Whether it has demand. If not, who requests some finds that it is no longer expected.
    // An exchange, because a load of the demand would not say that to anybody.
    @usableFromInline package final func hasArrived() -> Bool {
        isExpected.store(false, ordering: .relaxed)
        let demand = outstanding.word.add(0, ordering: .acquiringAndReleasing).oldValue
        return demand > 0 && demand != OutstandingDemand.closed
    }

    @inlinable package override init(handle: @escaping (ConduitSubscription, Signal) -> Void) {
        super.init(handle: handle)
    }
}
