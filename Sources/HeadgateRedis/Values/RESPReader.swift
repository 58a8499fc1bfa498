/// Reads a complete reply from its beginning: it relies on what the parser has checked.
package struct RESPReader {
    private var chunk: Bytes
    private var position: Int
    private var others: ArraySlice<Bytes>

    package init(_ reply: RESPReply) {
        chunk = reply.first
        position = chunk.startIndex
        others = reply.others[...]
    }

    /// Reads complete values in one piece of memory.
    init(_ values: Bytes) { self.init(RESPReply(kind: 0, first: values)) }

    /// What has not been read.
    var rest: [Bytes] { (position == chunk.endIndex ? [] : [chunk[position...]]) + others }

    /// How many bytes that is.
    var size: Int { others.reduce(chunk.endIndex - position) { $0 + $1.count } }

    /// The beginning of a value: of which kind it is, and its number or its text.
    struct Head {
        var kind: UInt8
        /// A length, a number of elements or an integer; nothing if it has none or is null.
        var number: Int?
        /// The line of any other kind.
        var text: Bytes?

        /// How many values it contains, keys and values of a map; nothing if it is null or no container.
        var elements: Int? {
            switch kind {
            case UInt8(ascii: "*"), UInt8(ascii: "~"), UInt8(ascii: ">"): number
            case UInt8(ascii: "%"): number.map { $0 * 2 }
            default: nil
            }
        }
    }

    /// Reads the next line; an attribute and what it contains are skipped before.
    mutating func head() -> Head {
        while true {
            if let head = plainHead() { return Head(kind: head.kind, number: head.number) }
            let head = anyHead()
            if head.kind != UInt8(ascii: "|") { return head }
            skip((head.number ?? 0) * 2)
        }
    }

    /// Reads a line with a number of up to 17 digits, unless it spans chunks.
    @inline(__always) private mutating func plainHead() -> (kind: UInt8, number: Int)? {
        let place = position - chunk.startIndex
        let line = chunk.withUnsafeBytes { memory in
            memory.baseAddress.flatMap {
                PlainLine($0.assumingMemoryBound(to: UInt8.self), memory.count, at: place)
            }
        }
        guard let line else { return nil }
        switch line.mark {
        case UInt8(ascii: "$"), UInt8(ascii: "*"), UInt8(ascii: ":"), UInt8(ascii: "%"):
            position = line.end + chunk.startIndex
            return (line.mark, line.number)
        default: return nil
        }
    }

    private mutating func anyHead() -> Head {
        let line = takeLine()
        let kind = line[line.startIndex]
        let text = line.dropFirst()
        switch kind {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ","), UInt8(ascii: "#"),
            UInt8(ascii: "_"):
            return Head(kind: kind, number: nil, text: text)
        default:
            let number = text.decimal.map { Int($0) }
            return Head(kind: kind, number: number == -1 && kind != UInt8(ascii: ":") ? nil : number)
        }
    }

    private mutating func takeLine() -> Bytes {
        if let end = chunk[position...].firstIndex(of: 0x0A) {
            defer { position = end + 1 }
            return chunk[position..<(end - 1)]
        }
        var line: [UInt8] = []
        while line.last != 0x0A { line.append(takeByte()) }
        return Bytes(line.dropLast(2))
    }

    private mutating func takeByte() -> UInt8 {
        while position == chunk.endIndex { takeChunk() }
        defer { position += 1 }
        return chunk[position]
    }

    private mutating func takeChunk() {
        chunk = others.removeFirst()
        position = chunk.startIndex
    }

    /// Takes bytes, and skips the terminator after them.
    mutating func take(_ count: Int) -> Bytes {
        if chunk.endIndex - position >= count + 2 {
            defer { position += count + 2 }
            return chunk[position..<(position + count)]
        }
        var pieces: [Bytes] = []
        var missing = count
        while missing > 0 {
            let piece = chunk[position...].prefix(missing)
            position += piece.count
            missing -= piece.count
            if !piece.isEmpty { pieces.append(piece) }
            if missing > 0 { takeChunk() }
        }
        _ = (takeByte(), takeByte())
        return pieces.count == 1 ? pieces[0] : Bytes(joining: pieces, count: count)
    }

    /// Skips the next values.
    mutating func skip(_ values: Int) {
        var count = values
        while count > 0 {
            count -= 1
            let head = plainHead().map { Head(kind: $0.kind, number: $0.number) } ?? anyHead()
            guard let number = head.number else { continue }
            switch head.kind {
            // The value that it belongs to follows.
            case UInt8(ascii: "|"): count += number * 2 + 1
            case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="): skipBytes(number + 2)
            default: count += head.elements ?? 0
            }
        }
    }

    private mutating func skipBytes(_ count: Int) {
        var count = count
        while chunk.endIndex - position < count {
            count -= chunk.endIndex - position
            takeChunk()
        }
        position += count
    }
}

