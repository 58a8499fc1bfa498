import HeadgateCore

/// An entry that its worker has read.
struct PartitionEntry {
    let id: EntryID
    let fields: EntryFields
    let key: Bytes
    /// How often it has been delivered, with this time.
    let count: Int
    /// Who owned the partition when the entry was pending in it.
    let takenFrom: Bytes?
    /// Whether it has been delivered too often, and the dead-letter stream does not accept it: it keeps its place.
    var isStuck = false
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

/// A worker's ownership of a partition for a time, by a token.
///
/// It is what the deliveries of that time have in common. Its state belongs to the worker's lock.
// Confined to who holds the lock of the worker's state. What is accessed for each entry is not checked at run time for
// accesses that overlap.
final class PartitionLease: HoldKeeper, @unchecked Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What is read next.
    enum Phase {
        /// What is pending in the partition, after an identifier.
        case listing(after: EntryID?)
        case reading
    }

    /// What a partition is given up with: what has been read and not been handed out.
    struct Unused {
        /// How often entries had been delivered before.
        var counts: [(id: EntryID, count: Int)] = []
        /// After which entry all that is pending is such, known here or not.
        var after: EntryID?
        /// How many entries have been handed out and are not done.
        var underWay = 0
    }

    let partition: Int
    let token: Int64
    let tokenBytes: Bytes
    /// The keys of its lease, of who had it last, and of the stream.
    let keys: [Bytes]
    /// What has to be on the server for as long as the partition may be read by this token.
    let fenceKey: Bytes
    let worker: PartitionWorker
    /// Who owned it before, if that was another time.
    let former: Bytes?

    /// When the ownership ends unless it is renewed, by this process's clock.
    @exclusivity(unchecked) var end: Instant
    var phase = Phase.listing(after: nil)
    var listed: [PartitionClaim] = []
    /// Entries whose work has failed.
    var failed: [PartitionClaim] = []
    /// Up to where entries have been received.
    @exclusivity(unchecked) var newest: EntryID
    /// Up to where it is known whether there are entries.
    var seen: EntryID
    var mayHaveMore = true
    /// Whether it has been read: what is pending beyond the newest entry has been handed out to nobody since.
    var hasRead = false
    /// Whether there may be such entries, because a reply was lost.
    var mayHaveUnknown = false
    /// Whether the server has refused to read it, and the renewal that tells why is still due.
    var isRefused = false
    /// Whether a node of a cluster is to tell of the next change.
    var isWatched = false
    /// When to ask again, because the node of the cluster is gone.
    var resumption: Instant?
    /// Whether the reply to a renewal is still due.
    var isRenewing = false
    @exclusivity(unchecked) var underWay = PartitionUnderWay()
    /// The entries that wait until one of their key is done; the key of each one that is not has a queue.
    @exclusivity(unchecked) var waiting: [Bytes: [PartitionEntry]] = [:]
    @exclusivity(unchecked) var waitingCount = 0
    /// What has been read and can't be handed out because the ownership is not confirmed.
    @exclusivity(unchecked) var parked: [PartitionEntry] = []
    /// Until when what is under way is waited for, because another is to own the partition.
    @exclusivity(unchecked) var drainsUntil: Instant?
    var deadline: AnyCancellable?
    /// Whether entries of it are being delivered.
    var isInStep = false

    init(
        _ partition: Int, _ token: Int64, _ worker: PartitionWorker, former: Bytes?, end: Instant, delivered: EntryID
    ) {
        self.partition = partition
        self.token = token
        tokenBytes = Bytes("\(token)")
        keys = worker.group.keys(of: partition)
        fenceKey = worker.group.partitions.joined(keys[0], ":", tokenBytes)
        self.worker = worker
        self.former = former
        self.end = end
        seen = delivered
        newest = EntryID(0, 0)
    }

    var leaseKey: Bytes { keys[0] }

    var streamKey: Bytes { keys[2] }

    var target: any AcknowledgementTarget { worker }

    func release(_ place: Int) { worker.takeRelease(of: place, in: self) }

    func isHeld(_ place: Int) -> Bool { worker.isHeld(place, in: self) }

    var isDraining: Bool { drainsUntil != nil }

    /// Whether nothing is under way that is to be waited for before it is passed on.
    var isIdle: Bool { underWay.isEmpty && !isInStep }

    /// Whether all that was read has been handed out.
    var isUsedUp: Bool { waitingCount == 0 && parked.isEmpty && !isInStep && !mayHaveUnknown }

    /// How many more entries may be read while keys are held back.
    var room: Int { max(0, PartitionGroup.mostHeldBack - waitingCount - parked.count) }

    /// Takes an entry that has been read.
    ///
    /// - Returns: The entry, if it can be handed out.
    func admit(_ entry: PartitionEntry, _ ordering: PartitionOrdering, isFirstOfKey: Bool = false) -> PartitionEntry? {
        newest = max(newest, entry.id)
        if ordering == .asRead || isFirstOfKey { return entry }
        if let queue = waiting.index(forKey: entry.key) {
            waiting.values[queue].append(entry)
            waitingCount += 1
            return nil
        }
        waiting[entry.key] = []
        return entry
    }

    /// Learns that an entry of a key is done.
    ///
    /// - Returns: The next one of that key.
    func finish(_ key: Bytes) -> PartitionEntry? {
        guard let queue = waiting.index(forKey: key) else { return nil }
        if waiting.values[queue].isEmpty {
            waiting.remove(at: queue)
            return nil
        }
        waitingCount -= 1
        return waiting.values[queue].removeFirst()
    }

    /// Where to look for new entries.
    var position: EntryID { max(newest, seen) }

    /// Whether the server may be asked about it.
    func isThere(_ now: Instant) -> Bool { !isRefused && resumption.map { $0 <= now } ?? true }

    /// Called when the reply to a read is lost: what may be pending because of it comes before what is new.
    func recover() {
        mayHaveUnknown = true
        mayHaveMore = true
        phase = .listing(after: newest)
    }

    /// Whether anything could be read now.
    func hasWork(_ now: Instant) -> Bool {
        if isDraining || !isThere(now) { return false }
        if failed.contains(where: { $0.due <= now }) { return true }
        if room == 0 { return false }
        if case .listing = phase { return true }
        return !listed.isEmpty || mayHaveMore
    }
}
