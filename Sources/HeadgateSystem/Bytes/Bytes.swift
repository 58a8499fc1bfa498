// The memory is written only while it is created, by its creator.
/// Bytes in memory that never change, sliced without copying.
///
/// A chunk read from a file, a line in it and a word in that line are all views of the same memory, which is freed
/// with the last of them. As with `ArraySlice` and `Substring`, a slice shares the indices of its base: begin at
/// `startIndex`, not at zero.
///
/// ```swift
/// let line = Bytes("GET /index.html")
/// let space = line.firstIndex(of: UInt8(ascii: " "))!
/// print(String(line[..<space]), line[space...].count)
/// // GET 12
/// ```
///
/// A small slice keeps the whole chunk in memory. To keep slices for a long time, store them ``copied()``.
public struct Bytes: @unchecked Sendable {
    /// The memory, allocated together with the object that counts its references.
    @usableFromInline typealias Storage = ManagedBuffer<Void, UInt8>

    @usableFromInline let storage: Storage

    @usableFromInline let start: Int

    @usableFromInline let end: Int

    @usableFromInline static let nothing = Bytes(capacity: 0) { _ in 0 }

    @inlinable init(storage: Storage, start: Int, end: Int) {
        self.storage = storage
        self.start = start
        self.end = end
    }

    @inlinable var base: UnsafeMutableRawPointer {
        storage.withUnsafeMutablePointerToElements(UnsafeMutableRawPointer.init)
    }

    /// Creates bytes in memory that a closure fills.
    ///
    /// ```swift
    /// let zeros = Bytes(capacity: 4) { buffer in
    ///     buffer.initializeMemory(as: UInt8.self, repeating: 0)
    ///     return 4
    /// }
    /// ```
    ///
    /// - Complexity: One allocation; the memory is not zeroed first.
    /// - Parameters:
    ///   - capacity: The size of the memory in bytes; a negative one traps.
    ///   - fill: Fills the memory from its beginning and returns the number of bytes it wrote, between zero and
    ///     `capacity`; anything else traps.
    @inlinable public init<Failure: Error>(
        capacity: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        require(
            capacity >= 0, rule: "`Bytes` requires a capacity of at least 0.", found: "\(capacity)",
            remedy: "Pass the size of the memory.")
        let storage = Storage.create(minimumCapacity: capacity) { _ in }
        let count = try fill(
            UnsafeMutableRawBufferPointer(
                start: storage.withUnsafeMutablePointerToElements(UnsafeMutableRawPointer.init), count: capacity))
        require(
            (0...capacity).contains(count), rule: "The closure fills at most the capacity, \(capacity) bytes.",
            found: "\(count)", remedy: "Return the number it wrote.")
        self.init(storage: storage, start: 0, end: count)
    }

    /// Creates an empty value.
    @inlinable public init() { self = Bytes.nothing }

    /// Creates a copy of the elements of a sequence.
    @inlinable public init(_ elements: some Sequence<UInt8>) {
        let copy = elements.withContiguousStorageIfAvailable { Bytes(copying: UnsafeRawBufferPointer($0)) }
        self = copy ?? Array(elements).withUnsafeBytes { Bytes(copying: $0) }
    }

    /// Creates the UTF-8 form of a text.
    @inlinable public init(_ text: some StringProtocol) {
        var text = String(text)
        self = text.withUTF8 { Bytes(copying: UnsafeRawBufferPointer($0)) }
    }

    /// Creates a copy of memory.
    @inlinable public init(copying memory: UnsafeRawBufferPointer) {
        self.init(capacity: memory.count) { buffer in
            buffer.copyMemory(from: memory)
            return memory.count
        }
    }

    /// Returns a copy in memory of its own, so that the chunk these bytes are a slice of can be freed.
    @inlinable public func copied() -> Bytes { withUnsafeBytes { Bytes(copying: $0) } }

    /// Calls a closure with the memory; the pointer is valid only during the call.
    @inlinable public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = try body(UnsafeRawBufferPointer(start: base + start, count: end - start))
        withExtendedLifetime(storage) {}
        return result
    }

    /// The memory as a span, which the compiler keeps from outliving these bytes.
    @inlinable public var bytes: RawSpan {
        @_lifetime(borrow self) get {
            let span = RawSpan(_unsafeStart: base + start, byteCount: end - start)
            return unsafe tied(span, to: self)
        }
    }

    /// The elements as a span, which the compiler keeps from outliving these bytes.
    @inlinable public var span: Span<UInt8> {
        @_lifetime(borrow self) get {
            let place = (base + start).assumingMemoryBound(to: UInt8.self)
            let span = Span(_unsafeStart: UnsafePointer(place), count: end - start)
            return unsafe tied(span, to: self)
        }
    }
}