/// What streams read.
extension RESPReader {
    /// Reads the beginning of an array, a set, a push or a map.
    ///
    /// - Returns: The number of elements, of keys and values of a map; `nil` if it is none of these.
    package mutating func elements() -> Int? {
        let before = position
        if let (kind, number) = plainHead(), kind == UInt8(ascii: "*") { return number }
        position = before
        return head().elements
    }

    /// Reads the beginning of a reply to `XREAD` or `XREADGROUP` on one key.
    ///
    /// - Returns: The number of entries, zero if there were none in time; `nil` if it is no such reply.
    mutating func entriesOfStream() -> Int? {
        let head = head()
        switch (head.kind, head.number) {
        case (UInt8(ascii: "_"), _), (UInt8(ascii: "*"), nil), (UInt8(ascii: "$"), nil): return 0
        case (UInt8(ascii: "%"), 1): break
        case (UInt8(ascii: "*"), 1): if elements() != 2 { return nil }
        default: return nil
        }
        skip(1)
        return elements()
    }

    /// Reads a string or a status.
    mutating func string() -> Bytes? {
        let head = head()
        switch head.kind {
        case UInt8(ascii: "$"): return head.number.map { take($0) }
        case UInt8(ascii: "+"): return head.text
        default: return nil
        }
    }

    /// Reads an identifier.
    mutating func id() -> EntryID? {
        let before = position
        if let (kind, length) = plainHead(), kind == UInt8(ascii: "$"),
            chunk.endIndex - position >= length + 2
        {
            let start = position - chunk.startIndex
            position += length + 2
            return chunk.withUnsafeBytes { EntryID(in: $0, from: start, to: start + length) }
        }
        position = before
        return string().flatMap { EntryID($0) }
    }

    /// Reads an entry: an identifier, and fields or nothing.
    mutating func entry() -> (id: EntryID, fields: EntryFields?)? {
        guard let parts = elements(), parts >= 2, let id = id() else { return nil }
        let fields = fields()
        skip(parts - 2)
        return (id, fields)
    }

    /// Reads the fields of an entry, which stay as they are; `nil` if there are none.
    mutating func fields() -> EntryFields? {
        let before = position
        if let (kind, count) = plainHead(), kind == UInt8(ascii: "*") {
            let start = position
            if skipStrings(count) { return EntryFields(encoded: chunk[start..<position], count: count / 2) }
        }
        // In several chunks, or no strings.
        position = before
        return value()?.elements.map { values in EntryFields(strings: values.map { $0.bytes ?? Bytes() }) }
    }

    /// Skips strings in this chunk.
    ///
    /// - Returns: Whether there are as many.
    private mutating func skipStrings(_ count: Int) -> Bool {
        let start = position - chunk.startIndex
        let end: Int? = chunk.withUnsafeBytes { memory in
            guard let bytes = memory.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
            let size = memory.count
            var place = start
            for _ in 0..<count {
                guard let line = PlainLine(bytes, size, at: place), line.mark == UInt8(ascii: "$"),
                    line.end + line.number + 2 <= size
                else { return nil }
                place = line.end + line.number + 2
            }
            return place
        }
        guard let end else { return false }
        position = end + chunk.startIndex
        return true
    }
}
