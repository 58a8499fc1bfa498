/// One of the parts into which a cluster divides its keys.
struct HashSlot: Hashable, Sendable {
    let number: UInt16

    /// How many a cluster has.
    static let count = 16_384

    /// What stands for a command without a key, which any node executes.
    static let any = HashSlot(number: 16_384)

    init(number: UInt16) { self.number = number }

    /// The slot of a key: of what is between its first braces, if that is something, and otherwise of the whole key.
    init(of key: Bytes) { self.init(number: KeyHash.value(of: key.hashTag ?? key) % UInt16(Self.count)) }
}

extension Bytes {
    /// What is between the first braces of a key, if that is something.
    var hashTag: Bytes? {
        guard let open = firstIndex(of: UInt8(ascii: "{")) else { return nil }
        let rest = self[(open + 1)...]
        guard let close = rest.firstIndex(of: UInt8(ascii: "}")), close > rest.startIndex else { return nil }
        return rest[..<close]
    }

    /// How a key begins that contains this one and is on the same node, whatever follows.
    var inItsSlot: [Bytes] {
        if hashTag != nil { return [self] }
        if !isEmpty, !contains(UInt8(ascii: "}")) { return ["{", self, "}"] }
        // It would close the braces itself, or leave them empty, so a number with the same slot is between them.
        let slot = HashSlot(of: self)
        var number = 0
        while HashSlot(of: Bytes("\(number)")) != slot { number += 1 }
        return ["{", Bytes("\(number)"), "}", self]
    }
}
