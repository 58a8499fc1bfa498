import HeadgateCore

/// What has been read of the partitions.
struct FoundEntries {
    var entries: [Int: [PartitionEntry]] = [:]
    /// The last ring of the worker's bell, and who has rung.
    var ring: (id: EntryID, from: Bytes?)?

    var count: Int { entries.values.reduce(0) { $0 + $1.count } }
}

extension RESPReader {
    /// Reads streams and their new entries; `nil` if it is no reply of `XREAD`.
    mutating func partitions(_ group: PartitionGroup) -> FoundEntries? {
        var found = FoundEntries()
        let head = head()
        let isMap = head.kind == UInt8(ascii: "%")
        switch (head.kind, head.number) {
        case (UInt8(ascii: "_"), _), (UInt8(ascii: "*"), nil), (UInt8(ascii: "$"), nil): return found
        case (UInt8(ascii: "%"), _), (UInt8(ascii: "*"), _): break
        default: return nil
        }
        for _ in 0..<(head.number ?? 0) {
            if !isMap, elements() != 2 { return nil }
            guard let key = string(), let entries = partitionEntries() else { return nil }
            if key == group.bellKey {
                found.ring = entries.last.map { ($0.id, $0.fields["from"]) }
            } else if let partition = group.partition(at: key) {
                found.entries[partition] = entries
            }
        }
        return found
    }

    /// Reads new entries.
    fileprivate mutating func partitionEntries() -> [PartitionEntry]? {
        guard let count = elements() else { return nil }
        var entries: [PartitionEntry] = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            guard let (id, fields) = entry() else { return nil }
            let known = fields ?? EntryFields(strings: [])
            entries.append(
                PartitionEntry(
                    id: id, fields: known, key: known[RedisPartitions.keyField] ?? Bytes(), count: 1, takenFrom: nil))
        }
        return entries
    }
}
