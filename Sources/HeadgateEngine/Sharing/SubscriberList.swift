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

    // Retained by the list, and not by each delivery. In memory of its own: a debug build would look up types to read an array.
    @usableFromInline var places: UnsafeMutablePointer<Unmanaged<HubMember>?>?

    var capacity: Int32 = 0

    /// How many positions there are.
    @usableFromInline var length: Int32 = 0

    @usableFromInline var vacancies: Int32 = 0

    @inlinable package init() {}

    @inlinable package var count: Int { Int(length) }

    @inlinable package var isEmpty: Bool { vacancies == length }

    @usableFromInline deinit {
        for position in 0..<count { self[position]?.release() }
        places?.deallocate()
    }

    /// The subscriber at a position that exists, unless it has been removed.
    // Unchecked, because this is read once per delivery.
    @inlinable @inline(__always) package subscript(position: Int) -> Unmanaged<HubMember>? {
        places.unsafelyUnwrapped[position]
    }

    /// Appends a subscriber.
    @usableFromInline package mutating func append(_ member: HubMember) {
        if length == capacity { grow() }
        member.position = length
        (places.unsafelyUnwrapped + count).initialize(to: .passRetained(member))
        length += 1
    }

    mutating func grow() {
        capacity = max(1, 2 * capacity)
        let larger = UnsafeMutablePointer<Unmanaged<HubMember>?>.allocate(capacity: Int(capacity))
        if let places {
            larger.moveInitialize(from: places, count: count)
            places.deallocate()
        }
        places = larger
    }

    /// Removes a subscriber, if it is still in the list.
    ///
    /// - Returns: Whether the caller has to release what it has subscribed with.
    @usableFromInline package mutating func remove(_ member: HubMember) -> Bool {
        if member.position < 0 { return member.position == Self.awaitingLatest }
        let position = Int(member.position)
        self[position]?.release()
        places.unsafelyUnwrapped[position] = nil
        member.position = Self.outside
        vacancies += 1
        if vacancies > 16, vacancies > length / 2 { compact() }
        return true
    }

    /// Closes the gaps.
    mutating func compact() {
        var kept: Int32 = 0
        for position in 0..<count {
            guard let place = self[position] else { continue }
            places.unsafelyUnwrapped[Int(kept)] = place
            place._withUnsafeGuaranteedRef { $0.position = kept }
            kept += 1
        }
        (length, vacancies) = (kept, 0)
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
