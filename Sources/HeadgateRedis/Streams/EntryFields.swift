/// The fields of an entry and their values, of any bytes, in their order.
///
/// ```swift
/// let fields: EntryFields = ["name": "Ada", "city": "London"]
/// print(fields, fields.text("city") ?? "", fields["country"] == nil)
/// // [name: Ada, city: London] London true
/// ```
///
/// They are kept as the server sends and receives them, in one piece of memory.
public struct EntryFields: Hashable, Sendable {
    /// Names and values by turns, in the protocol of the server.
    let encoded: Bytes

    /// The number of fields.
    public let count: Int

    init(encoded: Bytes, count: Int) {
        self.encoded = encoded
        self.count = count
    }

    /// Creates fields from alternating names and values.
    init(strings: [Bytes]) {
        self.init(
            encoded: .commandPart(strings.reduce(0) { $0 + CommandWriter.room(for: $1) }) { writer in
                for string in strings { writer.put(string) }
            }, count: strings.count / 2)
    }

    /// Creates fields with names and values.
    public init(_ pairs: some Sequence<(Bytes, Bytes)>) { self.init(list: Array(pairs)) }

    fileprivate init(list pairs: [(Bytes, Bytes)]) {
        self.init(
            encoded: .commandPart(
                pairs.reduce(0) { $0 + CommandWriter.room(for: $1.0) + CommandWriter.room(for: $1.1) }
            ) { writer in
                for (name, value) in pairs {
                    writer.put(name)
                    writer.put(value)
                }
            }, count: pairs.count)
    }

    /// Creates fields from texts, in the order of their names.
    public init(_ texts: [String: String]) {
        self.init(texts.sorted { $0.key < $1.key }.map { (Bytes($0), Bytes($1)) })
    }

    /// The names and the values.
    ///
    /// - Complexity: Reads all of them each time.
    public var pairs: [(name: Bytes, value: Bytes)] {
        var reader = RESPReader(encoded)
        return (0..<count).map { _ in (reader.string() ?? Bytes(), reader.string() ?? Bytes()) }
    }

    /// The value of the first field with a name.
    ///
    /// - Complexity: Reads the fields before it.
    public subscript(name: Bytes) -> Bytes? {
        var reader = RESPReader(encoded)
        for _ in 0..<count {
            if reader.string() == name { return reader.string() }
            reader.skip(1)
        }
        return nil
    }

    /// The value of the first field with a name, as text.
    public func text(_ name: Bytes) -> String? { self[name].map { String($0) } }
}

extension EntryFields: ExpressibleByDictionaryLiteral, CustomStringConvertible {
    /// Creates fields from a literal, in its order.
    public init(dictionaryLiteral elements: (Bytes, Bytes)...) { self.init(list: elements) }

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
