import HeadgateCore

/// The subscribers of a hub, in the order in which they subscribed.
///
/// Removal takes amortised constant time: a position is vacated, and the list is compacted when most positions are
/// vacant.
@usableFromInline package struct Roster<Output, Failure: Error>: ~Copyable {
    @usableFromInline package typealias Member = HubSubscription<Output, Failure>

    // Retained by the list, and not by each delivery.
    @usableFromInline package var places: ContiguousArray<Unmanaged<Member>?> = []

    @usableFromInline package var vacancies = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { vacancies == places.count }

    @inlinable deinit {
        for place in places {
            if let member = place?.takeRetainedValue() { member.downstream = Downstream() }
        }
    }

    /// Calls a closure for every subscriber, in order.
    @inlinable @inline(__always) package func forEach(_ body: (Member) -> Void) {
        for place in places { place?._withUnsafeGuaranteedRef { body($0) } }
    }

    /// Appends a subscriber.
    @inlinable package mutating func append(_ member: Member, _ subscriber: AnySubscriber<Output, Failure>) {
        member.position = Int32(places.count)
        member.downstream = Downstream(subscriber)
        places.append(.passRetained(member))
    }

    /// Removes a subscriber, if it is still in the list.
    ///
    /// - Returns: What it has subscribed with, which the caller has to release.
    @inlinable package mutating func remove(_ member: Member) -> Downstream<Output, Failure> {
        if member.position < 0 { return Downstream() }
        places[Int(member.position)]?.release()
        places[Int(member.position)] = nil
        member.position = -1
        vacancies += 1
        if vacancies > 16, vacancies > places.count / 2 { closeRanks() }
        return exchange(&member.downstream, with: Downstream())
    }

    @inlinable @inline(never) package mutating func closeRanks() {
        places.removeAll { $0 == nil }
        vacancies = 0
        for (position, place) in places.enumerated() {
            place?._withUnsafeGuaranteedRef { $0.position = Int32(position) }
        }
    }
}
