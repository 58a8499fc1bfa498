#if os(Linux)
    import HeadgateEngine
    import HeadgateLibC

    /// Translates the kernel's events about a directory or a tree of directories.
    final class DirectorySource: Pollable {
        // As many as the kernel keeps for a process, unless its administrator decides otherwise.
        private let watcher = FileWatcher(keeping: 1 << 14)
        private let calls: SystemCalls
        private let isRecursive: Bool
        private let root: String
        private var rootWatch: Int32 = -1
        // The watched directories by their watches: paths relative to the root, with a trailing slash.
        private var folders: [Int32: (path: String, watch: FileWatch)] = [:]
        private var waiting = Queue<DirectoryChange>()
        // Entries found by listing a new directory, which the kernel may report again.
        private var found: Set<String> = []
        private var departure: (cookie: UInt32, path: String, isFolder: Bool)?
        private var isOver = false

        init(
            _ path: String, isRecursive: Bool, reportsEntries: Bool, calls: SystemCalls
        ) throws(SystemError) {
            self.calls = calls
            self.isRecursive = isRecursive
            root = path
            rootWatch = try watch("")
            if isRecursive || reportsEntries {
                try list("") { reportsEntries ? .found($0) : nil }
            }
        }

        func waiting(on queue: DeliveryQueue) -> PollingWait { queue.calledBack(by: watcher.wait) }

        func poll() throws(SystemError) -> Poll<DirectoryChange> {
            while true {
                if let change = waiting.popFirst() { return .value(change) }
                if isOver { return .finished }
                var events = watcher.takeEvents(atMost: 128)
                if events.isEmpty {
                    FileWatches.shared.drain()
                    events = watcher.takeEvents(atMost: 128)
                }
                // The two halves of a move arrive together: if nothing follows the first half, the target is elsewhere.
                if events.isEmpty {
                    found.removeAll()
                    if departure == nil { return .pending }
                    finishDeparture()
                }
                for event in events { try take(event) }
            }
        }

        private func take(_ event: InotifyEvent) throws(SystemError) {
            func has(_ bit: Int32) -> Bool { event.mask & UInt32(bitPattern: bit) != 0 }
            if has(IN_Q_OVERFLOW) {
                finishDeparture()
                return waiting.append(.overflow)
            }
            if has(IN_IGNORED) {
                folders[event.watch] = nil
                if event.watch == rootWatch { isOver = true }
                return
            }
            guard let folder = folders[event.watch]?.path, !event.name.isEmpty else { return }
            let path = folder + event.name
            let isFolder = has(IN_ISDIR)
            if let departure, !has(IN_MOVED_TO) || departure.cookie != event.cookie { finishDeparture() }
            if has(IN_MOVED_TO), let departure = departure.take() {
                waiting.append(.moved(from: departure.path, to: path))
                if isFolder { rename(departure.path, to: path) }
            } else if has(IN_CREATE) || has(IN_MOVED_TO) {
                if found.remove(path) == nil { waiting.append(.created(path)) }
                if isFolder, isRecursive { try enter(path + "/") { .created($0) } }
            } else if has(IN_MOVED_FROM) {
                departure = (event.cookie, path, isFolder)
            } else if has(IN_DELETE) {
                waiting.append(.deleted(path))
            } else if has(IN_MODIFY) {
                waiting.append(.modified(path))
            }
        }

        private func finishDeparture() {
            guard let departure = departure.take() else { return }
            waiting.append(.deleted(departure.path))
            if departure.isFolder { folders = folders.filter { !isInside($0.value.path, departure.path) } }
        }

        /// By bytes: a name may begin with a mark that makes one character with the slash before it.
        private func isInside(_ path: String, _ folder: String) -> Bool { path.utf8.starts(with: "\(folder)/".utf8) }

        private func rename(_ path: String, to newPath: String) {
            for (watch, folder) in folders where isInside(folder.path, path) {
                folders[watch]?.path = newPath + String(Substring(folder.path.utf8.dropFirst(path.utf8.count)))
            }
        }

        @discardableResult private func watch(_ folder: String) throws(SystemError) -> Int32 {
            let mask = [IN_CREATE, IN_MODIFY, IN_MOVED_FROM, IN_MOVED_TO, IN_DELETE, IN_DELETE_SELF].reduce(0) {
                $0 | UInt32($1)
            }
            let path = folder.isEmpty ? root : "\(root)/\(folder.folderOfPath)"
            let only = UInt32(IN_ONLYDIR) | (folder.isEmpty ? 0 : UInt32(IN_DONT_FOLLOW))
            let watch = try FileWatches.shared.add(path, mask | only, for: watcher, calls: calls)
            // A new directory may be found in a list and be reported, too: it is watched once.
            folders[watch.number] = (folder, watch)
            return watch.number
        }

        /// Watches a directory and those in it, if they can be read.
        private func enter(_ folder: String, reporting change: (String) -> DirectoryChange?) throws(SystemError) {
            do throws(SystemError) {
                try watch(folder)
                try list(folder, reporting: change)
            } catch {
                switch error.code {
                // It is gone again; the kernel reports that.
                case ENOENT, ENOTDIR: return
                case EACCES: waiting.append(.unreadable(folder.folderOfPath))
                default: throw error
                }
            }
        }

        /// Reports what is in a directory, and enters the directories in it.
        private func list(_ folder: String, reporting change: (String) -> DirectoryChange?) throws(SystemError) {
            for (name, _) in try calls.entries(of: "\(root)/\(folder)") {
                let path = folder + name
                if let change = change(path), found.insert(path).inserted { waiting.append(change) }
                if !isRecursive { continue }
                let status = try calls.linkStatus(ofPath: "\(root)/\(path)")
                if status.map({ $0.st_mode & S_IFMT == S_IFDIR }) ?? false { try enter(path + "/", reporting: change) }
            }
        }
    }
#endif
