/// An entry that a group has delivered to a consumer, which holds it until it is acknowledged or released.
///
/// While a copy of the delivery exists, the consumer renews its hold on the entry. An entry whose last copy is released
/// without having been acknowledged, because the work on it has failed, is delivered again after `takeOverAfter`, here
/// or elsewhere.
public struct Delivery: Sendable {
    /// The identifier of the entry.
    public let id: EntryID

    /// The fields of the entry.
    public let fields: EntryFields

    /// How often the group has delivered the entry, including this time: one, unless it was pending.
    public let count: Int

    /// The consumer that held the entry before, if there was one; it may be this consumer.
    public let takenFrom: Bytes?

    let hold: Hold

    /// The key by which entries of a partitioned stream are in order; empty if it has none.
    public var key: Bytes { fields[RedisPartitions.keyField] ?? Bytes() }

    /// The partition in which the entry is; `nil` for a stream without partitions.
    public var partition: Int? { (hold.keeper as? PartitionLease)?.partition }

    /// The token with which this worker owns the partition, above those of all previous owners; `nil` for a stream
    /// without partitions.
    ///
    /// A system that refuses a token below one that it has seen is safe from a worker that was stopped and does not
    /// know yet that it no longer owns the partition.
    public var token: Int64? { (hold.keeper as? PartitionLease)?.token }

    /// Whether this consumer still holds the entry, by its own clock.
    ///
    /// If not, it was stopped or out of touch with the server for so long that another may have taken the entry over, the
    /// group is lost, or it was worked on for longer than `longestWork`: the work may be done twice. It can become `true`
    /// again, if the server confirms that nobody has taken the entry over meanwhile.
    public var isHeld: Bool { hold.isHeld }
}

extension Delivery: CustomStringConvertible {
    /// The identifier, the count and the fields.
    public var description: String { "\(id) (\(count)) \(fields)" }
}

/// The hold of a consumer on one entry, for as long as the delivery is referenced.
final class Hold: Sendable {
    let id: EntryID
    let keeper: any HoldKeeper
    let place: Int

    /// - Parameters:
    ///   - time: When the entry was asked for.
    ///   - again: Whether the entry has been delivered before.
    init(_ id: EntryID, in holds: Holds, since time: ContinuousClock.Instant, again: Bool) {
        self.id = id
        keeper = holds
        place = holds.add(id, since: time, again: again)
    }

    /// Creates the hold that its keeper knows by a place.
    init(_ id: EntryID, in keeper: any HoldKeeper, at place: Int) {
        self.id = id
        self.keeper = keeper
        self.place = place
    }

    deinit { keeper.release(place) }

    var isHeld: Bool { keeper.isHeld(place) }
}

/// Knows who holds the entries of deliveries.
protocol HoldKeeper: AnyObject, Sendable {
    /// What acknowledges them.
    var target: any AcknowledgementTarget { get }

    /// Called when the last copy of a delivery is released.
    func release(_ place: Int)

    func isHeld(_ place: Int) -> Bool
}
