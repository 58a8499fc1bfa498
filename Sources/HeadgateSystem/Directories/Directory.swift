#if os(Linux)
    import Headgate

    /// A change in a directory; paths are relative to it.
    public enum DirectoryChange: Hashable, Sendable {
        /// A file or directory was created, or moved here from elsewhere.
        case created(String)
        /// A file was written to.
        case modified(String)
        /// A file or directory was renamed.
        case moved(from: String, to: String)
        /// A file or directory was deleted, or moved elsewhere.
        case deleted(String)
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
        /// - **Demand**: one change per value requested. Without demand, up to 16,384 changes wait: later ones are
        ///   lost, and a ``DirectoryChange/overflow`` is published in their place, also if the kernel has lost some.
        ///   Consecutive writes to one file are merged.
        /// - **Completion**: finishes when the directory is deleted. Fails if it is missing (`ENOENT`) or not a
        ///   directory (`ENOTDIR`), if it or one in it can't be read (`EACCES`), and if the system allows no more
        ///   watches (`ENOSPC`) or descriptors (`EMFILE`). Everything is closed at `cancel()`.
        /// - **Threads**: changes and a failure are delivered on a queue of the subscription's own.
        /// - **Complexity**: one system call for all pending changes; one watch per directory, and one
        ///   inotify instance for all streams of the process, which stays open.
        ///
        /// - Parameter recursive: Whether to watch the directories in it, too, at any depth.
        public func changes(recursive: Bool) -> some Publisher<DirectoryChange, SystemError> {
            PollingPublisher<DirectorySource>(name: "DirectoryChanges", on: { .waiting("directory") }) {
                [path, calls] () throws(SystemError) in
                try DirectorySource(path, isRecursive: recursive, calls: calls)
            }
        }
    }
#endif
