#if os(Linux)
    /// A change in a directory; paths are relative to it.
    public enum DirectoryChange: Hashable, Sendable {
        /// A file or directory was there when watching began.
        case found(String)
        /// A file or directory was created, or moved here from elsewhere.
        case created(String)
        /// A file was written to.
        case modified(String)
        /// A file or directory was renamed.
        case moved(from: String, to: String)
        /// A file or directory was deleted, or moved elsewhere.
        case deleted(String)
        /// A directory in the tree can't be read (`EACCES`), so changes in it are not reported.
        case unreadable(String)
        /// The kernel's queue overflowed and changes were lost. List the directory again.
        case overflow
    }

    /// A directory by its path.
    public struct Directory: Sendable {
        /// Where this is, as a path.
        public let path: String

        private let calls: SystemCalls

        /// Names a directory by its path.
        public init(_ path: String) { self.init(path, calls: .live) }

        package init(_ path: String, calls: SystemCalls) {
            self.path = path
            self.calls = calls
        }

        /// Publishes the changes in the directory.
        ///
        /// ```
        /// changes   ---created(a)---modified(a)---moved(a, b)---deleted(b)---
        /// ```
        ///
        /// ```swift no-run
        /// let watching = Directory("inbox").changes(recursive: false).sink { completion in
        ///     print(completion)
        /// } receiveValue: { change in
        ///     print(change)     // created("letter.txt")
        /// }
        /// ```
        ///
        /// Watching begins with the first demand. A directory that is created in a watched tree is watched, too, and
        /// its contents at that time are published as created. Links are not followed. Linux only, with inotify.
        ///
        /// With `startingWithEntries`, what is there already is published first, as found, and no change is missed in
        /// between. A file that is created meanwhile is published once, as one or the other.
        ///
        /// - **Demand**: one change per value requested. Without demand, up to 16,384 changes wait: later ones are
        ///   lost, and a ``DirectoryChange/overflow`` is published in their place, also if the kernel has lost some.
        ///   Consecutive writes to one file are merged.
        /// - **Completion**: finishes when the directory is deleted. Fails if it is missing (`ENOENT`) or not a
        ///   directory (`ENOTDIR`), if it can't be read (`EACCES`), and if the system allows no more
        ///   watches (`ENOSPC`) or descriptors (`EMFILE`). Everything is closed at `cancel()`.
        /// - **Threads**: changes and a failure are delivered on a queue of the subscription's own.
        /// - **Complexity**: one system call for all pending changes; one watch per directory, and one
        ///   inotify instance for all streams of the process, which stays open.
        ///
        /// - Parameters:
        ///   - recursive: Whether to watch the directories in it, too, at any depth.
        ///   - startingWithEntries: Whether to begin with what is there; the names are in memory until they are requested.
        public func changes(
            recursive: Bool, startingWithEntries: Bool = false
        ) -> some Publisher<DirectoryChange, SystemError> {
            PollingPublisher<DirectorySource>(name: "DirectoryChanges", on: { .waiting("directory") }) {
                [path, calls] () throws(SystemError) in
                try DirectorySource(
                    path, isRecursive: recursive, reportsEntries: startingWithEntries, calls: calls)
            }
        }

        /// Publishes the entries of the directory, without those of the directories in it.
        ///
        /// ```
        /// entries   -a-b-c|
        /// ```
        ///
        /// ```swift no-run
        /// let names = Directory("inbox").entries().filter { $0.kind == .file }.map(\.name).collect()
        ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.sorted()) })
        /// ```
        ///
        /// The order is that of the file system. An entry that is created or removed meanwhile may be published or
        /// not; to continue with the changes, see ``changes(recursive:startingWithEntries:)``.
        ///
        /// - **Demand**: one entry per value requested; the system is asked for some hundred names at a time.
        /// - **Completion**: finishes after the last entry. Fails if the directory is missing (`ENOENT`), is not a
        ///   directory (`ENOTDIR`), or can't be read (`EACCES`), and if no descriptor is left (`EMFILE`).
        /// - **Threads**: entries and the completion are delivered on a queue of the subscription's own.
        /// - **Complexity**: a system call per entry whose kind the file system does not report, and few others.
        public func entries() -> some Publisher<DirectoryEntry, SystemError> {
            PollingPublisher<DirectoryListing>(name: "DirectoryEntries", on: { .waiting("directory") }) {
                [path, calls] () throws(SystemError) in
                try DirectoryListing(path, calls: calls)
            }
        }
    }
#endif
