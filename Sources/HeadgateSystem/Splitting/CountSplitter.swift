import HeadgateLibC

/// Splits chunks into pieces of a number of bytes.
final class CountSplitter: Splitter {
    private let size: Int

    init(count: Int) { size = count }

    override func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError) {
        while count >= size {
            if !body(takePiece(upTo: position + size - beginning.count)) { return }
        }
        keepRest()
    }

    override func finish() throws(SystemError) -> Bytes? {
        if isEmpty { return nil }
        throw SystemError(call: "read", code: EBADMSG, subject: "(\(count) of \(size) bytes)")
    }
}

/// Leaves chunks as they are, up to a number of bytes in all.
final class WholeSplitter: Splitter {
    // `nil` for all bytes. Confined like the rest.
    @exclusivity(unchecked) private var remaining: Int?
    private let maximumCount: Int

    /// - Parameters:
    ///   - count: The number of bytes in all, or `nil` for all there are.
    ///   - maximumCount: The maximum number of bytes of a piece.
    init(count: Int? = nil, maximumCount: Int = .max) {
        remaining = count
        self.maximumCount = maximumCount
    }

    override var isComplete: Bool { remaining == 0 }

    override func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError) {
        if isEmpty || isComplete { return }
        let piece = takePiece(upTo: position + min(count, remaining ?? .max, maximumCount))
        remaining = remaining.map { $0 - piece.count }
        _ = body(piece)
    }

    override func finish() throws(SystemError) -> Bytes? {
        guard let remaining, remaining > 0 else { return nil }
        throw SystemError(call: "read", code: EBADMSG, subject: "(\(remaining) bytes missing)")
    }
}
