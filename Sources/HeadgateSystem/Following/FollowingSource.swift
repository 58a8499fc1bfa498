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
    final class FollowingSource: Pollable {
        /// The file that is read now.
        private struct Current {
            let descriptor: Descriptor
            let watch: Int32
            var place: FollowingPosition
        }

        private let pipe: Descriptor?
        private let watcher = FileWatcher()
        private var folderWatch: Int32?
        private let path: String
        private let folder: String
        private let chunkSize: Int
        private let calls: SystemCalls
        private var current: Current?
        // The unread rest of a file that has been replaced.
        private var rest: FollowedChunk?
        private var followsGap = false

        init(_ path: String, start: FollowingStart, chunkSize: Int, calls: SystemCalls) throws(SystemError) {
            self.path = path
            self.chunkSize = capacity(ofChunk: chunkSize)
            self.calls = calls
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
            folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            if let status = try calls.status(ofPath: path), status.st_mode & S_IFMT == S_IFIFO {
                // Open for writing, too, so that the pipe always has a writer and never ends.
                pipe = try calls.open(path, O_RDWR | O_NONBLOCK)
                return
            }
            pipe = nil
            // A folder reports new names in it and its own removal.
            folderWatch = try FileWatches.shared.add(
                folder, UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF),
                for: watcher, calls: calls)
            switch start {
            case .beginning: _ = try open(path)
            case .end:
                if try open(path), let current {
                    self.current?.place.offset = try calls.seek(current.descriptor, to: 0, from: SEEK_END)
                }
            case .position(let position): try goOn(from: position)
            }
        }

        /// Opens the file of a position, which may have another name by now, or the one at the path if that file is gone.
        private func goOn(from position: FollowingPosition) throws(SystemError) {
            for path in [path] + (try siblings().map(\.path)) {
                guard try open(path), let current, current.place.isInFile(of: position) else { continue }
                if try calls.status(of: current.descriptor).st_size < position.offset { break }
                self.current?.place.offset = try calls.seek(current.descriptor, to: position.offset)
                return
            }
            followsGap = true
            if try !open(path) { close() }
        }

        deinit {
            for watch in [folderWatch, current?.watch] {
                if let watch { FileWatches.shared.remove(watch, of: watcher, calls: calls) }
            }
        }

        func waiter(on queue: DeliveryQueue) -> FollowingWaiter { FollowingWaiter(watcher, pipe: pipe, on: queue) }

        func poll() throws(SystemError) -> Poll<FollowedChunk> {
            while true {
                if let rest = rest.take() { return .value(rest) }
                if let chunk = try readCurrent() { return .value(chunk) }
                if pipe != nil { return .pending }
                // From here on every change wakes us up again, so one more check now misses nothing.
                watcher.forget()
                if let chunk = try readCurrent() { return .value(chunk) }
                if try !findMore() { return .pending }
            }
        }

        private func readCurrent() throws(SystemError) -> FollowedChunk? {
            guard let source = pipe ?? current?.descriptor else { return nil }
            let bytes = try Bytes(capacity: chunkSize) { buffer throws(SystemError) in
                try calls.read(source, into: buffer) ?? 0
            }
            if bytes.isEmpty { return nil }
            current?.place.offset += bytes.count
            defer { followsGap = false }
            let nowhere = FollowingPosition(device: 0, inode: 0, created: 0, offset: 0)
            return FollowedChunk(bytes: bytes, end: current?.place ?? nowhere, followsGap: followsGap)
        }

        /// Checks whether the file has been truncated or replaced.
        private func findMore() throws(SystemError) -> Bool {
            if let current, try calls.status(of: current.descriptor).st_size < current.place.offset {
                try calls.seek(current.descriptor, to: 0)
                self.current?.place.offset = 0
                return true
            }
            guard let status = try calls.status(ofPath: path) else {
                if try calls.status(ofPath: folder) == nil {
                    throw SystemError(call: "stat", code: ENOENT, subject: folder)
                }
                return false
            }
            if let current, current.place.device == UInt64(status.st_dev), current.place.inode == UInt64(status.st_ino)
            {
                return false
            }
            // A writer may have appended to the old file after the last read and before it was replaced.
            rest = try readCurrent()
            if rest != nil { return true }
            return try open(try successor() ?? path)
        }

        /// Opens a file, and begins to read it.
        ///
        /// - Returns: Whether there is one.
        private func open(_ path: String) throws(SystemError) -> Bool {
            let opened: Descriptor
            do {
                opened = try calls.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            } catch  where error.code == ENOENT {
                return false
            }
            let status = try calls.status(of: opened)
            if status.st_mode & S_IFMT == S_IFDIR { throw SystemError(call: "read", code: EISDIR, subject: path) }
            // By descriptor, because the file may have been renamed since.
            let watch = try FileWatches.shared.add(
                "/proc/self/fd/\(opened.number)", UInt32(IN_MODIFY), for: watcher, calls: calls)
            if watch != current?.watch { close() }
            current = Current(
                descriptor: opened, watch: watch,
                place: FollowingPosition(
                    device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
                    created: calls.birthTime(of: opened), offset: 0))
            return true
        }

        private func close() {
            if let old = current.take() { FileWatches.shared.remove(old.watch, of: watcher, calls: calls) }
        }
    }

    /// The files that had the path before.
    extension FollowingSource {
        private struct Sibling {
            let path: String
            let status: stat
            /// The number at the end of its name, which rotation counts up.
            let number: Int?
        }

        /// The file that had the path after the current one and before the one that has it now, if there is one.
        private func successor() throws(SystemError) -> String? {
            guard let current else { return nil }
            let all = try siblings()
            let own = all.first {
                UInt64($0.status.st_dev) == current.place.device && UInt64($0.status.st_ino) == current.place.inode
            }
            // Without a name the file has been deleted, and not rotated.
            guard let own else { return nil }
            let later = all.filter { other in
                if let number = own.number, let other = other.number { return other < number }
                return isEarlier(own.status.st_mtim, other.status.st_mtim)
            }
            return later.min { first, second in
                if let first = first.number, let second = second.number { return first > second }
                return isEarlier(first.status.st_mtim, second.status.st_mtim)
            }?.path
        }

        /// The files that rotation has renamed and not compressed.
        private func siblings() throws(SystemError) -> [Sibling] {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            var siblings: [Sibling] = []
            for entry in try calls.entries(of: folder)
            where entry.name.hasPrefix(name + ".") || entry.name.hasPrefix(name + "-") {
                if [".gz", ".xz", ".bz2", ".zst"].contains(where: entry.name.hasSuffix) { continue }
                let path = "\(folder)/\(entry.name)"
                guard let status = try calls.status(ofPath: path), status.st_mode & S_IFMT == S_IFREG else { continue }
                siblings.append(Sibling(path: path, status: status, number: Int(entry.name.dropFirst(name.count + 1))))
            }
            return siblings
        }

        private func isEarlier(_ first: timespec, _ second: timespec) -> Bool {
            (first.tv_sec, first.tv_nsec) < (second.tv_sec, second.tv_nsec)
        }
    }
#endif
