#if os(Linux)
    import CHeadgateSystem
    import HeadgateLibC

    extension SystemCalls {
        /// Opens a directory for listing.
        func openDirectory(_ path: String) throws(SystemError) -> OpaquePointer {
            var opened: OpaquePointer?
            try call("opendir", onPath: path) { name in
                opened = opendir(name)
                return opened == nil ? -1 : 0
            }
            guard let opened else { throw SystemError(call: "opendir", code: EBADF, subject: path) }
            return opened
        }

        /// The entries of a directory; none if it is gone.
        func entries(of path: String) throws(SystemError) -> [(name: String, inode: UInt64)] {
            let folder: OpaquePointer
            do throws(SystemError) {
                folder = try openDirectory(path)
            } catch  where error.code == ENOENT || error.code == ENOTDIR {
                return []
            }
            defer { closedir(folder) }
            var entries: [(name: String, inode: UInt64)] = []
            while let entry = try nextEntry(in: folder, path: path) { entries.append((entry.name, entry.inode)) }
            return entries
        }

        /// The next entry of an open directory that is neither itself nor its parent; `nil` after the last one.
        func nextEntry(
            in folder: OpaquePointer, path: String
        ) throws(SystemError) -> (name: String, type: UInt8, inode: UInt64)? {
            while true {
                var next: UnsafeMutablePointer<dirent>?
                try call("readdir", on: path) {
                    errno = 0
                    next = readdir(folder)
                    return next == nil && errno != 0 ? -1 : 0
                }
                guard let entry = next else { return nil }
                let name = withUnsafePointer(to: &entry.pointee.d_name) { String(systemNameAt: UnsafeRawPointer($0)) }
                if name != ".", name != ".." { return (name, entry.pointee.d_type, UInt64(entry.pointee.d_ino)) }
            }
        }

        /// When an open file was created, in nanoseconds; zero if its file system does not record that.
        func birthTime(of descriptor: Descriptor) -> Int64 { headgate_birth_time(descriptor.number, "") }

        /// When the file at a path was created, in nanoseconds; zero if that is not known.
        func birthTime(ofPath path: String) -> Int64 {
            path.withSystemName { headgate_birth_time(AT_FDCWD, $0) }
        }

        /// The offset of the first byte that is not in a hole.
        func startOfData(in descriptor: Descriptor) throws(SystemError) -> Int {
            do {
                // SEEK_DATA, which the C library declares only where _GNU_SOURCE is defined.
                return try seek(descriptor, to: 0, from: 3)
            } catch  where error.code == ENXIO || error.code == EINVAL {
                return 0
            }
        }
    }
#endif
