/// A value in the protocol of Redis, RESP2 or RESP3.
///
/// ```swift
/// let reply = RedisValue.array([.string("a"), .integer(2), .null])
/// print(reply, reply.elements?[0].text ?? "")
/// // [a, 2, null] a
/// ```
///
/// Bytes are slices of the chunk in which they arrived. To keep a small one for a long time, keep it `copied()`.
public enum RedisValue: Hashable, Sendable {
    /// Nothing: a key that does not exist, or no entry in time.
    case null
    /// A short answer such as `OK`.
    case status(Bytes)
    /// A string of any bytes.
    case string(Bytes)
    /// An error inside another value; a command that is answered with an error fails.
    case error(Bytes)
    /// An integer.
    case integer(Int64)
    /// A floating-point number, which may be infinite or not a number.
    case double(Double)
    /// A truth value.
    case boolean(Bool)
    /// The digits of an integer of any size.
    case bigNumber(Bytes)
    /// A text with its format, such as `txt` or `mkd`.
    case verbatim(format: Bytes, text: Bytes)
    /// Several values.
    case array([RedisValue])
    /// Alternating keys and values, in the order of the server.
    case map([RedisValue])
    /// Several values without an order.
    case set([RedisValue])
    /// What the server sends without having been asked.
    case push([RedisValue])
}

extension RedisValue {
    /// The bytes of a string, a status, an error, a number of any size or a verbatim text; `nil` for anything else.
    public var bytes: Bytes? {
        switch self {
        case .status(let bytes), .string(let bytes), .error(let bytes), .bigNumber(let bytes),
            .verbatim(_, let bytes):
            bytes
        default: nil
        }
    }

    /// The text of what has bytes, and of an integer; `nil` for anything else.
    public var text: String? {
        if case .integer(let integer) = self { return String(integer) }
        return bytes.map { String($0) }
    }

    /// The value of an integer, and of a string of decimal digits; `nil` for anything else.
    public var integer: Int64? {
        if case .integer(let integer) = self { return integer }
        return bytes?.decimal
    }

    /// The elements of an array, a set or a push, and the alternating keys and values of a map; `nil` for anything
    /// else.
    public var elements: [RedisValue]? {
        switch self {
        case .array(let elements), .map(let elements), .set(let elements), .push(let elements): elements
        default: nil
        }
    }
}

extension RedisValue: CustomStringConvertible {
    /// The value as text, for a log.
    public var description: String {
        switch self {
        case .null: "null"
        case .status, .string, .error, .bigNumber, .verbatim, .integer: text ?? ""
        case .double(let double): "\(double)"
        case .boolean(let boolean): "\(boolean)"
        case .array, .map, .set, .push: Self.description(of: self)
        }
    }

    // With a stack of its own: a reply may be nested deeper than calls can be.
    private static func description(of value: RedisValue) -> String {
        var text = ""
        var open: [ArraySlice<RedisValue>] = [[value]]
        var isFirst = true
        while var rest = open.popLast() {
            guard let next = rest.popFirst() else {
                if !open.isEmpty { text += "]" }
                isFirst = false
                continue
            }
            open.append(rest)
            if !isFirst { text += ", " }
            if let elements = next.elements {
                text += "["
                open.append(elements[...])
                isFirst = true
            } else {
                text += next.description
                isFirst = false
            }
        }
        return text
    }
}
