import HeadgateLibC

/// Splits chunks into pieces of a number of bytes.
final class CountSplitter: Splitter {
    private let count: Int

    // Confined to the conduit, which uses it on one thread at a time.
    @exclusivity(unchecked) private var chunk = Bytes()
    @exclusivity(unchecked) private var beginning: [UInt8] = []

    init(count: Int) { self.count = count }

    var isEmpty: Bool { chunk.isEmpty && beginning.isEmpty }

    func take(_ chunk: Bytes) { self.chunk = chunk }

    func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError) {
        while true {
            let missing = count - beginning.count
            if chunk.count < missing { break }
            let piece = Bytes(beginning, followedBy: chunk.prefix(missing))
            beginning = []
            chunk = chunk.dropFirst(missing)
            if !body(piece) { return }
        }
        chunk.withUnsafeBytes { beginning.append(contentsOf: $0) }
        chunk = Bytes()
    }

    func takeRest() -> Bytes {
        defer { (chunk, beginning) = (Bytes(), []) }
        return Bytes(beginning, followedBy: chunk)
    }

    func finish() throws(SystemError) -> Bytes? {
        if isEmpty { return nil }
        throw SystemError(call: "read", code: EBADMSG, subject: "(\(beginning.count) of \(count) bytes)")
    }
}

/// Leaves chunks as they are, up to a number of bytes in all.
final class WholeSplitter: Splitter {
    // Confined to the conduit, which uses it on one thread at a time.
    @exclusivity(unchecked) private var chunk = Bytes()
    // `nil` for all bytes.
    @exclusivity(unchecked) private var remaining: Int?
    private let maximumCount: Int

    /// - Parameters:
    ///   - count: The number of bytes in all, or `nil` for all there are.
    ///   - maximumCount: The maximum number of bytes of a piece.
    init(count: Int? = nil, maximumCount: Int = .max) {
        remaining = count
        self.maximumCount = maximumCount
    }

    var isEmpty: Bool { chunk.isEmpty }

    var isComplete: Bool { remaining == 0 }

    func take(_ chunk: Bytes) { self.chunk = chunk }

    func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError) {
        if isEmpty || isComplete { return }
        let piece = chunk.prefix(min(remaining ?? .max, maximumCount))
        remaining = remaining.map { $0 - piece.count }
        chunk = chunk.dropFirst(piece.count)
        _ = body(piece)
    }

    func takeRest() -> Bytes {
        defer { chunk = Bytes() }
        return chunk
    }

    func finish() throws(SystemError) -> Bytes? {
        guard let remaining, remaining > 0 else { return nil }
        throw SystemError(call: "read", code: EBADMSG, subject: "(\(remaining) bytes missing)")
    }
}
