import HeadgateLibC

/// Splits chunks into frames, each followed by a delimiter.
final class DelimiterSplitter: Splitter {
    private let delimiter: [UInt8]
    private let maximumLength: Int

    // Confined to the conduit, which uses it on one thread at a time.
    @exclusivity(unchecked) private var chunk = Bytes()
    @exclusivity(unchecked) private var position = 0
    // The received part of a frame that spans chunks.
    @exclusivity(unchecked) private var beginning: [UInt8] = []

    init(delimiter: [UInt8], maximumLength: Int) {
        self.delimiter = delimiter
        self.maximumLength = maximumLength
    }

    var isEmpty: Bool { position == chunk.endIndex && beginning.isEmpty }

    func take(_ chunk: Bytes) {
        self.chunk = chunk
        position = chunk.startIndex
    }

    func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError) {
        var searched = position
        while let last = chunk.firstIndex(of: delimiter[delimiter.count - 1], from: searched) {
            searched = last + 1
            guard endsWithDelimiter(at: searched) else { continue }
            let part = chunk[position..<searched]
            position = searched
            let frame: Bytes
            if beginning.isEmpty {
                frame = part.dropLast(delimiter.count)
            } else {
                part.withUnsafeBytes { beginning.append(contentsOf: $0) }
                frame = Bytes(beginning.dropLast(delimiter.count))
                beginning = []
            }
            try check(frame.count)
            if !body(frame) { return }
        }
        let rest = chunk[position...]
        // The rest may end with a part of the delimiter.
        try check(beginning.count + rest.count - delimiter.count + 1)
        rest.withUnsafeBytes { beginning.append(contentsOf: $0) }
        chunk = Bytes()
        position = 0
    }

    func takeRest() -> Bytes {
        defer { (chunk, position, beginning) = (Bytes(), 0, []) }
        return Bytes(beginning, followedBy: chunk[position...])
    }

    func finish() throws(SystemError) -> Bytes? {
        if beginning.isEmpty { return nil }
        let frame = Bytes(beginning)
        beginning = []
        try check(frame.count)
        return frame
    }

    private func endsWithDelimiter(at end: Int) -> Bool {
        var place = end
        var earlier = beginning.count
        for byte in delimiter.reversed() {
            if place > position {
                place -= 1
                if chunk[place] != byte { return false }
            } else {
                earlier -= 1
                if earlier < 0 || beginning[earlier] != byte { return false }
            }
        }
        return true
    }

    private func check(_ length: Int) throws(SystemError) {
        if length > maximumLength {
            throw SystemError(call: "frames", code: EMSGSIZE, subject: "(more than \(maximumLength) bytes)")
        }
    }
}
