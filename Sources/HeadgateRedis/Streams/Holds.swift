/// The entries that a consumer holds, renewed on the shared connection for as long as their deliveries are referenced,
/// even after their stream has been cancelled.
final class Holds: Sendable {
    /// Apart from this, so that alarms retain it: an object to which a weak reference exists is retained slowly, and each
    /// delivery retains this.
    let table: HoldTable

    init(_ group: DeliveryGroup) { table = HoldTable(group) }

    deinit { table.stop() }
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
        place = holds.table.add(id, since: time, again: takenFrom != nil)
    }

    deinit { holds.table.release(place) }

    var target: any AcknowledgementTarget { holds }

    func belongs(to target: AnyObject) -> Bool { holds === target }

    var isHeld: Bool { holds.table.isHeld(place) }
}
