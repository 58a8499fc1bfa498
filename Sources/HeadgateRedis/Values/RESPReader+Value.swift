extension RESPReader {
    /// A container whose elements are being read.
    private struct Frame {
        let kind: UInt8
        var remaining: Int
        var elements: [RedisValue] = []
    }

    /// Reads the next value; `nil` if it contains a verbatim text without a format.
    package mutating func value() -> RedisValue? {
        var frames: [Frame] = []
        while true {
            let head = head()
            var value: RedisValue
            if let count = head.elements {
                var frame = Frame(kind: head.kind, remaining: count)
                frame.elements.reserveCapacity(count)
                if count > 0 {
                    frames.append(frame)
                    continue
                }
                value = Self.value(of: frame)
            } else {
                guard let simple = simple(head) else { return nil }
                value = simple
            }
            while let last = frames.indices.last {
                frames[last].elements.append(value)
                frames[last].remaining -= 1
                if frames[last].remaining > 0 { break }
                value = Self.value(of: frames.removeLast())
            }
            if frames.isEmpty { return value }
        }
    }

    private static func value(of frame: Frame) -> RedisValue {
        switch frame.kind {
        case UInt8(ascii: "*"): .array(frame.elements)
        case UInt8(ascii: "%"): .map(frame.elements)
        case UInt8(ascii: "~"): .set(frame.elements)
        default: .push(frame.elements)
        }
    }

    /// Reads what contains no other value.
    private mutating func simple(_ head: Head) -> RedisValue? {
        let text = head.text ?? Bytes()
        switch head.kind {
        case UInt8(ascii: "+"): return .status(text)
        case UInt8(ascii: "-"): return .error(text)
        case UInt8(ascii: "("): return .bigNumber(text)
        case UInt8(ascii: "#"): return .boolean(text == "t")
        case UInt8(ascii: ","): return .double(text.double ?? .nan)
        default: break
        }
        guard let number = head.number else { return .null }
        switch head.kind {
        case UInt8(ascii: ":"): return .integer(Int64(number))
        case UInt8(ascii: "!"): return .error(take(number))
        case UInt8(ascii: "="):
            let text = take(number)
            guard text.count >= 4, text[text.startIndex + 3] == UInt8(ascii: ":") else { return nil }
            return .verbatim(format: text.prefix(3), text: text.dropFirst(4))
        default: return .string(take(number))
        }
    }
}
