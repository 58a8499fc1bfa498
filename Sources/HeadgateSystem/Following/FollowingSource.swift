#if os(Linux)
    import HeadgateEngine

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Reads a file to its end, then waits for more or for a replacement.
    ///
    /// Events only wake it up; it finds out what has happened by checking the file. So neither coarse events nor a
    /// queue that has overflowed make a difference.
    final class FollowingSource: PolledSource {
        /// The file that is read now.
        private struct Current {
            let descriptor: Descriptor
            let device: UInt
            let number: UInt
            let watch: Int32
            var place: Int
        }

        let descriptor: Descriptor
        private let path: String
        private let folder: String
        private let chunkSize: Int
        private let calls: SystemCalls
        private let isPipe: Bool
        private var current: Current?
        // The unread rest of a file that has been replaced.
        private var rest: Bytes?

        init(_ path: String, start: FollowingStart, chunkSize: Int, calls: SystemCalls) throws(SystemError) {
            self.path = path
            self.chunkSize = chunkSize
            self.calls = calls
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
            folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            if let status = try calls.status(ofPath: path), status.st_mode & S_IFMT == S_IFIFO {
                // Open for writing, too, so that the pipe always has a writer and never ends.
                descriptor = try calls.open(path, O_RDWR | O_NONBLOCK)
                isPipe = true
                return
            }
            isPipe = false
            descriptor = try calls.openInotify()
            // A folder reports new names in it and its own removal.
            _ = try calls.watch(
                folder, UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF),
                in: descriptor)
            if try openCurrent(), start == .end, let current {
                self.current?.place = try calls.seek(current.descriptor, to: 0, from: SEEK_END)
            }
        }

        func poll() throws(SystemError) -> Poll<Bytes> {
            while true {
                if let rest = rest.take() { return .value(rest) }
                if let bytes = try readCurrent() { return .value(bytes) }
                if isPipe { return .pending }
                // From here on every change wakes us up again, so one more check now misses nothing.
                while try !calls.events(in: descriptor).isEmpty {}
                if let bytes = try readCurrent() { return .value(bytes) }
                if try !findMore() { return .pending }
            }
        }

        private func readCurrent() throws(SystemError) -> Bytes? {
            guard let source = isPipe ? descriptor : current?.descriptor else { return nil }
            let bytes = try Bytes(capacity: chunkSize) { buffer throws(SystemError) in
                try calls.read(source, into: buffer) ?? 0
            }
            current?.place += bytes.count
            return bytes.isEmpty ? nil : bytes
        }

        /// Checks whether the file has been truncated or replaced.
        private func findMore() throws(SystemError) -> Bool {
            if let current, try calls.status(of: current.descriptor).st_size < current.place {
                try calls.seek(current.descriptor, to: 0)
                self.current?.place = 0
                return true
            }
            guard let status = try calls.status(ofPath: path) else {
                if try calls.status(ofPath: folder) == nil {
                    throw SystemError(call: "stat", code: ENOENT, subject: folder)
                }
                return false
            }
            if let current, current.device == UInt(status.st_dev), current.number == UInt(status.st_ino) {
                return false
            }
            // A writer may have appended to the old file after the last read and before it was replaced.
            rest = try readCurrent()
            if rest != nil { return true }
            return try openCurrent()
        }

        /// Opens the file at the path.
        ///
        /// - Returns: Whether there is one.
        private func openCurrent() throws(SystemError) -> Bool {
            let opened: Descriptor
            do {
                opened = try calls.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            } catch  where error.code == ENOENT {
                return false
            }
            let status = try calls.status(of: opened)
            if status.st_mode & S_IFMT == S_IFDIR { throw SystemError(call: "read", code: EISDIR, subject: path) }
            if let current { calls.unwatch(current.watch, in: descriptor) }
            // By descriptor, because the file may have been renamed since.
            let watch = try calls.watch("/proc/self/fd/\(opened.number)", UInt32(IN_MODIFY), in: descriptor)
            current = Current(
                descriptor: opened, device: UInt(status.st_dev), number: UInt(status.st_ino), watch: watch, place: 0)
            return true
        }
    }
#endif
