/// Memory in which short values are made one after the other: one allocation for many, which lives as long as one of
/// them.
package struct BytesArena {
    private static let size = 1 << 14

    private var storage: Bytes.Storage?
    private var used = 0

    package init() {}

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - room: How many bytes it has at most.
    ///   - fill: Fills memory from its beginning and returns the number of bytes it wrote.
    package mutating func make(_ room: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int) -> Bytes {
        // What is large is worth an allocation, and would waste the rest of this one.
        if room > Self.size / 4 {
            return Bytes(capacity: room) { memory in
                memory.baseAddress.map { fill($0.assumingMemoryBound(to: UInt8.self)) } ?? 0
            }
        }
        if used + room > Self.size { storage = nil }
        let storage = self.storage ?? Bytes.Storage.create(minimumCapacity: Self.size) { _ in }
        if self.storage == nil { (self.storage, used) = (storage, 0) }
        let start = used
        // Nobody reads there: the values before end here.
        used += storage.withUnsafeMutablePointerToElements { fill($0 + start) }
        return Bytes(storage: storage, start: start, end: used)
    }
}
