import HeadgateLibC

/// Splits chunks into frames, each preceded by its length.
final class LengthSplitter: Splitter {
    private let prefixSize: Int
    private let byteOrder: ByteOrder
    private let maximumLength: Int

    init(prefixSize: Int, byteOrder: ByteOrder, maximumLength: Int) {
        self.prefixSize = prefixSize
        self.byteOrder = byteOrder
        self.maximumLength = maximumLength
    }

    override func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError) {
        while let length = try readLength(), count - prefixSize >= length {
            let frame = takePiece(upTo: position + prefixSize + length - beginning.count)
            if !body(frame.dropFirst(prefixSize)) { return }
        }
        keepRest()
    }

    override func finish() throws(SystemError) -> Bytes? {
        if isEmpty { return nil }
        throw SystemError(call: "frames", code: EBADMSG, subject: "(the last frame is truncated)")
    }

    /// The length of the current frame, if all of its field has arrived.
    private func readLength() throws(SystemError) -> Int? {
        if count < prefixSize { return nil }
        var value: UInt64 = 0
        for index in 0..<prefixSize {
            let place = byteOrder == .bigEndian ? index : prefixSize - 1 - index
            let isEarlier = place < beginning.count
            value = value << 8 | UInt64(isEarlier ? beginning[place] : chunk[position + place - beginning.count])
        }
        // Checked before any of the frame is buffered.
        if value > UInt64(maximumLength) {
            throw SystemError(
                call: "frames", code: EMSGSIZE, subject: "(\(value) bytes, at most \(maximumLength) allowed)")
        }
        return Int(value)
    }
}
