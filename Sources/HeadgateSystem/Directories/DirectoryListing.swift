#if os(Linux)
    import HeadgateLibC

    /// Something in a directory.
    public struct DirectoryEntry: Hashable, Sendable {
        /// What an entry is.
        public enum Kind: Hashable, Sendable {
            /// A regular file.
            case file
            /// A directory.
            case directory
            /// A symbolic link, whatever it leads to.
            case link
            /// A pipe, a socket or a device.
            case other
        }

        /// Its name in the directory.
        public let name: String

        /// What it is.
        public let kind: Kind

        /// Creates an entry, for tests of code that handles entries.
        public init(name: String, kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    /// The entries of a directory, one per poll.
    final class DirectoryListing: Pollable {
        private let path: String
        private let calls: SystemCalls
        private let folder: OpaquePointer

        init(_ path: String, calls: SystemCalls) throws(SystemError) {
            self.path = path
            self.calls = calls
            folder = try calls.openDirectory(path)
        }

        deinit { closedir(folder) }

        func poll() throws(SystemError) -> Poll<DirectoryEntry> {
            guard let entry = try calls.nextEntry(in: folder, path: path) else { return .finished }
            return .value(DirectoryEntry(name: entry.name, kind: try kind(of: entry.name, type: entry.type)))
        }

        private func kind(of name: String, type: UInt8) throws(SystemError) -> DirectoryEntry.Kind {
            var type = Int(type)
            if type == Int(DT_UNKNOWN), let status = try calls.linkStatus(ofPath: "\(path)/\(name)") {
                // The kernel has the same numbers in an entry and in a status, where twelve bits follow.
                type = Int(status.st_mode & S_IFMT) >> 12
            }
            switch type {
            case Int(DT_REG): return .file
            case Int(DT_DIR): return .directory
            case Int(DT_LNK): return .link
            default: return .other
            }
        }

        // Never used: each poll has an entry, or is the last.
        func waiting(on queue: DeliveryQueue) -> PollingWait { { _ in } }
    }
#endif
