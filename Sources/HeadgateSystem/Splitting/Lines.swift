import Headgate

extension Publisher where Output == Bytes, Failure == SystemError {
    /// Publishes the lines of a stream of bytes as texts, without their terminators.
    ///
    /// ```
    /// bytes     ---"a\nb"---"c\nd"-------|
    /// lines     ---a--------bc-----------d|
    /// ```
    ///
    /// ```swift
    /// let cancellable = Just(Bytes("one\r\ntwo\nthree")).setFailureType(to: SystemError.self)
    ///     .lines()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // one
    /// // two
    /// // three
    /// // finished
    /// ```
    ///
    /// It does not matter where the chunks end: a line, a character or a terminator may lie across two of them.
    ///
    /// - **Demand**: publishes as many lines as asked for. Upstream is asked for one chunk, when the one before is used up and
    ///   there is demand; so at most one chunk and the beginning of one line are in memory.
    /// - **Completion**: finishes when upstream has and the last line, with or without a terminator, is delivered. Fails when
    ///   upstream does, after the whole lines before that, and where `longLines` or `invalid` say so.
    /// - **Complexity**: one pass over the bytes by `memchr`, and one string a line. Where bytes do,
    ///   ``byteLines(maximumLength:terminators:longLines:)`` saves the string.
    ///
    /// - Parameters:
    ///   - maximumLength: The length in bytes, without terminator, that a line may have: 1 MiB. Less than one traps.
    ///   - terminators: What ends a line.
    ///   - longLines: What becomes of a line that is longer. One that is cut ends with a whole character.
    ///   - invalid: What becomes of a line that is not UTF-8.
    public func lines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        invalid: InvalidText = .repair
    ) -> Publishers.TextLines<Self> {
        Publishers.TextLines(
            upstream: self,
            splitting: Splitting(
                lines: terminators, maximumLength: maximumLength, longLines: longLines, keepsCharacters: true),
            invalid: invalid)
    }

    /// Publishes the lines of a stream of bytes as bytes, without their terminators and without looking into them.
    ///
    /// ```
    /// self       "a\nb"---"c\nd"-------|
    /// byteLines
    ///            a--------bc-----------d|
    /// ```
    ///
    /// A line is a slice of the chunk that it came in, not a copy, unless it lies across two.
    ///
    /// ```swift
    /// let cancellable = Just(Bytes("GET /\nPOST /\nGET /news\n")).setFailureType(to: SystemError.self)
    ///     .byteLines()
    ///     .filter { $0.starts(with: "GET ".utf8) }
    ///     .count()
    ///     .sink(receiveCompletion: { _ in }, receiveValue: { print($0) })
    /// // 2
    /// ```
    ///
    /// **Demand** and **Completion** are those of ``lines(maximumLength:terminators:longLines:invalid:)``. **Complexity**: one
    /// pass over the bytes by `memchr`; a line counts one reference and allocates nothing.
    ///
    /// - Parameters:
    ///   - maximumLength: The length in bytes, without terminator, that a line may have: 1 MiB. Less than one traps.
    ///   - terminators: What ends a line.
    ///   - longLines: What becomes of a line that is longer.
    public func byteLines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail
    ) -> Publishers.BytePieces<Self> {
        Publishers.BytePieces(
            upstream: self,
            splitting: Splitting(lines: terminators, maximumLength: maximumLength, longLines: longLines))
    }
}

extension Splitting {
    init(lines: LineTerminators, maximumLength: Int, longLines: LongLines, keepsCharacters: Bool = false) {
        if maximumLength < 1 {
            programmerError(
                rule: "A line may have one byte at least.", found: "a maximum length of \(maximumLength)",
                remedy: "Leave the default of 1 MiB.")
        }
        self.init(name: "Lines") {
            LineSplitter(
                terminators: lines, maximumLength: maximumLength, longLines: longLines, keepsCharacters: keepsCharacters
            )
        }
    }
}
