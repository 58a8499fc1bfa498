#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Bytes: RandomAccessCollection {
    /// The index of the first byte, which is not zero in most slices.
    @inlinable public var startIndex: Int { start }

    /// The index after the last byte.
    @inlinable public var endIndex: Int { end }

    /// How many bytes there are.
    @inlinable public var count: Int { end - start }

    /// One byte.
    @inlinable public subscript(position: Int) -> UInt8 {
        precondition(position >= start && position < end, "An index of Bytes is out of range.")
        return storage.withUnsafeMutablePointerToElements { $0[position] }
    }

    /// A view of some of the bytes, without copying them.
    @inlinable public subscript(range: Range<Int>) -> Bytes {
        precondition(range.lowerBound >= start && range.upperBound <= end, "A range of Bytes is out of range.")
        return Bytes(storage: storage, start: range.lowerBound, end: range.upperBound)
    }

    /// Hands the memory to a closure.
    @inlinable public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try withUnsafeBytes { try body($0.assumingMemoryBound(to: UInt8.self)) }
    }

    /// The index of the first byte of a value, found at the speed of `memchr`.
    public func firstIndex(of byte: UInt8) -> Int? { firstIndex(of: byte, from: start) }

    /// The index of the first byte of a value at a place or after it.
    func firstIndex(of byte: UInt8, from position: Int) -> Int? {
        precondition(position >= start && position <= end, "An index of Bytes is out of range.")
        let found = memchr(base + position, Int32(byte), end - position)
        withExtendedLifetime(storage) {}
        return found.map { $0 - base }
    }
}

extension Bytes: Hashable {
    /// Whether both have the same bytes in the same order, wherever these are.
    public static func == (lhs: Bytes, rhs: Bytes) -> Bool {
        lhs.count == rhs.count
            && lhs.withUnsafeBytes { left in
                rhs.withUnsafeBytes { right in
                    left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
                }
            }
    }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension Bytes: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// Makes the UTF-8 form of a literal.
    public init(stringLiteral text: String) { self.init(text) }

    /// Makes bytes of their values.
    public init(arrayLiteral elements: UInt8...) { self.init(elements) }

    /// How many there are: what is in them is for ``Swift/String/init(_:)-(Bytes)`` to say.
    public var description: String { "\(count) bytes" }
}

extension String {
    /// Makes a text of UTF-8, with U+FFFD in the place of what is not.
    ///
    /// - Complexity: One copy; an allocation where there are more than 15 bytes.
    public init(_ bytes: Bytes) {
        self = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Makes a text of UTF-8, or nothing where the bytes are not.
    public init?(validating bytes: Bytes) {
        guard let text = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else { return nil }
        self = text
    }
}
