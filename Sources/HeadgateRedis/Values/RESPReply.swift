/// A complete reply as it arrived: in one chunk, or in several.
package struct RESPReply: Sendable {
    /// The byte that it begins with, after attributes.
    let kind: UInt8

    let first: Bytes

    var others: [Bytes] = []

    /// What it contains.
    package var value: RedisValue {
        var reader = RESPReader(self)
        return reader.value() ?? .null
    }

    /// Its size in bytes.
    var size: Int { others.reduce(first.count) { $0 + $1.count } }

    /// Whether it is an error.
    var isError: Bool { kind == UInt8(ascii: "-") || kind == UInt8(ascii: "!") }

    /// Whether the server sends it without having been asked.
    var isPush: Bool { kind == UInt8(ascii: ">") }
}

extension Bytes {
    /// Joins pieces into one piece of memory.
    init(joining pieces: [Bytes], count: Int) {
        self.init(capacity: count) { buffer in
            var place = 0
            for piece in pieces {
                piece.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[place...]).copyMemory(from: $0) }
                place += piece.count
            }
            return place
        }
    }
}
