// The memory is written while it is being made, by the one who makes it, and never after that.
/// Bytes in memory that never change, sliced without copying.
///
/// A chunk that is read from a file, a line in it and a word in that line are all views of one piece of memory, which is
/// freed with the last of them. As with `ArraySlice` and `Substring`, the indices of a slice are those of what it was
/// taken from: begin at `startIndex`, not at zero.
///
/// ```swift
/// let line = Bytes("GET /index.html")
/// let space = line.firstIndex(of: UInt8(ascii: " "))!
/// print(String(line[..<space]), line[space...].count)
/// // GET 12
/// ```
///
/// A small slice keeps the whole chunk in memory. Whoever holds on to many for long stores a ``copied()`` one.
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

    /// Makes bytes of memory that a closure fills.
    ///
    /// ```swift
    /// let zeros = Bytes(capacity: 4) { buffer in
    ///     buffer.initializeMemory(as: UInt8.self, repeating: 0)
    ///     return 4
    /// }
    /// ```
    ///
    /// - Complexity: One allocation; nothing is set to zero first.
    /// - Parameters:
    ///   - capacity: The size of the memory in bytes; a negative one traps.
    ///   - fill: Fills the memory from its beginning, and answers how much of it, between zero and `capacity`; anything else traps.
    @inlinable public init<Failure: Error>(
        capacity: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        precondition(capacity >= 0, "Fewer than no bytes are to be what there is room for.")
        let storage = Storage.create(minimumCapacity: capacity) { _ in }
        let count = try fill(
            UnsafeMutableRawBufferPointer(
                start: storage.withUnsafeMutablePointerToElements(UnsafeMutableRawPointer.init), count: capacity))
        precondition((0...capacity).contains(count), "More bytes were filled in than there is room for.")
        self.init(storage: storage, start: 0, end: count)
    }

    /// Makes no bytes.
    @inlinable public init() { self = Bytes.nothing }

    /// Makes a copy of the elements of a sequence.
    @inlinable public init(_ elements: some Sequence<UInt8>) {
        let copy = elements.withContiguousStorageIfAvailable { Bytes(copying: UnsafeRawBufferPointer($0)) }
        self = copy ?? Array(elements).withUnsafeBytes { Bytes(copying: $0) }
    }

    /// Makes the UTF-8 form of a text.
    @inlinable public init(_ text: some StringProtocol) {
        var text = String(text)
        self = text.withUTF8 { Bytes(copying: UnsafeRawBufferPointer($0)) }
    }

    /// Makes a copy of memory.
    @inlinable public init(copying memory: UnsafeRawBufferPointer) {
        self.init(capacity: memory.count) { buffer in
            buffer.copyMemory(from: memory)
            return memory.count
        }
    }

    /// The same bytes in memory of their own, for whoever keeps few of many.
    @inlinable public func copied() -> Bytes { withUnsafeBytes { Bytes(copying: $0) } }

    /// Hands the memory to a closure, which must not keep the pointer.
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
