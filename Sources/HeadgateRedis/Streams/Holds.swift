import HeadgateCore

/// The entries that a consumer holds, renewed on the shared connection for as long as their deliveries are referenced,
/// even after their stream has been cancelled.
final class Holds: Sendable {
    /// Apart from this, so that alarms retain it: an object to which a weak reference exists is retained slowly, and each
    /// delivery retains this.
    private let table: HoldTable

    init(_ group: DeliveryGroup) { table = HoldTable(group) }

    deinit { table.stop() }

    var group: DeliveryGroup { table.group }

    /// Adds a hold.
    ///
    /// - Parameters:
    ///   - time: When the entry was asked for: the server has delivered it later.
    ///   - again: Whether the entry has been delivered before: an earlier hold is lost then.
    /// - Returns: Its place.
    func add(_ id: EntryID, since time: ContinuousClock.Instant, again: Bool) -> Int {
        if again { table.lose(id) }
        return table.add(id, since: time)
    }

    func release(_ place: Int) { table.release(place) }

    func isHeld(_ place: Int) -> Bool { table.isHeld(place) }

    /// The entries that are worked on, but for those that have been given up.
    var ids: Set<EntryID> { table.ids }

    /// Called when the group is lost.
    func loseAll() { table.lose() }
}

/// The hold on an entry of one stream.
final class ConsumerHold: Hold {
    let id: EntryID
    let fields: EntryFields
    let count: Int
    let takenFrom: Bytes?
    private let holds: Holds
    private let place: Int

    /// - Parameter time: When the entry was asked for.
    init(
        _ id: EntryID, _ fields: EntryFields, count: Int, takenFrom: Bytes?, in holds: Holds,
        since time: ContinuousClock.Instant
    ) {
        self.id = id
        self.fields = fields
        self.count = count
        self.takenFrom = takenFrom
        self.holds = holds
        place = holds.add(id, since: time, again: takenFrom != nil)
    }

    deinit { holds.release(place) }

    var target: any AcknowledgementTarget { holds }

    func belongs(to target: AnyObject) -> Bool { holds === target }

    var isHeld: Bool { holds.isHeld(place) }
}
