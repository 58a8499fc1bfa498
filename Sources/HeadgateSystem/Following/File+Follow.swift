#if os(Linux)
    import Headgate
    import HeadgateEngine

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Where following a file begins.
    public enum FollowingStart: Hashable, Sendable {
        /// With the first byte.
        case beginning
        /// With the first byte appended after the first demand.
        case end
        /// At a place where following ended before. If the file has been rotated since, its rest is published first, then
        /// the files in between, then the one at the path.
        case position(FollowingPosition)
    }

    extension File {
        /// Publishes the contents of a file and everything appended to it, even after it has been replaced, like `tail
        /// -F`.
        ///
        /// ```
        /// bytes     ---c--------c---c---
        /// ```
        ///
        /// ```swift no-run
        /// let following = File("/var/log/syslog").follow(from: .end).lines()
        ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
        /// ```
        ///
        /// The path is followed. If another file takes its place, the rest of the old one is published and then the new
        /// one from its beginning; if the file is truncated, reading continues from the beginning; if it is deleted or
        /// does not exist yet, the stream waits for it. A named pipe is read across successive writers. If one file
        /// ends in the middle of a line, the next one continues that line.
        ///
        /// Linux only, with inotify. It does not report writes by other machines to a network file system, nor,
        /// immediately, that the target of a symbolic link at the path is replaced in another folder.
        ///
        /// - **Demand**: one `read` per chunk requested. What is not requested stays in the file; the contents of a
        ///   file that is replaced twice without demand in between are lost, because its name is.
        /// - **Completion**: never finishes. Fails if the folder does not exist or is removed (`ENOENT`), for a
        ///   directory (`EISDIR`), for a standard stream (`EINVAL`), which ``bytes(chunkSize:range:)`` reads, and if a
        ///   call fails. Everything is closed at `cancel()`.
        /// - **Threads**: chunks and a failure are delivered on a queue of the subscription's own.
        /// - **Complexity**: a chunk takes one system call if there is more to read, and five when the end has been
        ///   reached.
        ///
        /// - Parameters:
        ///   - start: Where to begin in a file that exists at the first demand.
        ///   - chunkSize: The maximum number of bytes per chunk; less than one traps.
        public func follow(from start: FollowingStart, chunkSize: Int = 1 << 16) -> Publishers.FollowedFile {
            checkChunkSize(chunkSize)
            return Publishers.FollowedFile(file: self, start: start, chunkSize: chunkSize)
        }
    }

    extension File {
        /// Publishes what ``follow(from:chunkSize:)`` does, each chunk with the place where it ends.
        ///
        /// **Demand**, **Completion**, **Threads** and **Complexity** are those of ``follow(from:chunkSize:)``.
        public func followChunks(from start: FollowingStart, chunkSize: Int = 1 << 16) -> Publishers.FollowedChunks {
            checkChunkSize(chunkSize)
            return Publishers.FollowedChunks(file: self, start: start, chunkSize: chunkSize)
        }

        /// Publishes the lines of a file and everything appended to it, each with the place where it ends, so that a
        /// program that stores the place of the last line that it has handled goes on after a restart.
        ///
        /// ```
        /// lines     ---l--(ll)---l---
        /// ```
        ///
        /// ```swift no-run
        /// let stored = FollowingPosition("64768:131:0:4096")
        /// let following = File("/var/log/syslog").followLines(from: stored.map { .position($0) } ?? .beginning)
        ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.text, $0.end) })
        /// ```
        ///
        /// A file that rotation has renamed is found as long as it stays in its folder, its name begins with the old one
        /// and a dot or a hyphen, and it is not compressed. If it is gone, or shorter than the place, the first line
        /// ``FollowedLine/followsGap``, and following begins at the beginning of the file at the path.
        ///
        /// - **Demand**: a chunk is read when the previous one is used up and a line is requested.
        /// - **Completion**: as for ``follow(from:chunkSize:)``; also fails if a line exceeds the limit (`EMSGSIZE`).
        /// - **Threads**: lines and a failure are delivered on a queue of the subscription's own.
        /// - **Complexity**: one pass over the bytes by `memchr`; a line within a chunk is a slice of it.
        ///
        /// - Parameters:
        ///   - start: Where to begin.
        ///   - maximumLength: The maximum length of a line in bytes: 1 MiB. Less than one traps.
        ///   - terminators: The terminator of a line.
        public func followLines(
            from start: FollowingStart, maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed
        ) -> Publishers.FollowedLines {
            // Checks the limit here, and not at the first demand.
            _ = Splitting(lines: terminators, maximumLength: maximumLength, longLines: .fail)
            return Publishers.FollowedLines(
                file: self, start: start, maximumLength: maximumLength, terminators: terminators)
        }

        /// Opens the file for following.
        fileprivate func follow(
            from start: FollowingStart, _ chunkSize: Int
        ) throws(SystemError) -> FollowingSource {
            guard case .path(let path) = place else {
                throw SystemError(call: "follow", code: EINVAL, subject: description)
            }
            return try FollowingSource(path, start: start, chunkSize: chunkSize, calls: calls)
        }
    }

    extension Publishers {
        /// A publisher of the chunks of a followed file, with their places.
        public struct FollowedChunks: Publisher, Sendable {
            /// What this publisher publishes.
            public typealias Output = FollowedChunk

            /// How this publisher may fail.
            public typealias Failure = SystemError

            /// Where this is, as a path.
            public let file: File

            /// Where following begins.
            public let start: FollowingStart

            /// The maximum number of bytes per chunk.
            public let chunkSize: Int

            package var makeQueue: @Sendable () -> DeliveryQueue = { .waiting("following") }

            /// Connects a subscriber; its first demand opens the file.
            @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
                serve(AnySubscriber(subscriber))
            }

            @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
                PollingPublisher(name: "FollowedChunks", on: makeQueue) { () throws(SystemError) in
                    try file.follow(from: start, chunkSize)
                }
                .serve(subscriber)
            }
        }

        /// A publisher of the lines of a followed file, with their places.
        public struct FollowedLines: Publisher, Sendable {
            /// What this publisher publishes.
            public typealias Output = FollowedLine

            /// How this publisher may fail.
            public typealias Failure = SystemError

            /// Where this is, as a path.
            public let file: File

            /// Where following begins.
            public let start: FollowingStart

            /// The maximum length of a line in bytes.
            public let maximumLength: Int

            /// The terminator of a line.
            public let terminators: LineTerminators

            package var makeQueue: @Sendable () -> DeliveryQueue = { .waiting("following") }

            /// Connects a subscriber; its first demand opens the file.
            @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
                serve(AnySubscriber(subscriber))
            }

            @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
                PollingPublisher(name: "FollowedLines", on: makeQueue) { () throws(SystemError) in
                    let splitter = LineSplitter(
                        terminators: terminators, maximumLength: maximumLength, longLines: .fail, keepsCharacters: false
                    )
                    return FollowedLineSource(try file.follow(from: start, 1 << 16), splitter)
                }
                .serve(subscriber)
            }
        }

        /// A publisher of the contents of a file and everything appended to it.
        public struct FollowedFile: Publisher, Sendable {
            /// What this publisher publishes.
            public typealias Output = Bytes

            /// How this publisher may fail.
            public typealias Failure = SystemError

            /// Where this is, as a path.
            public let file: File

            /// Where following begins.
            public let start: FollowingStart

            /// The maximum number of bytes per chunk.
            public let chunkSize: Int

            package var makeQueue: @Sendable () -> DeliveryQueue = { .waiting("following") }

            init(file: File, start: FollowingStart, chunkSize: Int) {
                self.file = file
                self.start = start
                self.chunkSize = chunkSize
            }

            /// Connects a subscriber; its first demand opens the file.
            @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
                serve(AnySubscriber(subscriber))
            }

            @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
                PollingPublisher(name: "FollowedFile", on: makeQueue) { () throws(SystemError) in
                    FollowedByteSource(try file.follow(from: start, chunkSize))
                }
                .serve(subscriber)
            }
        }
    }
#endif
