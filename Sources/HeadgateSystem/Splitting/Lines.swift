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
    /// Chunk boundaries don't matter: a line, a character or a terminator may span two chunks. A byte order mark is part
    /// of the first line.
    ///
    /// - **Demand**: publishes as many lines as requested. Requests one chunk when the previous one is used up and
    ///   there is demand, so at most one chunk and the beginning of one line are in memory.
    /// - **Completion**: finishes after the last line, with or without a terminator, when upstream has finished. Fails
    ///   if upstream does, after the complete lines before that, and if `longLines`, `unterminated` or `invalid` say so.
    /// - **Threads**: a line is delivered on the thread on which upstream delivers the chunk that completes it, or on
    ///   that of the request that it has waited for. A request that is made while another thread delivers is served by
    ///   that thread.
    /// - **Complexity**: one pass over the bytes by `memchr`, and one string per line. If bytes suffice,
    ///   `byteLines` saves the string.
    ///
    /// - Parameters:
    ///   - maximumLength: The maximum length of a line in bytes, without terminator: 1 MiB. Less than one traps.
    ///   - terminators: The terminator of a line.
    ///   - longLines: What happens to a longer line. One that is cut ends with a complete character.
    ///   - unterminated: What happens to a last line without a terminator. In a protocol, and where the stream may be
    ///     stopped, it may be half a line.
    ///   - invalid: What happens to a line that is not UTF-8.
    public func lines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        unterminated: UnterminatedLine = .deliver, invalid: InvalidText = .repair
    ) -> Publishers.TextLines<Self> {
        Publishers.TextLines(
            upstream: self,
            splitting: Splitting(
                lines: LineRules(
                    terminators: terminators, maximumLength: maximumLength, longLines: longLines,
                    unterminated: unterminated, keepsCharacters: true)),
            invalid: invalid)
    }

    /// Publishes the lines of a stream of bytes as bytes, without their terminators and without decoding them.
    ///
    /// ```
    /// self       "a\nb"---"c\nd"-------|
    /// byteLines
    ///            a--------bc-----------d|
    /// ```
    ///
    /// A line is a slice of its chunk, not a copy, unless it spans two.
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
    /// **Demand**, **Completion** and **Threads** are those of `lines`.
    /// **Complexity**: one pass over the bytes by `memchr`; a line retains one reference and allocates nothing.
    ///
    /// - Parameters:
    ///   - maximumLength: The maximum length of a line in bytes, without terminator: 1 MiB. Less than one traps.
    ///   - terminators: The terminator of a line.
    ///   - longLines: What happens to a longer line.
    ///   - unterminated: What happens to a last line without a terminator.
    public func byteLines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        unterminated: UnterminatedLine = .deliver
    ) -> Publishers.BytePieces<Self> {
        Publishers.BytePieces(
            upstream: self,
            splitting: Splitting(
                lines: LineRules(
                    terminators: terminators, maximumLength: maximumLength, longLines: longLines,
                    unterminated: unterminated)))
    }
}

extension Splitting {
    init(lines rules: LineRules) {
        checkMaximumLength(rules.maximumLength, ofA: "line")
        self.init(name: "Lines") { LineSplitter(rules) }
    }
}
