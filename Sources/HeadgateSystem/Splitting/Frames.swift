import Headgate

/// Which byte of a number comes first.
public enum ByteOrder: Hashable, Sendable {
    /// The greatest, as in most protocols.
    case bigEndian
    /// The least.
    case littleEndian
}

extension Publisher where Output == Bytes, Failure == SystemError {
    /// Publishes the frames of a stream of bytes in which the length of each stands before it.
    ///
    /// ```
    /// bytes     ---[2 a]--[b 1 c]---|
    /// frames    ----------ab,c------|
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
    /// - **Demand**: publishes as many frames as asked for, and asks upstream for one chunk when the one before is used up.
    /// - **Completion**: finishes when upstream has and the last frame is delivered. Fails when upstream does, where a length is
    ///   greater than the limit (`EMSGSIZE`), before anything of that frame is kept, and where the stream ends inside a frame
    ///   (`EBADMSG`).
    /// - **Complexity**: a frame is a slice of the chunk that it came in; one that lies across chunks is copied once.
    ///
    /// - Parameters:
    ///   - lengthBytes: How many bytes the length has, 1 to 8; anything else traps.
    ///   - byteOrder: Which of them comes first.
    ///   - maximumLength: The length that a frame may have: 1 MiB. Less than one traps.
    public func frames(
        lengthBytes: Int, byteOrder: ByteOrder = .bigEndian, maximumLength: Int = 1 << 20
    ) -> Publishers.BytePieces<Self> {
        if !(1...8).contains(lengthBytes) {
            programmerError(
                rule: "The length of a frame has one to eight bytes.", found: "\(lengthBytes)",
                remedy: "Say how many bytes there are before each frame.")
        }
        checkFrameLength(maximumLength)
        return Publishers.BytePieces(
            upstream: self,
            splitting: Splitting(name: "Frames") {
                LengthSplitter(prefixSize: lengthBytes, byteOrder: byteOrder, maximumLength: maximumLength)
            })
    }

    /// Publishes the frames of a stream of bytes in which a sequence of bytes stands after each.
    ///
    /// ```swift
    /// let cancellable = Just(Bytes("one\r\n\r\ntwo")).setFailureType(to: SystemError.self)
    ///     .frames(delimitedBy: "\r\n\r\n")
    ///     .sink(receiveCompletion: { _ in }, receiveValue: { print(String($0)) })
    /// // one
    /// // two
    /// ```
    ///
    /// What is left at the end is a frame, too, if it is not empty. **Demand** and **Complexity** are those of frames with a length.
    /// **Completion**: fails where a frame is longer than the limit (`EMSGSIZE`), with no more than the limit and a chunk in memory.
    ///
    /// - Parameters:
    ///   - delimiter: What stands after each frame; an empty one traps.
    ///   - maximumLength: The length that a frame may have: 1 MiB. Less than one traps.
    public func frames(delimitedBy delimiter: Bytes, maximumLength: Int = 1 << 20) -> Publishers.BytePieces<Self> {
        if delimiter.isEmpty {
            programmerError(
                rule: "What stands between frames has one byte at least.", found: "no bytes", remedy: "Name the bytes.")
        }
        checkFrameLength(maximumLength)
        let bytes = Array(delimiter)
        return Publishers.BytePieces(
            upstream: self,
            splitting: Splitting(name: "Frames") { DelimiterSplitter(delimiter: bytes, maximumLength: maximumLength) })
    }
}

private func checkFrameLength(_ maximumLength: Int) {
    if maximumLength < 1 {
        programmerError(
            rule: "A frame may have one byte at least.", found: "a maximum length of \(maximumLength)",
            remedy: "Leave the default of 1 MiB.")
    }
}
