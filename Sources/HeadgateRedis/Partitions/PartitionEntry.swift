/// An entry that its worker has read, and once it is handed out, the hold on it.
///
/// It is one object from when it is read to when it is done.
// Confined to who holds the lock of the worker's state, but for what never changes.
final class PartitionEntry: Hold, @unchecked Sendable {
    enum State {
        /// It has not been handed out.
        case waiting
        case underWay
        case beingAcknowledged
        case done
    }

    let id: EntryID
    let fields: EntryFields
    let key: Bytes
    /// How often it has been delivered, with this time.
    let count: Int
    /// Who owned the partition when the entry was pending in it.
    let takenFrom: Bytes?
    /// Whether it has been delivered too often, and the dead-letter stream does not accept it: it keeps its place.
    let isStuck: Bool
    let lease: PartitionLease
    @exclusivity(unchecked) var state = State.waiting

    init(
        _ id: EntryID, _ fields: EntryFields, in lease: PartitionLease, count: Int = 1, takenFrom: Bytes? = nil,
        isStuck: Bool = false
    ) {
        self.id = id
        self.fields = fields
        self.lease = lease
        self.count = count
        self.takenFrom = takenFrom
        self.isStuck = isStuck
        key = fields[RedisPartitions.keyField] ?? Bytes()
    }

    deinit {
        // Nobody else knows it any more, so no lock is needed to see what has become of it.
        switch state {
        case .waiting, .done: break
        case .underWay, .beingAcknowledged:
            lease.worker.takeFailure(of: id, key, count, wasBeingAcknowledged: state == .beingAcknowledged, in: lease)
        }
    }

    var target: any AcknowledgementTarget { lease.worker }

    func belongs(to target: AnyObject) -> Bool { lease.worker === target }

    var isHeld: Bool { lease.worker.isHeld(lease) }
}

/// An entry that is to be delivered again, and the count that it is to have then.
struct PartitionClaim {
    let id: EntryID
    let count: Int
    /// Whether later entries of its key wait for it.
    var holdsItsKey = false
    var key = Bytes()
    /// Who had it before.
    var from: Bytes?
    var due = ContinuousClock.Instant.now
}
