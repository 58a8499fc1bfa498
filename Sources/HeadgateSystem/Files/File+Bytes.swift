import Headgate

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension File {
    /// Publishes what is in the file, chunk by chunk.
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
    /// Every subscriber opens the file for itself, at its first demand, and is served on a queue of its own. A pipe that was
    /// opened by its path waits for the first writer and ends with the last; ``follow(from:chunkSize:)`` goes on.
    ///
    /// - **Demand**: one `read` for each chunk asked for, and nothing is read without demand; what nobody asks for stays in the
    ///   file, the pipe or the terminal. A read that comes to the end of a file is followed by one that makes sure of it.
    /// - **Completion**: finishes after the last chunk of a file, without further demand, and where a pipe, a device or a
    ///   terminal says that it has ended, which is found out by demand. A file that becomes shorter while it is read ends
    ///   where it ends then. Fails with a ``SystemError`` where a call does: a missing file (`ENOENT`), a directory
    ///   (`EISDIR`), no permission (`EACCES`), no descriptor left (`EMFILE`). The file is closed at the end and at `cancel()`.
    /// - **Complexity**: one system call and one allocation a chunk.
    ///
    /// - Parameters:
    ///   - chunkSize: How many bytes a chunk has at most; less than one traps.
    ///   - range: Which bytes of a file; those beyond its end are left out. From a standard stream, as many as the range ends
    ///     at, and what has been read before does not count.
    public func bytes(chunkSize: Int = 1 << 16, range: Range<Int> = 0..<Int.max) -> Publishers.FileBytes {
        checkChunkSize(chunkSize)
        if range.lowerBound < 0 {
            programmerError(
                rule: "A file has no bytes before its beginning.", found: "\(range)", remedy: "Begin the range at zero."
            )
        }
        return Publishers.FileBytes(file: self, chunkSize: chunkSize, range: range)
    }
}

extension Publishers {
    /// A publisher of what is in a file.
    public struct FileBytes: Publisher, Sendable {
        /// Chunks.
        public typealias Output = Bytes

        /// What goes wrong with files.
        public typealias Failure = SystemError

        /// The file.
        public let file: File

        /// How many bytes a chunk has at most.
        public let chunkSize: Int

        /// Which bytes of the file.
        public let range: Range<Int>

        package var makeQueue: @Sendable () -> DeliveryQueue = { .waiting("file") }

        init(file: File, chunkSize: Int, range: Range<Int>) {
            self.file = file
            self.chunkSize = chunkSize
            self.range = range
        }

        /// Connects a subscriber, which opens the file when it asks.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = PollingConduit<DescriptorSource>(
                name: "FileBytes", on: makeQueue(), to: AnySubscriber(subscriber)
            ) { [file, chunkSize, range] () throws(SystemError) in
                try file.open(chunkSize: chunkSize, range: range)
            }
            subscriber.receive(subscription: conduit)
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
            // Non-blocking, so that neither opening a pipe without a writer nor reading from it waits; files don't care.
            descriptor = try calls.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            isOwn = true
        case .standardStream(let number, let name):
            descriptor = Descriptor(borrowing: number, path: name, calls: calls)
            isOwn = false
        }
        let status = try calls.status(of: descriptor)
        func source(_ descriptor: Descriptor, _ kind: DescriptorSource.Kind) -> DescriptorSource {
            DescriptorSource(descriptor, kind: kind, chunkSize: chunkSize, limit: range.upperBound, calls: calls)
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            throw SystemError(call: "read", code: EISDIR, subject: descriptor.path)
        case S_IFREG, S_IFBLK:
            var place = range.lowerBound
            if isOwn {
                if place > 0 { try calls.seek(descriptor, to: place) }
            } else {
                place = try calls.seek(descriptor, to: 0, from: SEEK_CUR)
            }
            let limit = isOwn ? range.count : range.upperBound
            return DescriptorSource(
                descriptor, kind: .file(expected: max(0, Int(status.st_size) - place)), chunkSize: chunkSize,
                limit: limit,
                calls: calls)
        case S_IFIFO where isOwn:
            if range.lowerBound > 0 { try calls.seek(descriptor, to: range.lowerBound) }
            return source(descriptor, .namedPipe)
        default:
            if isOwn {
                if range.lowerBound > 0 { try calls.seek(descriptor, to: range.lowerBound) }
                return source(descriptor, .nonBlocking)
            }
            if let own = try calls.reopen(descriptor, O_RDONLY) { return source(own, .nonBlocking) }
            return source(descriptor, .shared)
        }
    }
}
