/// The hash by which keys are spread over partitions, and over the slots of a cluster: CRC-16/XMODEM.
enum KeyHash {
    /// Polynomial 0x1021, from the highest bit, beginning with zero.
    static func value(of key: Bytes) -> UInt16 {
        key.withUnsafeBytes { bytes in
            var hash: UInt16 = 0
            for byte in bytes { hash = hash << 8 ^ table[Int(hash >> 8 ^ UInt16(byte))] }
            return hash
        }
    }

    private static let table: [UInt16] = (0..<256).map { byte in
        var hash = UInt16(byte) << 8
        for _ in 0..<8 { hash = hash & 0x8000 == 0 ? hash << 1 : hash << 1 ^ 0x1021 }
        return hash
    }
}
