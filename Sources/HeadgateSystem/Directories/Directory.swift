#if os(Linux)
    import Headgate

    /// What has happened in a directory; paths are relative to it.
    public enum DirectoryChange: Hashable, Sendable {
        /// There is a new file or directory, or one was moved here from elsewhere.
        case created(String)
        /// Something was written to a file.
        case modified(String)
        /// A file or directory has another name now.
        case moved(from: String, to: String)
        /// A file or directory is no longer there, or was moved elsewhere.
        case deleted(String)
        /// More has happened than the kernel keeps for a reader; what it was is not known. Look at the directory anew.
        case overflow
    }

    /// A directory by its path.
    public struct Directory: Sendable {
        /// The path.
        public let path: String

        private let calls: SystemCalls

        /// Names a directory by its path.
        public init(_ path: String) { self.init(path, calls: .live) }

        package init(_ path: String, calls: SystemCalls) {
            self.path = path
            self.calls = calls
        }

        /// Publishes what happens in the directory.
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
        /// Watching begins with the first demand. A directory that is made in a watched tree is watched, too, and what is in it
        /// by then is published as created. Links are not followed. On Linux, by inotify; not available elsewhere.
        ///
        /// - **Demand**: one change for each asked for. Without demand changes wait in the kernel's queue, and there is room
        ///   for some ten thousand: what comes after that is lost, and an ``DirectoryChange/overflow`` is published in its place.
        ///   Writes to one file that follow each other are one change there.
        /// - **Completion**: finishes when the directory is deleted. Fails where it is missing (`ENOENT`) or not a directory
        ///   (`ENOTDIR`), where it or one in it can't be read (`EACCES`), and where the system allows no more watches (`ENOSPC`) or
        ///   descriptors (`EMFILE`). Everything is closed at `cancel()`.
        /// - **Complexity**: one system call for all the changes that wait; a watch for each directory.
        ///
        /// - Parameter recursive: Whether the directories in it are watched, too, however deep.
        public func changes(recursive: Bool) -> some Publisher<DirectoryChange, SystemError> {
            PollingPublisher<DirectorySource>(name: "DirectoryChanges", on: { .waiting("directory") }) {
                [path, calls] () throws(SystemError) in
                try DirectorySource(path, isRecursive: recursive, calls: calls)
            }
        }
    }
#endif
