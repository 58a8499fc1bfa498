/// An entry that a group has delivered to a consumer, which holds it until it is acknowledged or released.
///
/// While a copy of the delivery exists, the consumer renews its hold on the entry. An entry whose last copy is released
/// without having been acknowledged, because the work on it has failed, is delivered again after `takeOverAfter`, here
/// or elsewhere.
public struct Delivery: Sendable {
    let hold: any Hold

    /// The identifier of the entry.
    public var id: EntryID { hold.id }

    /// The fields of the entry.
    public var fields: EntryFields { hold.fields }

    /// How often the group has delivered the entry, including this time: one, unless it was pending.
    public var count: Int { hold.count }

    /// The consumer that held the entry before, if there was one; it may be this consumer.
    public var takenFrom: Bytes? { hold.takenFrom }

    /// The key by which entries of a partitioned stream are in order; empty if it has none.
    public var key: Bytes { fields[RedisPartitions.keyField] ?? Bytes() }

    /// The partition in which the entry is; `nil` for a stream without partitions.
    public var partition: Int? { (hold as? PartitionEntry)?.lease.partition }

    /// The token with which this worker owns the partition, above those of all previous owners; `nil` for a stream
    /// without partitions.
    ///
    /// A system that refuses a token below one that it has seen is safe from a worker that was stopped and does not
    /// know yet that it no longer owns the partition.
    public var token: Int64? { (hold as? PartitionEntry)?.lease.token }

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
protocol Hold: AnyObject, Sendable {
    var id: EntryID { get }
    var fields: EntryFields { get }
    /// How often it has been delivered, with this time.
    var count: Int { get }
    /// Who had it before: of a partition, who owned that when the entry was pending in it.
    var takenFrom: Bytes? { get }

    /// What acknowledges the entry.
    var target: any AcknowledgementTarget { get }

    /// Whether that is what acknowledges another, without a reference to it for each entry.
    func belongs(to target: AnyObject) -> Bool

    var isHeld: Bool { get }
}
