#if os(Linux)
    import CHeadgateSystem

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    extension SystemCalls {
        /// The entries of a directory; none if it is gone.
        func entries(of path: String) throws(SystemError) -> [(name: String, isFolder: Bool)] {
            var opened: OpaquePointer?
            do throws(SystemError) {
                _ = try perform("opendir", on: path) { _ in
                    opened = opendir(path)
                    return opened == nil ? -1 : 0
                }
            } catch  where error.code == ENOENT || error.code == ENOTDIR {
                return []
            }
            guard let folder = opened else { return [] }
            defer { closedir(folder) }
            var entries: [(name: String, isFolder: Bool)] = []
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
                }
                if name == "." || name == ".." { continue }
                var status = stat()
                let isFolder = lstat("\(path)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
                entries.append((name, isFolder))
            }
            return entries
        }

        /// When an open file was created, in nanoseconds; zero if its file system does not record that.
        func birthTime(of descriptor: Descriptor) -> Int64 { headgate_birth_time(descriptor.number) }
    }
#endif
