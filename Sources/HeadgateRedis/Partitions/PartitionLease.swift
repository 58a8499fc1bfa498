/// A worker's ownership of a partition for a time, by a token.
///
/// It is what the deliveries of that time have in common. Its state belongs to the worker's lock.
// Confined to who holds the lock of the worker's state. What is accessed for each entry is not checked at run time for
// accesses that overlap.
final class PartitionLease: @unchecked Sendable {
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
    /// How many entries have been handed out and are not done, and how many of them are being acknowledged.
    @exclusivity(unchecked) var underWay = 0
    @exclusivity(unchecked) var beingAcknowledged = 0
    /// The entries that wait until one of their key is done; the key of each one that is not has a queue.
    @exclusivity(unchecked) var waiting: [Bytes: [PartitionEntry]] = [:]
    @exclusivity(unchecked) var waitingCount = 0
    /// What has been read and can't be handed out because the ownership is not confirmed.
    @exclusivity(unchecked) var parked: [PartitionEntry] = []
    /// Until when what is under way is waited for, because another is to own the partition.
    @exclusivity(unchecked) var drainsUntil: Instant?
    let deadline = AlarmSlot()
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

    var isDraining: Bool { drainsUntil != nil }

    /// Whether nothing is under way that is to be waited for before it is passed on.
    var isIdle: Bool { underWay == 0 && !isInStep }

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
        if Self.isFirst(entry, in: &waiting[entry.key]) { return entry }
        waitingCount += 1
        return nil
    }

    /// Adds an entry to those of its key, unless there are none.
    private static func isFirst(_ entry: PartitionEntry, in queue: inout [PartitionEntry]?) -> Bool {
        if queue == nil {
            queue = []
            return true
        }
        queue?.append(entry)
        return false
    }

    /// Learns that an entry of a key is done.
    ///
    /// - Returns: The next one of that key.
    func finish(_ key: Bytes) -> PartitionEntry? {
        guard !waiting.isEmpty, let next = Self.next(in: &waiting[key]) else { return nil }
        waitingCount -= 1
        return next
    }

    /// Takes the next entry of a key, which has none under way after the last one.
    private static func next(in queue: inout [PartitionEntry]?) -> PartitionEntry? {
        if queue?.isEmpty != false {
            queue = nil
            return nil
        }
        return queue?.removeFirst()
    }

    // MARK: - Handing out

    func handOut(_ entry: PartitionEntry) {
        entry.state = .underWay
        underWay += 1
    }

    func beginAcknowledging(_ entry: PartitionEntry) {
        if entry.state != .underWay { return }
        entry.state = .beingAcknowledged
        beingAcknowledged += 1
    }

    func endAcknowledging(_ entry: PartitionEntry) {
        if entry.state != .beingAcknowledged { return }
        entry.state = .underWay
        beingAcknowledged -= 1
    }

    /// Learns that an entry has been acknowledged.
    ///
    /// - Returns: Whether it was not before.
    func end(_ entry: PartitionEntry) -> Bool {
        endAcknowledging(entry)
        if entry.state != .underWay { return false }
        entry.state = .done
        underWay -= 1
        return true
    }

    /// Whether nothing remains once the replies to acknowledgements are there.
    var isBeingFinished: Bool { underWay == beingAcknowledged }

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
