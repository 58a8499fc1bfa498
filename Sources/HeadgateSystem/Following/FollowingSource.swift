#if os(Linux)
    import HeadgateEngine
    import HeadgateLibC

    /// How a file is followed.
    struct FollowingRules: Sendable {
        let start: FollowingStart
        let chunkSize: Int
        let rotateWait: RotateWait
        let followsNewLinks: Bool
    }

    /// Reads a file to its end, then waits for more or for a replacement.
    ///
    /// Events only wake it up; it finds out what has happened by checking the file and the names that lead to it. So
    /// neither coarse events nor a queue that has overflowed make a difference.
    final class FollowingSource: Pollable {
        /// A part of a file, or its end.
        struct Piece {
            let file: TrackedFile?
            let bytes: Bytes
            /// Whether bytes before these are lost.
            let followsGap: Bool
            /// Whether nothing more of this file follows.
            let isLast: Bool
        }

        let path: String
        let rules: FollowingRules
        let calls: SystemCalls
        let watcher = FileWatcher()

        /// Whether files are read beside each other; otherwise one after the other.
        private let readsBeside: Bool
        let pipe: Descriptor?
        private let chunkSize: Int

        /// The open files, the oldest first; the last one had the path most recently.
        var files: [TrackedFile] = []

        /// The last file that is read no more, while it still exists.
        private var left: TrackedFile?
        private var trace: PathTrace?
        private var folderWatches: [FileWatch] = []
        private var mustLook = true
        /// Whether the names led to a link when the file was first opened.
        var acceptsLinks: Bool?
        var followsGap = false
        /// Files that a look has found and that may not have been opened since.
        var awaited: [stat] = []
        private var trouble: Expiry?

        init(
            _ path: String, _ rules: FollowingRules, readsBeside: Bool, calls: SystemCalls
        ) throws(SystemError) {
            self.path = path
            self.rules = rules
            chunkSize = capacity(ofChunk: rules.chunkSize)
            self.readsBeside = readsBeside
            self.calls = calls
            if let status = try calls.status(ofPath: path), status.st_mode & S_IFMT == S_IFIFO {
                // Open for writing, too, so that the pipe always has a writer and never ends.
                pipe = try calls.open(path, O_RDWR | O_NONBLOCK)
                return
            }
            pipe = nil
            try watchNames()
            if let missing = trace?.missingFolder { throw SystemError(call: "stat", code: ENOENT, subject: missing) }
            switch rules.start {
            case .beginning: _ = try openPath()
            case .end:
                if try openPath(), let file = files.last {
                    file.move(to: try calls.seek(file.descriptor, to: 0, from: SEEK_END))
                }
            case .position(let position): try goOn(from: position)
            }
        }

        func waiting(on queue: DeliveryQueue) -> PollingWait {
            guard let pipe else { return queue.calledBack(by: watcher.wait) }
            return Readiness(of: pipe, for: .reading, on: queue).wait
        }

        func poll() throws(SystemError) -> Poll<Piece> {
            if let pipe { return try poll(pipe) }
            while true {
                try checkLeftFile()
                if let piece = try readNext() { return .value(piece) }
                // From here on every change wakes us up again, so one more check now misses nothing.
                if watcher.forget() { mustLook = true }
                // Before the last read of a file, which finds what was written while there was time.
                for file in files.dropLast() where file.expiry?.isOver ?? false { file.isOverdue = true }
                if let piece = try readNext() { return .value(piece) }
                if let file = try leaveOne() {
                    return .value(Piece(file: file, bytes: Bytes(), followsGap: false, isLast: true))
                }
                if try !findMore() { return .pending }
            }
        }

        private func poll(_ pipe: Descriptor) throws(SystemError) -> Poll<Piece> {
            guard let bytes = try calls.read(pipe, upTo: chunkSize), !bytes.isEmpty else { return .pending }
            return .value(Piece(file: nil, bytes: bytes, followsGap: false, isLast: false))
        }

        /// Reads from the oldest file that has something.
        private func readNext() throws(SystemError) -> Piece? {
            var index = 0
            while index < files.count {
                let file = files[index]
                switch try file.read(chunkSize, calls: calls) {
                case .bytes(let bytes):
                    defer { followsGap = false }
                    return Piece(file: file, bytes: bytes, followsGap: followsGap, isLast: false)
                case .atEnd:
                    if !readsBeside { return nil }
                    index += 1
                case .changed: try beginAgain(at: index)
                }
            }
            return nil
        }

        /// Goes on after a file has been truncated: with the copies that were made before, or at its beginning.
        private func beginAgain(at index: Int) throws(SystemError) {
            let file = files[index]
            let copies = try copies(of: file)
            if !copies.isEmpty {
                // A line that several files have a part of is split as one.
                for copy in copies { copy.splitter = file.splitter }
                files.insert(contentsOf: copies, at: index)
            } else if !file.isAtEnd {
                followsGap = true
                _ = file.splitter?.takeRest()
            }
            let start = try calls.startOfData(in: file.descriptor)
            file.move(to: start, afterTruncation: true)
        }

        /// Stops reading the oldest file that is at its end, has been replaced, and has been waited for.
        private func leaveOne() throws(SystemError) -> TrackedFile? {
            for (index, file) in files.dropLast().enumerated() {
                if !readsBeside, index > 0 { return nil }
                guard file.isCopy || file.isOverdue else { continue }
                // A program that never opens the new file goes on with this one.
                if !file.isCopy, try !isSuperseded(index) { continue }
                files.remove(at: index)
                left = file.isCopy ? nil : file
                // Its last line may go on in the truncated file.
                if file.isCopy { file.splitter = nil }
                return file
            }
            return nil
        }

        private func isSuperseded(_ index: Int) throws(SystemError) -> Bool {
            if try calls.status(of: files[index].descriptor).st_size == 0 { return true }
            for later in files[(index + 1)...] where try calls.status(of: later.descriptor).st_size > 0 { return true }
            return false
        }

        /// Notes a gap if a file that has been left is written to nevertheless.
        private func checkLeftFile() throws(SystemError) {
            guard let left else { return }
            let status = try calls.status(of: left.descriptor)
            let hasGrown = Int(status.st_size) > left.place.offset
            if hasGrown { followsGap = true }
            if hasGrown || status.st_nlink == 0 { self.left = nil }
        }

        /// Checks whether another file has the path now.
        private func findMore() throws(SystemError) -> Bool {
            if !mustLook, trouble == nil { return false }
            mustLook = false
            try watchNames()
            if let missing = trace?.missingFolder {
                let error = SystemError(call: "stat", code: ENOENT, subject: missing)
                try wait(atMost: min(rules.rotateWait.time, .seconds(1)), because: error)
                return false
            }
            do throws(SystemError) {
                let hasMore = try openNext()
                trouble = nil
                if hasMore { mustLook = true }
                return hasMore
            } catch {
                // Rotation makes a new file first, and then gives it its owner and permissions.
                guard error.code == EACCES, !files.isEmpty else { throw error }
                try wait(atMost: rules.rotateWait.time, because: error)
                return false
            }
        }

        /// Fails if something has been wrong for longer than a time.
        private func wait(atMost time: Duration, because error: SystemError) throws(SystemError) {
            let expiry = trouble ?? Expiry(after: time, rules.rotateWait.alarm, waking: watcher)
            trouble = expiry
            if expiry.isOver { throw error }
        }
    }

    extension FollowingSource {
        /// Watches the folders through which the path leads, and looks up the path until it leads through no others.
        private func watchNames() throws(SystemError) {
            while true {
                let now = try PathTrace(path, calls: calls)
                try renewWatches(of: now)
                if now == trace { return }
                trace = now
            }
        }

        /// Watches the folders of a path; the name of one may belong to another by now.
        private func renewWatches(of trace: PathTrace) throws(SystemError) {
            let names = trace.namesByFolder
            watcher.setNames(names.values.reduce(into: []) { $0.formUnion($1) })
            let mask = [
                IN_CREATE, IN_MOVED_TO, IN_DELETE, IN_MOVED_FROM, IN_ATTRIB, IN_DELETE_SELF, IN_MOVE_SELF,
            ].reduce(0) { $0 | UInt32($1) }
            var renewed: [FileWatch] = []
            for folder in names.keys {
                do throws(SystemError) {
                    renewed.append(try FileWatches.shared.add(folder, mask, for: watcher, calls: calls))
                } catch {
                    // It is gone again, or can be passed but not watched: only that of the file must be.
                    if error.code == ENOENT || error.code == ENOTDIR { continue }
                    if error.code == EACCES, folder != trace.folder { continue }
                    throw error.naming(path)
                }
            }
            folderWatches = renewed
        }
    }
#endif
