/// Decides from histories alone whether the promises of partitioned streams were kept.
public struct Checker {
    /// A promise that was broken, and how.
    public struct Breach: Hashable, CustomStringConvertible, Sendable {
        public let promise: Int
        public let what: String

        public var description: String { "promise \(promise): \(what)" }
    }

    private let history: History
    private let partitions: Int
    private let lease: Int
    private var breaches: [Breach] = []
    private var counts: [Int: Int] = [:]

    /// - Parameter lease: In nanoseconds.
    public init(_ history: History, partitions: Int, lease: Int) {
        self.history = history
        self.partitions = partitions
        self.lease = lease
    }

    /// The breaches, of each kind at most some.
    public static func check(_ history: History, partitions: Int, lease: Int) -> [Breach] {
        var checker = Checker(history, partitions: partitions, lease: lease)
        checker.checkOrder()
        checker.checkOwners()
        checker.checkDeliveries()
        checker.checkShares()
        checker.checkHandOvers()
        return checker.breaches
    }

    /// - Parameter kind: The check, by its line: of each kind, some are reported.
    private mutating func report(_ promise: Int, _ what: @autoclosure () -> String, kind: Int = #line) {
        counts[kind, default: 0] += 1
        if counts[kind, default: 0] <= 10 { breaches.append(Breach(promise: promise, what: what())) }
    }

    // MARK: - 1 and 6

    /// Checks the order of each key.
    ///
    /// The later entry of a key is handed out after the earlier was given to be acknowledged by the same owner, or is done
    /// for good. An entry whose work has failed was not given to be acknowledged, so it holds back those after it.
    private mutating func checkOrder() {
        for line in history.unread { report(0, "not understood: \(line)") }
        var partitionOfKey: [String: Int] = [:]
        var places: [String: [History.Place]] = [:]
        for addition in history.additions {
            let known = partitionOfKey[addition.key] ?? addition.place.partition
            partitionOfKey[addition.key] = known
            if known != addition.place.partition {
                report(1, "key \(addition.key) is in partitions \(known) and \(addition.place.partition)")
            }
            places[addition.key, default: []].append(addition.place)
        }
        for (key, list) in places {
            let list = list.sorted()
            for (earlier, later) in zip(list, list.dropFirst()) where earlier.partition == later.partition {
                checkOrder(key, earlier, later)
            }
        }
    }

    private mutating func checkOrder(_ key: String, _ earlier: History.Place, _ later: History.Place) {
        let before = history.handed[earlier] ?? []
        for second in history.handed[later] ?? [] {
            for first in before {
                if first.token > second.token || first.token == second.token && first.time > second.time {
                    let hasFailed = hadFailed(earlier, before: second)
                    report(
                        hasFailed ? 6 : 1,
                        "\(later) of key \(key) was handed out by \(second), and \(earlier) after that by \(first)")
                }
            }
            let isOfOwner = before.contains { $0.token == second.token }
            if !isOfOwner || history.dead.contains(earlier) { continue }
            let asked = (history.asked[earlier] ?? []).contains { $0.token == second.token && $0.time < second.time }
            if !asked {
                let hasFailed = (history.failed[earlier] ?? []).contains { $0.token == second.token }
                report(
                    hasFailed ? 6 : 1,
                    "\(later) of key \(key) was handed out by \(second) while \(earlier) was not done")
            }
        }
    }

    /// Whether the work on an entry had failed when a later one was handed out by the same owner.
    private func hadFailed(_ place: History.Place, before later: History.Event) -> Bool {
        (history.failed[place] ?? []).contains { $0.token == later.token && $0.time < later.time }
    }

    // MARK: - 2

    /// Tokens have one owner each, and who has a lower one than is known to exist can neither acknowledge nor read.
    private mutating func checkOwners() {
        /// When it was known that a token existed.
        var known: [Int: [(token: Int, time: Int)]] = [:]
        var owners: [Int: [Int: String]] = [:]
        for ownership in history.ownerships where ownership.begins {
            known[ownership.partition, default: []].append((ownership.token, ownership.time))
            let owner = owners[ownership.partition, default: [:]][ownership.token] ?? ownership.worker
            owners[ownership.partition, default: [:]][ownership.token] = owner
            if owner != ownership.worker {
                report(
                    2, "token \(ownership.token) of \(ownership.partition) has the owners \(owner), \(ownership.worker)"
                )
            }
        }
        /// Whether a higher token was known at a time.
        func isLate(_ place: History.Place, _ token: Int, _ time: Int) -> Bool {
            known[place.partition]?.contains { $0.token > token && $0.time < time } ?? false
        }
        for (place, events) in history.acknowledged {
            for event in events {
                let asked = history.asked[place]?.filter { $0.worker == event.worker && $0.token == event.token } ?? []
                if let last = asked.map(\.time).filter({ $0 < event.time }).max(), isLate(place, event.token, last) {
                    report(2, "\(event) acknowledged \(place) when another had become the owner")
                }
            }
        }
        for (place, events) in history.handed {
            guard let time = history.began[place] else { continue }
            for event in events where isLate(place, event.token, time) {
                report(2, "\(event) read \(place), which was added when another had become the owner")
            }
        }
    }

