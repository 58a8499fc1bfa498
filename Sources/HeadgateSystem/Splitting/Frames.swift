/// The order of the bytes of a number.
public enum ByteOrder: Hashable, Sendable {
    /// The most significant byte first, as in most protocols.
    case bigEndian
    /// The least significant byte first.
    case littleEndian
}

extension Publisher where Output == Bytes, Failure == SystemError {
    /// Publishes the frames of a stream of bytes, each preceded by its length.
    ///
    /// ```
    /// bytes     ---"1a1"---"b1c"---|
    /// frames    ---a-------(bc)----|
    /// ```
    ///
    /// ```swift
    /// let cancellable = Just([0, 2, 97, 98, 0, 1, 99] as Bytes).setFailureType(to: SystemError.self)
    ///     .frames(lengthBytes: 2)
    ///     .sink(receiveCompletion: { _ in }, receiveValue: { print(String($0)) })
    /// // ab
    /// // c
    /// ```
    ///
    /// - **Demand**: publishes as many frames as requested, and requests one chunk when the previous one is used up.
    /// - **Completion**: finishes after the last frame when upstream has finished. Fails if upstream does, if a length
    ///   exceeds the limit (`EMSGSIZE`), before anything of that frame is buffered, and if the stream ends inside a
    ///   frame (`EBADMSG`).
    /// - **Threads**: a frame is delivered on the thread on which upstream delivers the chunk that completes it, or on
    ///   that of the request that it has waited for. A request that is made while another thread delivers is served by
    ///   that thread.
    /// - **Complexity**: a frame is a slice of its chunk; one that spans chunks is copied once.
    ///
    /// - Parameters:
    ///   - lengthBytes: The size of the length field in bytes, 1 to 8; anything else traps.
    ///   - byteOrder: The byte order of the length.
    ///   - maximumLength: The maximum length of a frame: 1 MiB. Less than one traps.
    public func frames(
        lengthBytes: Int, byteOrder: ByteOrder = .bigEndian, maximumLength: Int = 1 << 20
    ) -> Publishers.BytePieces<Self> {
        Publishers.BytePieces(
            upstream: self,
            splitting: Splitting(lengthBytes: lengthBytes, byteOrder: byteOrder, maximumLength: maximumLength))
    }

    /// Publishes the frames of a stream of bytes, each followed by a delimiter.
    ///
    /// ```swift
    /// let cancellable = Just(Bytes("one\r\n\r\ntwo")).setFailureType(to: SystemError.self)
    ///     .frames(delimitedBy: "\r\n\r\n")
    ///     .sink(receiveCompletion: { _ in }, receiveValue: { print(String($0)) })
    /// // one
    /// // two
    /// ```
    ///
    /// A nonempty remainder at the end is a frame, too. **Demand**, **Threads** and **Complexity** are those of frames
    /// with a length. **Completion**: fails if a frame exceeds the limit (`EMSGSIZE`), with no more than the limit and
    /// one chunk in memory.
    ///
    /// - Parameters:
    ///   - delimiter: The bytes after each frame; an empty delimiter traps.
    ///   - maximumLength: The maximum length of a frame: 1 MiB. Less than one traps.
    public func frames(delimitedBy delimiter: Bytes, maximumLength: Int = 1 << 20) -> Publishers.BytePieces<Self> {
        Publishers.BytePieces(
            upstream: self, splitting: Splitting(delimiter: delimiter, maximumLength: maximumLength))
    }
}

extension Splitting {
    /// Splits into frames, each preceded by its length.
    init(lengthBytes: Int, byteOrder: ByteOrder, maximumLength: Int) {
        require(
            (1...8).contains(lengthBytes), rule: "The length of a frame takes one to eight bytes.",
            found: "\(lengthBytes)", remedy: "Pass the size of the length field.")
        checkMaximumLength(maximumLength, ofA: "frame")
        self.init(name: "Frames") {
            LengthSplitter(prefixSize: lengthBytes, byteOrder: byteOrder, maximumLength: maximumLength)
        }
    }

    /// Splits into frames, each followed by a delimiter.
    init(delimiter: Bytes, maximumLength: Int) {
        require(
            !delimiter.isEmpty, rule: "A delimiter has at least one byte.", found: "no bytes", remedy: "Pass the bytes."
        )
        checkMaximumLength(maximumLength, ofA: "frame")
        let bytes = Array(delimiter)
        self.init(name: "Frames") { DelimiterSplitter(delimiter: bytes, maximumLength: maximumLength) }
    }
}
