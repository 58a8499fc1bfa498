import HeadgateLibC

extension Bytes: RandomAccessCollection {
    /// The index of the first byte, which is not zero in most slices.
    @inlinable public var startIndex: Int { start }

    /// The index after the last byte.
    @inlinable public var endIndex: Int { end }

    /// How many bytes there are.
    @inlinable public var count: Int { end - start }

    /// The byte at an index.
    @inlinable public subscript(position: Int) -> UInt8 {
        if position < start || position >= end { outOfBounds(position) }
        return storage.withUnsafeMutablePointerToElements { $0[position] }
    }

    /// A view of some of the bytes, without copying them.
    @inlinable public subscript(range: Range<Int>) -> Bytes {
        if range.lowerBound < start || range.upperBound > end { outOfBounds(range) }
        return Bytes(storage: storage, start: range.lowerBound, end: range.upperBound)
    }

    /// Calls a closure with the contiguous memory.
    @inlinable public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try withUnsafeBytes { try body($0.assumingMemoryBound(to: UInt8.self)) }
    }

    /// The index of the first byte with a value, found at the speed of `memchr`.
    public func firstIndex(of byte: UInt8) -> Int? { firstIndex(of: byte, from: start) }

    /// The index of the first byte with a value, at or after a position.
    func firstIndex(of byte: UInt8, from position: Int) -> Int? {
        if position < start || position > end { outOfBounds(position) }
        let found = memchr(base + position, Int32(byte), end - position)
        withExtendedLifetime(storage) {}
        return found.map { $0 - base }
    }

    // Not inlined, because a byte is read in one place and a message takes many instructions.
    @inlinable @inline(never) func outOfBounds(_ index: some CustomStringConvertible) -> Never {
        programmerError(
            rule: "An index of `Bytes` lies in `startIndex..<endIndex`, which is \(start)..<\(end).",
            found: index.description,
            remedy: "Begin at `startIndex`, which is not 0 in most slices.")
    }
}

extension Bytes: Hashable {
    /// Whether both have the same bytes in the same order, whatever their indices.
    public static func == (lhs: Bytes, rhs: Bytes) -> Bool {
        lhs.count == rhs.count
            && lhs.withUnsafeBytes { left in
                rhs.withUnsafeBytes { right in
                    left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
                }
            }
    }

    /// Feeds what is compared into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension Bytes: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// Creates the UTF-8 form of a literal.
    public init(stringLiteral text: String) { self.init(text) }

    /// Creates bytes from a literal of their values.
    public init(arrayLiteral elements: UInt8...) { self.init(elements) }

    /// The number of bytes; use ``Swift/String/init(_:)-(Bytes)`` to decode them as text.
    public var description: String { "\(count) bytes" }
}

extension String {
    /// Decodes UTF-8, replacing invalid sequences with U+FFFD.
    ///
    /// - Complexity: One copy; one allocation if there are more than 15 bytes.
    public init(_ bytes: Bytes) {
        self = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Decodes UTF-8, or returns `nil` if the bytes are not valid UTF-8.
    public init?(validating bytes: Bytes) {
        guard let text = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else { return nil }
        self = text
    }
}
