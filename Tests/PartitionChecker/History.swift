/// What workers, producers and the harness have written down: one line per event, times in nanoseconds of one clock.
///
/// ```text
/// B time partition id                about to be added
/// A time partition id key            added, and confirmed
/// H time worker partition token id   handed out to the application
/// h time worker partition token id   the same, by a worker who knew that it held the entry no more
/// F time worker partition token id   the work on it has failed
/// W time worker partition token id   worked on
/// Q time worker partition token id   given to be acknowledged
/// K time worker partition token id   acknowledged
/// G partition id                     among the dead letters
/// O time worker partition token      owned from then on
/// U time worker partition token      owned no more
/// S time worker                      started
/// L time worker                      told to leave, and to wait for what is under way
/// D time worker                      killed
/// N time                             something was disturbed: a process stopped, a connection cut
/// J time                             the server's clock has jumped
/// E time                             nothing has been disturbed for long
/// ```
public struct History: Sendable {
    /// An entry, in one partition.
    public struct Place: Hashable, Comparable, Sendable {
        public let partition: Int
        public let id: UInt64

        public static func < (lhs: Place, rhs: Place) -> Bool { (lhs.partition, lhs.id) < (rhs.partition, rhs.id) }
    }

    /// Something that happened to an entry while a worker owned its partition.
    public struct Event: Sendable {
        public let time: Int
        public let worker: String
        public let token: Int
        /// Whether the worker held the entry, by its own clock.
        let isHeld: Bool
    }

    /// An addition.
    struct Addition: Sendable {
        let time: Int
        let place: Place
        let key: String
    }

    /// A beginning or an end of an ownership.
    struct Ownership: Sendable {
        let time: Int
        let worker: String
        let partition: Int
        let token: Int
        let begins: Bool
    }

    /// What changes who is to own what.
    struct Change: Sendable {
        let time: Int
        let kind: Character
        let worker: String
    }

    var additions: [Addition] = []
    var began: [Place: Int] = [:]
    var handed: [Place: [Event]] = [:]
    var failed: [Place: [Event]] = [:]
    var worked: [Place: [Event]] = [:]
    var asked: [Place: [Event]] = [:]
    var acknowledged: [Place: [Event]] = [:]
    var dead: Set<Place> = []
    var ownerships: [Ownership] = []
    var changes: [Change] = []
    /// Lines that are none of these.
    var unread: [String] = []

    /// Reads histories: the last line of a process that was killed may be incomplete, and does not count.
    public init(_ texts: [String]) {
        for text in texts {
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            lines.removeLast()
            for line in lines where !take(line) { unread.append(String(line)) }
        }
        ownerships.sort { $0.time < $1.time }
        changes.sort { $0.time < $1.time }
    }

    private mutating func take(_ line: Substring) -> Bool {
        let words = line.split(separator: " ")
        guard let kind = words.first?.first, words.count > 1 else { return line.isEmpty }
        if kind == "G" {
            guard words.count == 3, let partition = Int(words[1]), let id = UInt64(words[2]) else { return false }
            dead.insert(Place(partition: partition, id: id))
            return true
        }
        guard let time = Int(words[1]) else { return false }
        switch kind {
        case "B":
            guard words.count == 4, let partition = Int(words[2]), let id = UInt64(words[3]) else { return false }
            began[Place(partition: partition, id: id)] = time
        case "A":
            guard words.count == 5, let partition = Int(words[2]), let id = UInt64(words[3]) else { return false }
            additions.append(
                Addition(time: time, place: Place(partition: partition, id: id), key: String(words[4])))
        case "H", "h", "F", "W", "Q", "K":
            guard words.count == 6, let partition = Int(words[3]), let token = Int(words[4]), let id = UInt64(words[5])
            else { return false }
            let event = Event(time: time, worker: String(words[2]), token: token, isHeld: kind != "h")
            put(event, kind, Place(partition: partition, id: id))
        case "O", "U":
            guard words.count == 5, let partition = Int(words[3]), let token = Int(words[4]) else { return false }
            ownerships.append(
                Ownership(
                    time: time, worker: String(words[2]), partition: partition, token: token, begins: kind == "O"))
        case "S", "L", "D", "N", "J", "E":
            changes.append(Change(time: time, kind: kind, worker: words.count > 2 ? String(words[2]) : ""))
        default: return false
        }
        return true
    }

    private mutating func put(_ event: Event, _ kind: Character, _ place: Place) {
        switch kind {
        case "H", "h": handed[place, default: []].append(event)
        case "F": failed[place, default: []].append(event)
        case "W": worked[place, default: []].append(event)
        case "Q": asked[place, default: []].append(event)
        default: acknowledged[place, default: []].append(event)
        }
    }

    /// How much it contains, for a test that must not pass because nothing has happened.
    public var summary: (added: Int, handed: Int, acknowledged: Int, repeated: Int, owners: Int, dead: Int) {
        let handedOut = handed.values.reduce(0) { $0 + $1.count }
        return (
            additions.count, handedOut, acknowledged.values.reduce(0) { $0 + $1.count }, handedOut - handed.count,
            Set(ownerships.map(\.token)).count, dead.count
        )
    }
}
