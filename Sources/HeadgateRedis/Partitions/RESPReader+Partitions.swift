/// What a worker has heard while it waited.
struct FoundSigns {
    /// The last new entry of each partition, if there is one.
    var newest: [EntryID?]
    /// The last ring of the worker's bell, and who has rung.
    var ring: (id: EntryID, from: Bytes?)?
}

extension RESPReader {
    /// Reads the new entries of each partition; `nil` if it is no reply of `XREADGROUP` to a command that names them.
    mutating func entries(of leases: [PartitionLease]) -> [[PartitionEntry]]? {
        var found: [[PartitionEntry]] = Array(repeating: [], count: leases.count)
        var place = 0
        let isReply = streams { key, reader in
            guard let next = leases[place...].firstIndex(where: { $0.streamKey == key }), let count = reader.elements()
            else { return false }
            place = next + 1
            found[next].reserveCapacity(count)
            for _ in 0..<count {
                guard let (id, fields) = reader.entry() else { return false }
                found[next].append(PartitionEntry(id, fields ?? EntryFields(strings: []), in: leases[next]))
            }
            return true
        }
        return isReply ? found : nil
    }

    /// Reads which partitions have new entries, and whether the bell has rung; `nil` if it is no reply of `XREAD`.
    mutating func signs(of leases: [PartitionLease], _ bellKey: Bytes) -> FoundSigns? {
        var found = FoundSigns(newest: Array(repeating: nil, count: leases.count))
        var place = 0
        let isReply = streams { key, reader in
            guard let count = reader.elements() else { return false }
            var last: (id: EntryID, fields: EntryFields?)?
            for _ in 0..<count {
                guard let entry = reader.entry() else { return false }
                last = entry
            }
            if key == bellKey {
                found.ring = last.map { ($0.id, $0.fields?["from"]) }
                return true
            }
            guard let next = leases[place...].firstIndex(where: { $0.streamKey == key }) else { return false }
            place = next + 1
            found.newest[next] = last?.id
            return true
        }
        return isReply ? found : nil
    }

    /// Reads streams, which come in the order in which the command has named them, without those that have nothing.
    ///
    /// - Parameter read: Reads the entries of a stream; returns whether they are such.
    private mutating func streams(_ read: (Bytes, inout RESPReader) -> Bool) -> Bool {
        let head = head()
        let isMap = head.kind == UInt8(ascii: "%")
        switch (head.kind, head.number) {
        case (UInt8(ascii: "_"), _), (UInt8(ascii: "*"), nil), (UInt8(ascii: "$"), nil): return true
        case (UInt8(ascii: "%"), _), (UInt8(ascii: "*"), _): break
        default: return false
        }
        for _ in 0..<(head.number ?? 0) {
            if !isMap, elements() != 2 { return false }
            guard let key = string(), read(key, &self) else { return false }
        }
        return true
    }
}
