import HeadgateCore

/// The subscribers of a hub, in the order in which they subscribed.
///
/// Removal takes amortised constant time: a position is vacated, and the list is compacted when most positions are
/// vacant.
@usableFromInline package struct Roster<Output, Failure: Error>: ~Copyable {
    @usableFromInline package typealias Member = HubSubscription<Output, Failure>

    /// A subscriber as its hub sees it.
    ///
    /// Entries can't be copied and are used in place, so a delivery retains nothing.
    @usableFromInline package struct Entry: ~Copyable {
        @usableFromInline package let member: Member

        @usableFromInline package let receiveValue: (Output) -> Subscribers.Demand

        @usableFromInline package let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

        @inlinable package init(_ member: Member, _ subscriber: AnySubscriber<Output, Failure>) {
            self.member = member
            receiveValue = subscriber.onValue
            receiveCompletion = subscriber.onCompletion
        }

        /// Delivers a value if there is demand.
        @inlinable package func deliver(_ value: Output) {
            if member.outstanding.isUnlimited {
                member.hasMissedLatest = false
                _ = receiveValue(value)
            } else if member.outstanding.takeOne() {
                member.hasMissedLatest = false
                member.outstanding.add(receiveValue(value))
            } else {
                member.hasMissedLatest = true
            }
        }

        /// Delivers the completion to the subscriber.
        @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
            member.position = -1
            if member.outstanding.close() != nil { receiveCompletion(completion) }
        }
    }

    @usableFromInline package typealias Place = UnsafeMutablePointer<Entry>

    @usableFromInline package var places: ContiguousArray<Place?> = []

    @usableFromInline package var vacancies = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { vacancies == places.count }

    @inlinable deinit {
        for place in places { Self.release(place) }
    }

    @inlinable package static func release(_ place: Place?) {
        place?.deinitialize(count: 1)
        place?.deallocate()
    }

    /// Calls a closure for every subscriber, in order.
    @inlinable @inline(__always) package func forEach(_ body: (borrowing Entry) -> Void) {
        for place in places {
            if let place { body(place.pointee) }
        }
    }

    /// Appends a subscriber.
    @inlinable package mutating func append(_ member: Member, _ subscriber: AnySubscriber<Output, Failure>) {
        member.position = Int32(places.count)
        let place = Place.allocate(capacity: 1)
        place.initialize(to: Entry(member, subscriber))
        places.append(place)
    }

    /// Removes a subscriber, if it is still in the list.
    ///
    /// - Returns: Its entry, which the caller has to release.
    @inlinable package mutating func remove(_ member: Member) -> Place? {
        if member.position < 0 { return nil }
        let place = places[Int(member.position)]
        places[Int(member.position)] = nil
        member.position = -1
        vacancies += 1
        if vacancies > 16, vacancies > places.count / 2 { closeRanks() }
        return place
    }

    @inlinable @inline(never) package mutating func closeRanks() {
        places.removeAll { $0 == nil }
        vacancies = 0
        for (position, place) in places.enumerated() {
            place.unsafelyUnwrapped.pointee.member.position = Int32(position)
        }
    }
}
