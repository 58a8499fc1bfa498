#if os(Linux)
    import Headgate

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Where following a file begins.
    public enum FollowingStart: Hashable, Sendable {
        /// With the first byte of the file.
        case beginning
        /// With what is added after the first demand.
        case end
    }

    extension File {
        /// Publishes what is in a file and what is added to it, also after it has been replaced: what `tail -F` does.
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
        /// The path is what is followed. Where another file takes its place, the rest of the old one is published and then the
        /// new one from its beginning; where the file is cut to a shorter length, it goes on from the beginning; where it is
        /// deleted or does not exist yet, the stream waits for it. A named pipe is read across the coming and going of its
        /// writers. Where one file ends in the middle of a line, the next one goes on with that line.
        ///
        /// On Linux, by inotify; not available elsewhere. What another machine writes to a network file system is not told, nor is
        /// it noticed at once where the path is a symbolic link and the file that it leads to is replaced in another folder.
        ///
        /// - **Demand**: one `read` for each chunk asked for. What nobody asks for stays in the file; what is in a file that is
        ///   replaced twice without demand in between is lost, for its name is.
        /// - **Completion**: never finishes. Fails where the folder does not exist or is removed (`ENOENT`), for a directory
        ///   (`EISDIR`), for a standard stream (`EINVAL`), which ``bytes(chunkSize:range:)`` reads, and where a call does. Everything
        ///   is closed at `cancel()`.
        /// - **Complexity**: a chunk is one system call where there is more to read, and five when the end has been reached.
        ///
        /// - Parameters:
        ///   - start: Where to begin in a file that is there at the first demand.
        ///   - chunkSize: How many bytes a chunk has at most; less than one traps.
        public func follow(from start: FollowingStart, chunkSize: Int = 1 << 16) -> Publishers.FollowedFile {
            checkChunkSize(chunkSize)
            return Publishers.FollowedFile(file: self, start: start, chunkSize: chunkSize)
        }
    }

    extension Publishers {
        /// A publisher of what is in a file and what is added to it.
        public struct FollowedFile: Publisher, Sendable {
        /// Chunks.
            public typealias Output = Bytes

        /// What goes wrong with files.
            public typealias Failure = SystemError

        /// The file.
            public let file: File

        /// Where following begins.
            public let start: FollowingStart

        /// How many bytes a chunk has at most.
            public let chunkSize: Int

            package var makeQueue: @Sendable () -> DeliveryQueue = { .waiting("following") }

            init(file: File, start: FollowingStart, chunkSize: Int) {
                self.file = file
                self.start = start
                self.chunkSize = chunkSize
            }

        /// Connects a subscriber, which opens the file when it asks.
            public func receive(subscriber: some Subscriber<Output, Failure>) {
                let conduit = PollingConduit<FollowingSource>(
                    name: "FollowedFile", on: makeQueue(), to: AnySubscriber(subscriber)
                ) { [file, start, chunkSize] () throws(SystemError) in
                    guard case .path(let path) = file.place else {
                        throw SystemError(call: "follow", code: EINVAL, subject: file.description)
                    }
                    return try FollowingSource(path, start: start, chunkSize: chunkSize, calls: file.calls)
                }
                subscriber.receive(subscription: conduit)
            }
        }
    }
#endif
