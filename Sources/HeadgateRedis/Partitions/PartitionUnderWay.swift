/// What a worker has handed out of a partition, by the places that the holds know.
///
/// A place is free again when its hold is released, not when its entry is done: a hold that outlives its entry means no
/// other.
struct PartitionUnderWay {
    private struct Handed {
        let entry: PartitionEntry
        var isBeingAcknowledged = false
    }

    private var places = Places<Handed>()

    /// How many entries are not done.
    private(set) var count = 0

    /// How many of them are being acknowledged.
    private var acknowledging = 0

    var isEmpty: Bool { count == 0 }

    /// Whether nothing remains once the replies to acknowledgements are there.
    var isBeingFinished: Bool { count == acknowledging }

    /// - Returns: The place of the entry.
    mutating func add(_ entry: PartitionEntry) -> Int {
        count += 1
        return places.add(Handed(entry: entry))
    }

    mutating func beginAcknowledging(_ place: Int) {
        guard places.elements[place]?.isBeingAcknowledged == false else { return }
        places.elements[place]?.isBeingAcknowledged = true
        acknowledging += 1
    }

    mutating func endAcknowledging(_ place: Int) {
        guard places.elements[place]?.isBeingAcknowledged == true else { return }
        places.elements[place]?.isBeingAcknowledged = false
        acknowledging -= 1
    }

    /// Removes an entry that is done, or whose work has failed.
    mutating func take(_ place: Int) -> PartitionEntry? {
        endAcknowledging(place)
        guard let taken = places.elements[place] else { return nil }
        places.elements[place] = nil
        count -= 1
        return taken.entry
    }

    /// Called when the hold is released.
    ///
    /// - Returns: The entry, unless it is done.
    mutating func release(_ place: Int) -> PartitionEntry? {
        defer { places.free(place) }
        return take(place)
    }
}
