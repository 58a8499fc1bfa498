/// The fields of an entry and their values, of any bytes, in their order.
///
/// ```swift
/// let fields: EntryFields = ["name": "Ada", "city": "London"]
/// print(fields, fields.text("city") ?? "", fields["country"] == nil)
/// // [name: Ada, city: London] London true
/// ```
public struct EntryFields: Hashable, Sendable {
    // Names and values by turns, as the server sends them.
    let values: [RedisValue]

    init(values: [RedisValue]) { self.values = values }

    /// Creates fields with names and values.
    public init(_ pairs: some Sequence<(Bytes, Bytes)>) {
        values = pairs.flatMap { [.string($0), .string($1)] }
    }

    /// Creates fields from texts, in the order of their names.
    public init(_ texts: [String: String]) {
        self.init(texts.sorted { $0.key < $1.key }.map { (Bytes($0), Bytes($1)) })
    }

    /// The number of fields.
    public var count: Int { values.count / 2 }

    /// The names and the values.
    public var pairs: [(name: Bytes, value: Bytes)] {
        (0..<count).map { (values[2 * $0].bytes ?? Bytes(), values[2 * $0 + 1].bytes ?? Bytes()) }
    }

    /// The value of the first field with a name.
    public subscript(name: Bytes) -> Bytes? {
        for index in 0..<count where values[2 * index].bytes == name { return values[2 * index + 1].bytes }
        return nil
    }

    /// The value of the first field with a name, as text.
    public func text(_ name: Bytes) -> String? { self[name].map { String($0) } }
}

extension EntryFields: ExpressibleByDictionaryLiteral, CustomStringConvertible {
    /// Creates fields from a literal, in its order.
    public init(dictionaryLiteral elements: (Bytes, Bytes)...) { self.init(elements) }

    /// The fields as text.
    public var description: String {
        "[" + pairs.map { "\(String($0.name)): \(String($0.value))" }.joined(separator: ", ") + "]"
    }
}

/// An entry of a stream.
public struct Entry: Hashable, Sendable {
    /// The identifier.
    public let id: EntryID

    /// The fields.
    public let fields: EntryFields
}

extension Entry {
    /// Reads an entry from a reply: an identifier, and fields or nothing.
    static func read(_ value: RedisValue) -> (id: EntryID, fields: EntryFields?)? {
        guard let parts = value.elements, parts.count >= 2, let id = parts[0].bytes.flatMap({ EntryID($0) }) else {
            return nil
        }
        return (id, parts[1].elements.map { EntryFields(values: $0) })
    }

    /// The entries of a reply to `XREAD` or `XREADGROUP` on one key; empty if there were none in time, `nil` if it is
    /// no such reply.
    static func read(stream value: RedisValue) -> [RedisValue]? {
        switch value {
        case .null: return []
        case .map(let pair): return pair.count == 2 ? pair[1].elements : nil
        case .array(let streams):
            guard streams.count == 1, let pair = streams[0].elements, pair.count == 2 else { return nil }
            return pair[1].elements
        default: return nil
        }
    }
}
