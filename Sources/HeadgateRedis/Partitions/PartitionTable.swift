import HeadgateEngine

/// The state of a worker.
struct PartitionTable {
    typealias Instant = ContinuousClock.Instant

    enum Life {
        /// Nothing has been requested.
        case new
        /// The worker is joining the group, or works in it.
        case working
        /// It reads no more, and hands over what it has.
        case leaving
        case over
    }

    var life = Life.new
    /// The leases by their partitions.
    var leases: [PartitionLease?]
    /// The partitions that this worker is to own, and who owns each, by the plan of this version.
    var isPlanned: [Bool]
    var owners: [Bytes?]
    var version: Bytes = ""
    /// Those that have been owned before: their groups begin again from the beginning if they are lost.
    var wasOwned: [Bool]
    /// What is wrong with a partition, so that it is reported once.
    var problems: [Int: RedisError] = [:]
    /// The process that has the worker's name.
    var rival: Bytes?

    /// What can be handed out, in its order.
    var ready = Queue<PartitionEntry>()

    var turn: SourceTurn
    /// How many replies to the step that is under way are due: on a cluster, one for each partition that is read.
    var missing = 0
    /// What has arrived of it.
    var arrived = (count: 0, size: 0)
    /// The partition whose turn is next.
    var cursor = 0
    /// Whether the step under way waits at the server, and the bell has been rung to end that.
    var isWaiting = false
    var hasRung = false
    /// Whether something has happened since it began to wait after which there may be something to read.
    var mayHaveWork = false
    /// The last ring of the bell that has been heard.
    var bell = EntryID(0, 0)

    var isBeating = false
    /// The partitions whose leases are being asked for.
    var acquiring = Repeating<Int>()
    /// The workers that are being told of what they can own.
    var called = Repeating<Bytes>()
    /// When the alarm for failed work goes off, if it is set.
    var nextRetrial: Instant?
    /// When all partitions were last looked at there.
    var lastLook = Instant.now

    /// What is asked of the server once at a time: whoever wants it meanwhile has it asked again after the answer.
    struct Repeating<Key: Hashable> {
        /// Whether to ask again, of each that is being asked.
        private var keys: [Key: Bool] = [:]

        /// - Returns: Whether to ask now.
        mutating func begin(_ key: Key) -> Bool {
            defer { keys[key] = keys[key] != nil }
            return keys[key] == nil
        }

        /// - Returns: Whether to ask again.
        mutating func finish(_ key: Key) -> Bool { keys.removeValue(forKey: key) == true }
    }

    init(_ count: Int, readSize: Int) {
        leases = Array(repeating: nil, count: count)
        isPlanned = Array(repeating: false, count: count)
        owners = Array(repeating: nil, count: count)
        wasOwned = Array(repeating: false, count: count)
        turn = SourceTurn(readSize: readSize)
    }

    /// Whether a lease is the one of its partition.
    func isCurrent(_ lease: PartitionLease) -> Bool { leases[lease.partition] === lease }

    var owned: [PartitionLease] { leases.compactMap { $0 } }

    /// Removes a lease with all that has not been handed out.
    ///
    /// - Returns: What was read, and how often it had been delivered before; `nil` if it was removed earlier.
    mutating func remove(_ lease: PartitionLease) -> PartitionLease.Unused? {
        if !isCurrent(lease) { return nil }
        leases[lease.partition] = nil
        park(lease)
        let unused = exchange(&lease.parked, with: []) + exchange(&lease.waiting, with: [:]).values.joined()
        lease.waitingCount = 0
        return .init(
            counts: unused.map { ($0.id, $0.count - 1) }, after: lease.hasRead ? lease.newest : nil,
            underWay: lease.underWay)
    }
}

extension PartitionTable {
    /// What to ask the server next.
    enum Step: Sendable {
        /// Reads entries that have not been delivered, so many of each, if the partitions are still owned.
        case read([PartitionLease], most: Int)
        /// Waits until there are some or the bell rings.
        case wait([PartitionLease], Duration)
        /// Lists what is pending.
        case list(PartitionLease, after: EntryID?)
        case claim(PartitionLease, [PartitionClaim])

