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

    extension Publishers {
        /// A publisher of the contents of a file and everything appended to it.
        public struct FollowedFile: Publisher, Sendable {
            public typealias Output = Bytes

            public typealias Failure = SystemError

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
            public func receive(subscriber: some Subscriber<Output, Failure>) {
                let conduit = PollingConduit<FollowingSource>(
                    name: "FollowedFile", on: makeQueue(), to: AnySubscriber(subscriber)
                ) { [file, start, chunkSize] () throws(SystemError) in
                    guard case .path(let path) = file.place else {
                        throw SystemError(call: "follow", code: EINVAL, subject: file.description)
                    }
                    return try FollowingSource(path, start: start, chunkSize: chunkSize, calls: file.calls)
                }
                conduit.send(to: subscriber)
            }
        }
    }
#endif
