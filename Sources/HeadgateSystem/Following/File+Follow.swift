#if os(Linux)
    import HeadgateEngine
    import HeadgateLibC

    /// Where following a file begins.
    public enum FollowingStart: Hashable, Sendable {
        /// With the first byte.
        case beginning
        /// With the first byte appended after the first demand.
        case end
        /// At a position where following ended before. If the file has been rotated since, its rest is published
        /// first, then the files in between, then the one at the path.
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
        /// The path is followed. If another file takes its place, the old one is read until nothing more is to be
        /// expected of it, which takes `rotateWait`; then the files that had the path in between, and then the one
        /// that has it now. If the file is truncated, reading continues in the copies that were made of it before, if
        /// there are any, and then from the beginning; if it is deleted or does not exist yet, the stream waits for it.
        /// The stream also waits for a folder or a link of the path that is replaced, and, for `rotateWait`, for
        /// permission to open a new file. A named pipe is read across successive writers. If one file ends in the
        /// middle of a line, the next one continues that line.
        ///
        /// Linux only, with inotify, which does not report writes by other machines to a network file system.
        ///
        /// - **Demand**: one `pread` per chunk requested. What is not requested stays in the file; what rotation deletes
        ///   or compresses before it is requested is lost.
        /// - **Completion**: never finishes. Fails if a folder of the path does not exist, or is removed and not there
        ///   again within a second (`ENOENT`), for a directory (`EISDIR`), if the file can't be opened (`EACCES`), if a
        ///   link has replaced it (`ELOOP`), for a standard stream (`EINVAL`), which ``bytes(chunkSize:range:)`` reads,
        ///   and if the system allows no more watches (`ENOSPC`) or descriptors (`EMFILE`). Everything is closed at
        ///   `cancel()`.
        /// - **Threads**: chunks and a failure are delivered on a queue of the subscription's own.
        /// - **Complexity**: a chunk takes one system call if there is more to read, and three when the end has been
        ///   reached. One descriptor, and one more for each file that is still read after a rotation.
        ///
        /// - Parameters:
        ///   - start: Where to begin in a file that exists at the first demand.
        ///   - chunkSize: The maximum number of bytes per chunk; less than one traps.
        ///   - rotateWait: How long a replaced file is still read: 5 s. A program that never opens the new file is
        ///     read for as long as it writes to the old one.
        ///   - followsNewLinks: Whether a symbolic link that replaces the file is followed. A link that is there when
        ///     the file is opened first always is.
        public func follow(
            from start: FollowingStart, chunkSize: Int = 1 << 16, rotateWait: RotateWait = .seconds(5),
            followsNewLinks: Bool = false
        ) -> Publishers.FollowedFile {
            checkSize(chunkSize, ofA: "chunk")
            return Publishers.FollowedFile(
                file: self,
                rules: FollowingRules(
                    start: start, chunkSize: chunkSize, rotateWait: rotateWait, followsNewLinks: followsNewLinks))
        }
    }

    extension File {
        /// Publishes what ``follow(from:chunkSize:rotateWait:followsNewLinks:)`` does, each chunk with the position
        /// where it ends.
        ///
        /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
        /// ``follow(from:chunkSize:rotateWait:followsNewLinks:)``.
        public func followChunks(
            from start: FollowingStart, chunkSize: Int = 1 << 16, rotateWait: RotateWait = .seconds(5),
            followsNewLinks: Bool = false
        ) -> Publishers.FollowedChunks {
            checkSize(chunkSize, ofA: "chunk")
            return Publishers.FollowedChunks(
                file: self,
                rules: FollowingRules(
                    start: start, chunkSize: chunkSize, rotateWait: rotateWait, followsNewLinks: followsNewLinks))
        }

        /// Publishes the lines of a file and everything appended to it, each with the position where it ends, so that
        /// a program that stores the position of the last line that it has handled can continue after a restart.
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
        /// A replaced file is read for another `rotateWait`, together with the one that has its path now: the lines of
        /// each file come in order, and those of the new file don't wait for the old one. The position then names both
        /// files.
        ///
        /// A file that rotation has renamed is recognised under any name in its folder. Those between it and the one
        /// at the path are found by names that differ from its own in their digits only, such as `app.log.1` or
        /// `app.log-20261123`, and by when they were created. Losses are marked: ``FollowedLine/followsGap`` of the
        /// next line is true if the file of the position is gone or shorter than that, if files in between are
        /// compressed or gone, if the file has been truncated with unread lines, and if a file is written to after it
        /// has been left.
        ///
        /// - **Demand**: a chunk is read when the previous one is used up and a line is requested.
        /// - **Completion**: as for ``follow(from:chunkSize:rotateWait:followsNewLinks:)``; also fails if a line exceeds
        ///   the limit (`EMSGSIZE`), if `longLines` says so.
        /// - **Threads**: lines and a failure are delivered on a queue of the subscription's own.
        /// - **Complexity**: one pass over the bytes by `memchr`; a line within a chunk is a slice of it.
        ///
        /// - Parameters:
        ///   - start: Where to begin.
        ///   - maximumLength: The maximum length of a line in bytes: 1 MiB. Less than one traps.
        ///   - terminators: The terminator of a line.
        ///   - longLines: What happens to a longer line. One that is cut is published when its terminator is found.
        ///   - rotateWait: How long a replaced file is still read: 5 s. A program that never opens the new file is
        ///     read for as long as it writes to the old one.
        ///   - followsNewLinks: Whether a symbolic link that replaces the file is followed. A link that is there when
        ///     the file is opened first always is.
        public func followLines(
            from start: FollowingStart, maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed,
            longLines: LongLines = .fail, rotateWait: RotateWait = .seconds(5), followsNewLinks: Bool = false
        ) -> Publishers.FollowedLines {
            let lines = LineRules(
                terminators: terminators, maximumLength: maximumLength, longLines: longLines, cutsAtTerminator: true)
            // Checks the limit here, and not at the first demand.
            _ = Splitting(lines: lines)
            return Publishers.FollowedLines(
                file: self, lines: lines,
                rules: FollowingRules(
                    start: start, chunkSize: 1 << 16, rotateWait: rotateWait, followsNewLinks: followsNewLinks))
        }

        /// Opens the file for following.
        func follow(_ rules: FollowingRules, readsBeside: Bool) throws(SystemError) -> FollowingSource {
            guard case .path(let path) = place else {
                throw SystemError(call: "follow", code: EINVAL, subject: description)
            }
            return try FollowingSource(path, rules, readsBeside: readsBeside, calls: calls)
        }
    }
#endif
