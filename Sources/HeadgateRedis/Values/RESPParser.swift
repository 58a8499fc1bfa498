/// Splits chunks of bytes into replies, RESP2 and RESP3.
///
/// A string is a slice of its chunk; one that spans chunks is copied once, when it is complete. Nesting takes no calls.
/// After a failure, every call fails.
package struct RESPParser {
    /// A container whose elements are being read.
    private struct Frame {
        let kind: UInt8
        var remaining: Int
        var elements: [RedisValue] = []

        init(kind: UInt8, count: Int) {
            self.kind = kind
            remaining = count
            // The sender announces the number: memory is taken as elements arrive.
            elements.reserveCapacity(min(count, 64))
        }
    }

    /// A string that spans chunks.
    private struct Spanning {
        let kind: UInt8
        let length: Int
        var missing: Int
        var pieces: [Bytes] = []
    }

    private let limits: RESPLimits
    private var chunk = Bytes()
    private var position = 0
    private var frames: [Frame] = []
    private var spanning: Spanning?
    // The beginning of a line that spans chunks.
    private var beginning: [UInt8] = []
    private var failure: RESPError?

    package init(limits: RESPLimits = RESPLimits()) { self.limits = limits }

    /// Whether no bytes of an incomplete reply are left.
    package var isEmpty: Bool {
        position == chunk.endIndex && frames.isEmpty && spanning == nil && beginning.isEmpty
    }

    /// Takes a chunk, after `next` has returned `nil` for the previous one.
    package mutating func take(_ chunk: Bytes) {
        self.chunk = chunk
        position = chunk.startIndex
    }

    /// The next reply, or `nil` if it is not complete.
    package mutating func next() throws(RESPError) -> RedisValue? {
        if let failure { throw failure }
        do throws(RESPError) {
            return try read()
        } catch {
            failure = error
            (chunk, position, frames, spanning, beginning) = (Bytes(), 0, [], nil, [])
            throw error
        }
    }

    private mutating func read() throws(RESPError) -> RedisValue? {
        while true {
            let value: RedisValue?
            if spanning != nil {
                guard let string = try resumeString() else { return nil }
                value = string
            } else {
                guard let line = try takeLine() else { return nil }
                value = try begin(line)
            }
            if let value, let reply = close(with: value) { return reply }
        }
    }

    /// Adds a complete value to the container that it belongs to.
    ///
    /// - Returns: The reply, if it is complete.
    private mutating func close(with value: RedisValue) -> RedisValue? {
        var value = value
        while let last = frames.indices.last {
            frames[last].elements.append(value)
            frames[last].remaining -= 1
            if frames[last].remaining > 0 { return nil }
            let frame = frames.removeLast()
            switch frame.kind {
            case UInt8(ascii: "*"): value = .array(frame.elements)
            case UInt8(ascii: "%"): value = .map(frame.elements)
            case UInt8(ascii: "~"): value = .set(frame.elements)
            case UInt8(ascii: ">"): value = .push(frame.elements)
            // An attribute is followed by the value that it belongs to.
            default: return nil
            }
        }
        return value
    }

    /// Takes a line without its terminator, if it is complete.
    private mutating func takeLine() throws(RESPError) -> Bytes? {
        let start = position
        var end = start
        chunk.withUnsafeBytes { memory in
            let base = chunk.startIndex
            while end < base + memory.count, memory[end - base] != 0x0A { end += 1 }
        }
        if beginning.isEmpty, start < chunk.endIndex { try checkKind(chunk[start]) }
        if beginning.count + end - start > limits.lineLength + 3 {
            throw RESPError("a line of more than \(limits.lineLength) bytes")
        }
        if end == chunk.endIndex {
            chunk[start...].withUnsafeBytes { beginning.append(contentsOf: $0) }
            chunk = Bytes()
            position = 0
            return nil
        }
        position = end + 1
        var line = chunk[start..<end]
        if !beginning.isEmpty {
            line.withUnsafeBytes { beginning.append(contentsOf: $0) }
            line = Bytes(beginning)
            beginning = []
        }
        if line.last != 0x0D { throw RESPError("a line that does not end with CR LF") }
        return line.dropLast()
    }

    private func checkKind(_ kind: UInt8) throws(RESPError) {
        switch kind {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "$"), UInt8(ascii: "*"),
            UInt8(ascii: "_"), UInt8(ascii: ","), UInt8(ascii: "#"), UInt8(ascii: "("), UInt8(ascii: "!"),
            UInt8(ascii: "="), UInt8(ascii: "%"), UInt8(ascii: "~"), UInt8(ascii: ">"), UInt8(ascii: "|"):
            return
        default:
            let isWeb = chunk[position...].starts(with: Bytes("HTTP/"))
            throw RESPError(
                (isWeb ? "the answer of an HTTP server: \"" : "no type of the protocol: \"")
                    + chunk[position...].excerpt() + "\"")
        }
    }

    /// Reads what a line begins.
    ///
    /// - Returns: The value, unless more of it follows.
    private mutating func begin(_ line: Bytes) throws(RESPError) -> RedisValue? {
        guard let kind = line.first else { throw RESPError("an empty line") }
        let text = line.dropFirst()
        switch kind {
        case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="):
            guard let length = try count(text, limit: limits.length, of: "bytes") else { return .null }
            return try beginString(kind, length)
        case UInt8(ascii: "*"), UInt8(ascii: "%"), UInt8(ascii: "~"), UInt8(ascii: ">"), UInt8(ascii: "|"):
            return try beginContainer(kind, text)
        case UInt8(ascii: ":"):
            guard let number = text.decimal else { throw RESPError("no integer: \"\(text.excerpt())\"") }
            return .integer(number)
        case UInt8(ascii: "+"): return .status(text)
        case UInt8(ascii: "-"): return .error(text)
        case UInt8(ascii: "_"):
            if !text.isEmpty { throw RESPError("null with a value") }
            return .null
        case UInt8(ascii: "#"):
            if text == "t" { return .boolean(true) }
            if text == "f" { return .boolean(false) }
            throw RESPError("no truth value: \"\(text.excerpt())\"")
        case UInt8(ascii: "("): return .bigNumber(try bigNumber(text))
        case UInt8(ascii: ","): return .double(try double(text))
        default: throw RESPError("no type of the protocol")
        }
    }

    private func count(_ text: Bytes, limit: Int, of what: String) throws(RESPError) -> Int? {
        guard let number = text.decimal, number >= -1 else { throw RESPError("no length: \"\(text.excerpt())\"") }
        if number > Int64(limit) { throw RESPError("\(number) \(what) announced, at most \(limit) allowed") }
        return number == -1 ? nil : Int(number)
    }

    private mutating func beginContainer(_ kind: UInt8, _ text: Bytes) throws(RESPError) -> RedisValue? {
        guard let announced = try count(text, limit: limits.elements, of: "elements") else { return .null }
        let isKeyed = kind == UInt8(ascii: "%") || kind == UInt8(ascii: "|")
        let count = isKeyed ? announced * 2 : announced
        if count > limits.elements {
            throw RESPError("\(count) elements announced, at most \(limits.elements) allowed")
        }
        if count > 0 {
            if frames.count == limits.depth { throw RESPError("nesting of more than \(limits.depth) levels") }
            frames.append(Frame(kind: kind, count: count))
            return nil
        }
        switch kind {
        case UInt8(ascii: "*"): return .array([])
        case UInt8(ascii: "%"): return .map([])
        case UInt8(ascii: "~"): return .set([])
        case UInt8(ascii: ">"): return .push([])
        default: return nil
        }
    }

    private mutating func beginString(_ kind: UInt8, _ length: Int) throws(RESPError) -> RedisValue? {
        if chunk.endIndex - position >= length + 2 {
            let string = chunk[position..<(position + length)]
            try checkEnd(chunk[position + length], chunk[position + length + 1])
            position += length + 2
            return try value(kind, string)
        }
        spanning = Spanning(kind: kind, length: length, missing: length + 2)
        return nil
    }

    private mutating func resumeString() throws(RESPError) -> RedisValue? {
        guard let missing = spanning?.missing else { return nil }
        let piece = chunk[position..<min(chunk.endIndex, position + missing)]
        position += piece.count
        if !piece.isEmpty { spanning?.pieces.append(piece) }
        spanning?.missing -= piece.count
        guard let complete = spanning, complete.missing == 0 else { return nil }
        spanning = nil
        let all = Bytes(joining: complete.pieces, count: complete.length + 2)
        try checkEnd(all[complete.length], all[complete.length + 1])
        return try value(complete.kind, all.prefix(complete.length))
    }

    private func checkEnd(_ first: UInt8, _ second: UInt8) throws(RESPError) {
        if first != 0x0D || second != 0x0A { throw RESPError("a string that does not end where it should") }
    }

    private func value(_ kind: UInt8, _ string: Bytes) throws(RESPError) -> RedisValue {
        if kind == UInt8(ascii: "$") { return .string(string) }
        if kind == UInt8(ascii: "!") { return .error(string) }
        guard string.count >= 4, string[string.startIndex + 3] == UInt8(ascii: ":") else {
            throw RESPError("a verbatim text without a format")
        }
        return .verbatim(format: string.prefix(3), text: string.dropFirst(4))
    }

    private func bigNumber(_ text: Bytes) throws(RESPError) -> Bytes {
        let digits = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") ? text.dropFirst() : text
        if digits.isEmpty || !digits.allSatisfy({ 0x30...0x39 ~= $0 }) {
            throw RESPError("no number: \"\(text.excerpt())\"")
        }
        return text
    }

    private func double(_ text: Bytes) throws(RESPError) -> Double {
        switch text {
        case "inf", "+inf": return .infinity
        case "-inf": return -.infinity
        case "nan", "-nan": return .nan
        default:
            let isDecimal = text.allSatisfy { 0x30...0x39 ~= $0 || "+-.eE".utf8.contains($0) }
            guard isDecimal, let number = Double(String(text)) else {
                throw RESPError("no number: \"\(text.excerpt())\"")
            }
            return number
        }
    }
}

extension Bytes {
    /// Joins pieces into one piece of memory.
    init(joining pieces: [Bytes], count: Int) {
        self.init(capacity: count) { buffer in
            var place = 0
            for piece in pieces {
                piece.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[place...]).copyMemory(from: $0) }
                place += piece.count
            }
            return place
        }
    }
}
