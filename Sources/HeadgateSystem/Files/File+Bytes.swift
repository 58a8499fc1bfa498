import HeadgateLibC

extension File {
    /// Publishes the contents of the file in chunks.
    ///
    /// ```
    /// bytes     ---c---c---c|
    /// ```
    ///
    /// ```swift
    /// let cancellable = File("/dev/null").bytes()
    ///     .map(\.count)
    ///     .reduce(0, +)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0, "bytes") })
    /// // 0 bytes
    /// // finished
    /// ```
    ///
    /// Each subscriber opens the file separately, at its first demand, and is served on a queue of its own. A pipe
    /// opened by its path waits for the first writer and ends with the last;
    /// ``follow(from:chunkSize:rotateWait:followsNewLinks:)`` continues with the next one.
    ///
    /// - **Demand**: one `read` per chunk requested; nothing is read without demand, and what is not requested stays in
    ///   the file, the pipe or the terminal. A read that reaches the end of a file is followed by one that confirms it.
    /// - **Completion**: finishes after the last chunk of a file, without further demand, and when a read of a pipe, a
    ///   device or a terminal reports the end, which takes demand. A file that shrinks while it is read ends at its new
    ///   end. Fails with a ``SystemError`` if a call fails: a missing file (`ENOENT`), a directory (`EISDIR`), no
    ///   permission (`EACCES`), no descriptor left (`EMFILE`). The file is closed at the end and at `cancel()`.
    /// - **Threads**: chunks and the completion are delivered on a queue of the subscription's own.
    /// - **Complexity**: one system call and one allocation per chunk.
    ///
    /// - Parameters:
    ///   - chunkSize: The maximum number of bytes per chunk; less than one traps.
    ///   - range: Which bytes of the file to read; those beyond its end are ignored. A standard stream is read from its
    ///     current position, for as many bytes as the range's upper bound.
    public func bytes(chunkSize: Int = 1 << 16, range: Range<Int> = 0..<Int.max) -> Publishers.FileBytes {
        checkSize(chunkSize, ofA: "chunk")
        require(
            range.lowerBound >= 0, rule: "A file has no bytes before its beginning.", found: "\(range)",
            remedy: "Pass a range that begins at zero or later.")
        return Publishers.FileBytes(file: self, chunkSize: chunkSize, range: range)
    }
}

extension Publishers {
    /// A publisher of the contents of a file.
    public struct FileBytes: Publisher, Sendable {
        /// The type of the published values.
        public typealias Output = Bytes

        /// The type of error that the stream may fail with.
        public typealias Failure = SystemError

        /// Where this is, as a path.
        public let file: File

        /// The maximum number of bytes per chunk.
        public let chunkSize: Int

        /// Which bytes of the file to read.
        public let range: Range<Int>

        package var makeQueue: @Sendable () -> DeliveryQueue = { .waiting("file") }

        /// Connects a subscriber; its first demand opens the file.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            serve(AnySubscriber(subscriber))
        }

        @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
            PollingPublisher(name: "FileBytes", on: makeQueue) { () throws(SystemError) in
                try file.open(chunkSize: chunkSize, range: range)
            }
            .serve(subscriber)
        }
    }
}

extension File {
    /// Opens the file for reading.
    func open(chunkSize: Int, range: Range<Int>) throws(SystemError) -> DescriptorSource {
        let descriptor: Descriptor
        let isOwn: Bool
        switch place {
        case .path(let path):
            // Non-blocking, so that neither opening a pipe without a writer nor reading from it blocks; no effect on
            // files.
            descriptor = try calls.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            isOwn = true
        case .standardStream(let number, let name):
            descriptor = Descriptor(borrowing: number, path: name, calls: calls)
            isOwn = false
        }
        let status = try calls.status(of: descriptor)
        let type = status.st_mode & S_IFMT
        if type == S_IFDIR { throw SystemError(call: "read", code: EISDIR, subject: descriptor.path) }
        if isOwn, range.lowerBound > 0 { try calls.seek(descriptor, to: range.lowerBound) }
        let limit = isOwn ? range.count : range.upperBound
        func source(_ descriptor: Descriptor, _ kind: DescriptorSource.Kind) -> DescriptorSource {
            DescriptorSource(descriptor, kind: kind, chunkSize: chunkSize, limit: limit, calls: calls)
        }
        switch type {
        case S_IFREG, S_IFBLK:
            let place = try isOwn ? range.lowerBound : calls.seek(descriptor, to: 0, from: SEEK_CUR)
            return source(descriptor, .file(expected: max(0, Int(status.st_size) - place)))
        case S_IFIFO where isOwn:
            return source(descriptor, .namedPipe)
        default:
            if isOwn { return source(descriptor, .nonBlocking) }
            if let own = try calls.reopen(descriptor, O_RDONLY) { return source(own, .nonBlocking) }
            return source(descriptor, .shared)
        }
    }
}
