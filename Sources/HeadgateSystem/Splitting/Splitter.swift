import HeadgateEngine

/// Splits a stream of chunks into pieces, which a subclass finds: lines or frames.
///
/// Belongs to one conduit.
@usableFromInline class Splitter: ChunkSplitter {
    // Confined to the conduit, which uses it on one thread at a time.
    @exclusivity(unchecked) final var chunk = Bytes()

    /// Where the chunk has not been split.
    @exclusivity(unchecked) final var position = 0

    /// The beginning of a piece that ends in a later chunk.
    @exclusivity(unchecked) final var beginning: [UInt8] = []

    @usableFromInline final var isEmpty: Bool { position == chunk.endIndex && beginning.isEmpty }

    /// Whether no piece will follow.
    var isComplete: Bool { false }

    /// How many bytes have not been split.
    final var count: Int { beginning.count + chunk.endIndex - position }

    @usableFromInline final func take(_ chunk: Bytes) {
        self.chunk = chunk
        position = chunk.startIndex
    }

    @usableFromInline func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError) {}

    @usableFromInline func finish() throws(SystemError) -> Bytes? { nil }

    /// Takes out what belongs to no complete piece yet, for another splitter to go on with.
    func takeRest() -> Bytes {
        defer { (chunk, position, beginning) = (Bytes(), 0, []) }
        return Bytes(beginning, followedBy: chunk[position...])
    }

    /// Takes a piece that ends at an index of the chunk: a slice of it, or a copy if the piece spans several.
    @inline(__always) final func takePiece(upTo end: Int) -> Bytes {
        let part = chunk[position..<end]
        position = end
        if beginning.isEmpty { return part }
        part.withUnsafeBytes { beginning.append(contentsOf: $0) }
        defer { beginning = [] }
        return Bytes(beginning)
    }

    /// Keeps the rest of the chunk, because the piece goes on in the next one.
    final func keepRest() {
        chunk[position...].withUnsafeBytes { beginning.append(contentsOf: $0) }
        chunk = Bytes()
        position = 0
    }
}