        /// The partitions of which it delivers entries.
        var leases: [PartitionLease] {
            switch self {
            case .wait, .list: []
            case .read(let leases, _): leases
            case .claim(let lease, _): [lease]
            }
        }
    }

    enum Decision {
        case perform(Step)
        case ring
        case nothing
    }

    static let longestWait = Duration.seconds(5)

    /// The most partitions in one script: the server does nothing else while it runs.
    static let mostAtATime = 256

    static let listLength = 100

    /// Decides what to do next.
    mutating func decide(_ demand: Subscribers.Demand, _ now: Instant) -> Decision {
        if life != .working { return .nothing }
        // What can be handed out already needs no reading.
        let wanted = demand.max.map { $0 - ready.count } ?? .max
        if wanted <= 0 { return .nothing }
        if isWaiting {
            if hasRung || !exchange(&mayHaveWork, with: false) { return .nothing }
            if !leases.contains(where: { $0?.hasWork(now) == true }) { return .nothing }
            hasRung = true
            return .ring
        }
        guard let count = turn.begin(for: .max(wanted)) else { return .nothing }
        if let step = nextPending(count, now) ?? nextRead(count, now) {
            for lease in step.leases { lease.isInStep = true }
            return .perform(step)
        }
        isWaiting = true
        hasRung = false
        mayHaveWork = false
        let due = leases.lazy.compactMap { lease in
            lease.flatMap { $0.isThere(now) ? $0.failed.map(\.due).min() : $0.resumption }
        }.min()
        let wait = due.map { max(.milliseconds(1), $0 - now) } ?? Self.longestWait
        let waiting = inTurn(now).filter { lease in
            // Once there is room again, nobody knows what has come meanwhile.
            if lease.room == 0 { lease.mayHaveMore = true }
            return lease.room > 0
        }
        return .perform(.wait(waiting, min(wait, Self.longestWait)))
    }

    /// Ends a part of the step that is under way, and with the last one the step.
    ///
    /// - Returns: Whether it is the last one.
    mutating func finishPart() -> Bool {
        missing -= 1
        if missing > 0 { return false }
        turn.learn(arrived.count, arrived.size)
        arrived = (0, 0)
        turn.finish()
        isWaiting = false
        return true
    }

    /// The partitions, beginning with the one whose turn it is.
    private func inTurn(_ now: Instant) -> [PartitionLease] {
        let count = leases.count
        return (0..<count).compactMap { leases[(cursor + $0) % count] }.filter { !$0.isDraining && $0.isThere(now) }
    }

    /// What is pending in a partition comes before what is new there.
    private mutating func nextPending(_ count: Int, _ now: Instant) -> Step? {
        for lease in inTurn(now) {
            let due = lease.failed.filter { $0.due <= now }.prefix(count)
            if !due.isEmpty {
                let ids = Set(due.map(\.id))
                lease.failed.removeAll { ids.contains($0.id) }
                cursor = lease.partition + 1
                return .claim(lease, Array(due))
            }
            if lease.room == 0 { continue }
            if !lease.listed.isEmpty {
                let some = Array(lease.listed.prefix(min(count, lease.room)))
                lease.listed.removeFirst(some.count)
                cursor = lease.partition + 1
                return .claim(lease, some)
            }
            if case .listing(let after) = lease.phase { return .list(lease, after: after) }
        }
        return nil
    }

    /// What is read is delivered: there is demand for all of it, and room in each of the partitions.
    private mutating func nextRead(_ count: Int, _ now: Instant) -> Step? {
        // All of them for a few entries each; many entries of some, because each partition has its price, too.
        let limit = min(max(min(count, 16), count / 32), Self.mostAtATime)
        let some = inTurn(now).filter { $0.mayHaveMore && $0.room > 0 }.prefix(limit)
        guard let first = some.first, let last = some.last else { return nil }
        let share = count / some.count
        let most = min(share, first.room)
        // One that has little room is read apart from those that have much.
        let rooms = most...(most < share ? most * 4 : .max)
        cursor = some.first { !rooms.contains($0.room) }?.partition ?? last.partition + 1
        let read = some.filter { rooms.contains($0.room) }
        for lease in read { lease.hasRead = true }
        return .read(read, most: most)
    }
}