    // MARK: - 3

    /// What was added was worked on, and what was acknowledged is not handed out again.
    ///
    /// A worker that was stopped in the middle of handing out goes on with it, but no delivery says that it is held then.
    /// Unless the server's clock has jumped ahead: a lease that it has ended is believed in until its renewal.
    private mutating func checkDeliveries() {
        let jumps = history.changes.filter { $0.kind == "J" }.map(\.time)
        /// Whether a lease may have been ended by a jump without its owner knowing.
        func hasJumped(before time: Int) -> Bool { jumps.contains { $0 <= time && time - $0 < lease } }
        for addition in history.additions {
            let place = addition.place
            if history.worked[place] == nil, !history.dead.contains(place) {
                report(3, "\(place) was added and never worked on")
            }
        }
        for (place, events) in history.acknowledged {
            guard let first = events.min(by: { $0.time < $1.time }) else { continue }
            for event in history.handed[place] ?? [] where event.time > first.time {
                if event.token < first.token, !event.isHeld || hasJumped(before: event.time) { continue }
                report(3, "\(place) was acknowledged and handed out again by \(event)")
            }
            if history.worked[place] == nil { report(3, "\(place) was acknowledged without having been worked on") }
        }
    }

    // MARK: - 4

    /// Two leases after a change, everything is owned, by all who live, in equal shares.
    private mutating func checkShares() {
        var live: Set<String> = []
        var last = 0
        for change in history.changes {
            if change.time - last > 2 * lease + lease / 2, last > 0 { checkShares(live, at: change.time) }
            switch change.kind {
            case "S": live.insert(change.worker)
            case "L", "D": live.remove(change.worker)
            default: break
            }
            last = change.time
        }
    }

    private mutating func checkShares(_ live: Set<String>, at time: Int) {
        var owner: [Int: (worker: String, token: Int)] = [:]
        for ownership in history.ownerships where ownership.time < time {
            let place = ownership.partition
            if ownership.begins {
                if ownership.token > owner[place]?.token ?? 0 { owner[place] = (ownership.worker, ownership.token) }
            } else if owner[place]?.token == ownership.token {
                owner[place] = nil
            }
        }
        var shares = Dictionary(live.map { ($0, 0) }, uniquingKeysWith: +)
        for place in 0..<partitions {
            guard let name = owner[place]?.worker, live.contains(name) else {
                report(4, "partition \(place) has no owner at \(time), two leases after a change")
                continue
            }
            shares[name, default: 0] += 1
        }
        if live.isEmpty { return }
        let few = partitions / live.count
        let isFair = shares.values.allSatisfy { $0 == few || $0 == few + 1 && partitions % live.count > 0 }
        if !isFair { report(4, "the shares at \(time) are \(shares.sorted { $0.key < $1.key })") }
    }

    // MARK: - 5

    /// What was given to be acknowledged by one who was told to leave and was not killed is not handed out by another.
    private mutating func checkHandOvers() {
        let killed = Set(history.changes.filter { $0.kind == "D" }.map(\.worker))
        let disturbances = history.changes.filter { $0.kind == "N" || $0.kind == "J" }.map(\.time)
        var peaceful: [String: Int] = [:]
        for change in history.changes where change.kind == "L" && !killed.contains(change.worker) {
            // Who is out of touch can't hand anything over.
            let isDisturbed = disturbances.contains { abs($0 - change.time) < 2 * lease }
            if !isDisturbed { peaceful[change.worker] = change.time }
        }
        /// Whether a worker owned a partition, as far as anybody knew, when it was told to leave.
        func owns(_ worker: String, _ partition: Int, _ token: Int, at time: Int) -> Bool {
            !history.ownerships.contains { other in
                other.partition == partition && other.time < time
                    && (other.token > token || other.token == token && !other.begins)
            }
        }
        for (place, events) in history.handed {
            for first in events {
                guard let time = peaceful[first.worker], events.contains(where: { $0.token > first.token }),
                    history.failed[place]?.contains(where: { $0.token == first.token }) != true,
                    owns(first.worker, place.partition, first.token, at: time)
                else { continue }
                report(5, "\(place) was handed out by \(first), who left in peace, and again")
            }
        }
    }
}
