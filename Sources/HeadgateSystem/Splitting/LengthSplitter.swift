import HeadgateLibC

/// Splits chunks into frames, each preceded by its length.
final class LengthSplitter: Splitter {
    private let prefixSize: Int
    private let byteOrder: ByteOrder
    private let maximumLength: Int

    // Confined to the conduit, which uses it on one thread at a time.
    @exclusivity(unchecked) private var chunk = Bytes()
    @exclusivity(unchecked) private var position = 0
    // The received part of a frame that spans chunks.
    @exclusivity(unchecked) private var prefix: [UInt8] = []
    @exclusivity(unchecked) private var length: Int?
    @exclusivity(unchecked) private var beginning: [UInt8] = []

    init(prefixSize: Int, byteOrder: ByteOrder, maximumLength: Int) {
        self.prefixSize = prefixSize
        self.byteOrder = byteOrder
        self.maximumLength = maximumLength
    }

    var isEmpty: Bool { position == chunk.endIndex && prefix.isEmpty && length == nil }

    func take(_ chunk: Bytes) {
        self.chunk = chunk
        position = chunk.startIndex
    }

    func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError) {
        while let length = try readLength() {
            let missing = length - beginning.count
            if chunk.endIndex - position < missing { break }
            let rest = chunk[position..<(position + missing)]
            var frame = rest
            if !beginning.isEmpty {
                rest.withUnsafeBytes { beginning.append(contentsOf: $0) }
                frame = Bytes(beginning)
                beginning = []
            }
            position += missing
            self.length = nil
            if !body(frame) { return }
        }
        chunk[position...].withUnsafeBytes { beginning.append(contentsOf: $0) }
        chunk = Bytes()
        position = 0
    }

    func takeRest() -> Bytes {
        // The length of an incomplete frame is written once more.
        let field = length.map { length in
            let bytes = (0..<prefixSize).map { UInt8(truncatingIfNeeded: UInt64(length) >> (8 * UInt64($0))) }
            return byteOrder == .bigEndian ? bytes.reversed() : bytes
        }
        defer { (chunk, position, prefix, length, beginning) = (Bytes(), 0, [], nil, []) }
        return Bytes((field ?? prefix) + beginning, followedBy: chunk[position...])
    }

    func finish() throws(SystemError) -> Bytes? {
        if isEmpty { return nil }
        throw SystemError(call: "frames", code: EBADMSG, subject: "(the last frame is truncated)")
    }

    /// The length of the current frame, if it is complete.
    private func readLength() throws(SystemError) -> Int? {
        if let length { return length }
        while prefix.count < prefixSize, position < chunk.endIndex {
            prefix.append(chunk[position])
            position += 1
        }
        if prefix.count < prefixSize { return nil }
        var value: UInt64 = 0
        for byte in byteOrder == .bigEndian ? prefix : prefix.reversed() { value = value << 8 | UInt64(byte) }
        prefix.removeAll(keepingCapacity: true)
        // Checked before any of the frame is buffered.
        if value > UInt64(maximumLength) {
            throw SystemError(
                call: "frames", code: EMSGSIZE, subject: "(\(value) bytes, at most \(maximumLength) allowed)")
        }
        length = Int(value)
        return length
    }
}
