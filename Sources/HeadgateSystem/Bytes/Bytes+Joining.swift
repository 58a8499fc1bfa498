extension Bytes {
    /// Joins a beginning and what follows, which is not copied if there is no beginning.
    init(_ beginning: [UInt8], followedBy rest: Bytes) {
        self = beginning.isEmpty ? rest : Bytes(joining: Bytes(beginning), CollectionOfOne(rest))
    }

    /// Joins several into one piece of memory.
    init(joining first: Bytes, _ others: some Collection<Bytes>) {
        let size = others.reduce(first.count) { $0 + $1.count }
        self.init(capacity: size) { buffer in
            var place = 0
            func add(_ bytes: Bytes) {
                bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[place...]).copyMemory(from: $0) }
                place += bytes.count
            }
            add(first)
            others.forEach(add)
            return size
        }
    }
}
