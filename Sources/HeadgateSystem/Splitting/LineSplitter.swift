import HeadgateLibC

/// How to split bytes into lines.
struct LineRules: Sendable {
    var terminators = LineTerminators.lineFeed
    var maximumLength = 1 << 20
    var longLines = LongLines.fail
    var unterminated = UnterminatedLine.deliver
    /// Whether a line that is cut ends with a complete character.
    var keepsCharacters = false
    /// Whether a line that is too long is published only at its terminator, so that the rest of it is no line.
    var cutsAtTerminator = false
}

/// Splits chunks into lines: slices of the chunk, or a copy if a line spans two.
final class LineSplitter: Splitter {
    private let rules: LineRules
    private let terminators: LineTerminators
    private let maximumLength: Int

    // Whether the following bytes are the rest of a dropped or cut line. Confined like the rest.
    @exclusivity(unchecked) private var isSkipping = false

    init(_ rules: LineRules) {
        self.rules = rules
        terminators = rules.terminators
        // No chunk is as long, and a byte or two can be added.
        maximumLength = min(rules.maximumLength, .max - 2)
    }

    override func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError) {
        let chunk = self.chunk
        while position < chunk.endIndex {
            let start = position
            guard let terminator = chunk.firstIndex(of: terminators.byte, from: start) else {
                if let line = try takeBeginning() { _ = body(line) }
                break
            }
            position = terminator + 1
            if isSkipping || !beginning.isEmpty || terminator - start > maximumLength {
                if let line = try takeLine(endingWith: chunk[start..<terminator]), !body(line) { return }
            } else {
                let end = terminators.dropsCarriageReturn ? chunk.endOfText(from: start, to: terminator) : terminator
                if !body(Bytes(storage: chunk.storage, start: start, end: end)) { return }
            }
        }
        // Releases the memory of a chunk that is used up.
        if position == chunk.endIndex {
            self.chunk = Bytes()
            position = 0
        }
    }

    /// The number of bytes of the chunk after the most recent piece.
    var unsplitCount: Int { chunk.endIndex - position }

    override func takeRest() -> Bytes {
        isSkipping = false
        return super.takeRest()
    }

    override func finish() throws(SystemError) -> Bytes? {
        if beginning.isEmpty { return nil }
        let line = Bytes(beginning)
        beginning = []
        switch rules.unterminated {
        case .deliver: return line.count <= maximumLength ? line : try cut(line)
        case .drop: return nil
        case .fail: throw SystemError(call: "lines", code: EBADMSG, subject: "(the last line has no terminator)")
        }
    }

    /// Takes a line whose terminator has been found.
    private func takeLine(endingWith part: Bytes) throws(SystemError) -> Bytes? {
        if isSkipping {
            isSkipping = false
            if !rules.cutsAtTerminator { return nil }
            let line = Bytes(beginning)
            beginning = []
            return try cut(line)
        }
        var line = part
        if !beginning.isEmpty {
            part.withUnsafeBytes { beginning.append(contentsOf: $0) }
            line = Bytes(beginning)
            beginning.removeAll(keepingCapacity: beginning.capacity <= 1 << 16)
        }
        if terminators.dropsCarriageReturn, line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        return line.count <= maximumLength ? line : try cut(line)
    }

    /// Keeps the rest of the chunk, because the line continues in the next one.
    ///
    /// - Returns: The beginning of the line, if it is too long and to be cut.
    private func takeBeginning() throws(SystemError) -> Bytes? {
        let part = chunk[position...]
        position = chunk.endIndex
        if isSkipping { return nil }
        // One byte over the limit may turn out to be a carriage return, which does not count.
        let room = maximumLength - beginning.count + (terminators.dropsCarriageReturn ? 1 : 0)
        part.prefix(max(room, 0) + 1).withUnsafeBytes { beginning.append(contentsOf: $0) }
        if part.count <= room { return nil }
        isSkipping = true
        if rules.cutsAtTerminator, rules.longLines != .fail { return nil }
        let line = Bytes(beginning)
        beginning = []
        return try cut(line)
    }

    private func cut(_ line: Bytes) throws(SystemError) -> Bytes? {
        switch rules.longLines {
        case .cut:
            return rules.keepsCharacters ? line.prefixOfCharacters(maximumLength) : line.prefix(maximumLength)
        case .skip:
            return nil
        case .fail:
            throw SystemError(
                call: "lines", code: EMSGSIZE, subject: "(more than \(maximumLength) bytes without a terminator)")
        }
    }
}

extension Bytes {
    /// The end of a line, without a carriage return before its terminator.
    @inline(__always) fileprivate func endOfText(from start: Int, to terminator: Int) -> Int {
        let isReturn = terminator > start && base.load(fromByteOffset: terminator - 1, as: UInt8.self) == 0x0D
        return isReturn ? terminator - 1 : terminator
    }

    /// The longest prefix up to a length that does not end inside a character of UTF-8.
    fileprivate func prefixOfCharacters(_ length: Int) -> Bytes {
        if count <= length { return self }
        var end = startIndex + length
        // A UTF-8 character has at most three continuation bytes.
        for _ in 0..<3 where end > startIndex && self[end] & 0xC0 == 0x80 { end -= 1 }
        return self[end] & 0xC0 == 0x80 ? prefix(length) : self[..<end]
    }
}
