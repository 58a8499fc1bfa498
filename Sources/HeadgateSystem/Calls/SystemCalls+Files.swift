import CHeadgateSystem
import HeadgateLibC

extension SystemCalls {
    /// Opens a path with `O_CLOEXEC`.
    package func open(_ path: String, _ flags: Int32, mode: mode_t = 0o666) throws(SystemError) -> Descriptor {
        try checkText(path, in: "open")
        return try descriptor("open", of: path) {
            path.withSystemName { HeadgateLibC.open($0, flags | O_CLOEXEC, mode) }
        }
    }

    /// Makes a call that opens a descriptor, which gets none of the numbers of the standard streams.
    func descriptor(_ call: String, of path: String, _ open: () -> Int32) throws(SystemError) -> Descriptor {
        let number = try self.call(call, on: path) { headgate_above_standard_streams(open()) }
        return Descriptor(owning: number, path: path, calls: self)
    }

    /// Reads what is available, up to the size of the buffer.
    ///
    /// - Returns: The number of bytes read, zero at the end, or `nil` if the call would block.
    package func read(
        _ descriptor: Descriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int? {
        try performOrNil("read", on: descriptor.path, bytes: buffer.count) { count in
            HeadgateLibC.read(descriptor.number, buffer.baseAddress, count)
        }
    }

    /// Reads what is available at an offset, up to the size of the buffer; the file offset stays.
    ///
    /// - Returns: The number of bytes read, zero at the end, or `nil` if the call would block.
    package func read(
        _ descriptor: Descriptor, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int? {
        try performOrNil("pread", on: descriptor.path, bytes: buffer.count) { count in
            pread(descriptor.number, buffer.baseAddress, count, off_t(offset))
        }
    }

    /// Writes as much as there is room for, without raising `SIGPIPE`.
    ///
    /// - Returns: The number of bytes written, or `nil` if the call would block.
    package func write(_ descriptor: Descriptor, _ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int? {
        try performOrNil("write", on: descriptor.path, bytes: buffer.count) { count in
            withoutBrokenPipeSignal {
                HeadgateLibC.write(descriptor.number, buffer.baseAddress, count)
            }
        }
    }

    /// Writes as many of some bytes as there is room for.
    package func write(_ descriptor: Descriptor, _ bytes: Bytes) throws(SystemError) -> Int? {
        try bytes.withUnsafeBytes { memory throws(SystemError) in try write(descriptor, memory) }
    }

    /// The status of an open descriptor.
    package func status(of descriptor: Descriptor) throws(SystemError) -> stat {
        var status = stat()
        try call("fstat", on: descriptor) { fstat($0, &status) }
        return status
    }

    /// The status of the file at a path, or `nil` if there is none.
    package func status(ofPath path: String) throws(SystemError) -> stat? {
        try status("stat", of: path) { stat($0, $1) }
    }

    /// The status of a path itself, also if it is a symbolic link, or `nil` if there is none.
    package func linkStatus(ofPath path: String) throws(SystemError) -> stat? {
        try status("lstat", of: path) { lstat($0, $1) }
    }

    private func status(
        _ call: String, of path: String, _ look: (UnsafePointer<CChar>, UnsafeMutablePointer<stat>) -> Int32
    ) throws(SystemError) -> stat? {
        var status = stat()
        do {
            try self.call(call, onPath: path) { look($0, &status) }
        } catch  where error.code == ENOENT || error.code == ENOTDIR {
            return nil
        }
        return status
    }

    /// Moves the file offset, at which the next read or write begins.
    ///
    /// - Returns: The new offset from the beginning.
    @discardableResult package func seek(
        _ descriptor: Descriptor, to offset: Int, from whence: Int32 = SEEK_SET
    ) throws(SystemError) -> Int {
        try perform("lseek", on: descriptor.path) { _ in Int(lseek(descriptor.number, off_t(offset), whence)) }
    }

    /// Waits until everything written is on the disk, if there is one.
    package func synchronize(_ descriptor: Descriptor) throws(SystemError) {
        do {
            try call("fsync", on: descriptor) { fsync($0) }
        } catch  where error.code == EINVAL || error.code == EROFS {
            // A device, a pipe or a folder that has nothing to synchronize.
        }
    }

    /// Renames a file, replacing any file that has the new name.
    package func rename(_ path: String, to newPath: String) throws(SystemError) {
        try call("rename", on: "\(path) to \(newPath)") {
            path.withSystemName { old in newPath.withSystemName { new in HeadgateLibC.rename(old, new) } }
        }
    }

    /// Removes a name of a file.
    package func unlink(_ path: String) throws(SystemError) {
        try call("unlink", onPath: path) { HeadgateLibC.unlink($0) }
    }

    /// The path in a symbolic link; `nil` if there is none.
    package func target(ofLink path: String) throws(SystemError) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let size = buffer.count
        let count: Int
        do throws(SystemError) {
            count = try perform("readlink", on: path) { _ in path.withSystemName { readlink($0, &buffer, size) } }
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR || error.code == EINVAL { return nil }
            throw error
        }
        return String(systemName: buffer[..<count].map { UInt8(bitPattern: $0) })
    }

    /// The path to which the symbolic links at a path lead, whether or not there is a file.
    func pathWithoutLinks(_ path: String) throws(SystemError) -> String {
        var path = path
        for _ in 0..<40 {
            guard let status = try linkStatus(ofPath: path), status.st_mode & S_IFMT == S_IFLNK,
                let target = try target(ofLink: path)
            else { return path }
            path = target.isAbsolutePath ? target : path.pathBeforeName + target
        }
        throw SystemError(call: "open", code: ELOOP, subject: path)
    }

    /// Gives an open file another owner and group.
    package func setOwner(_ owner: uid_t, group: gid_t, of descriptor: Descriptor) throws(SystemError) {
        try call("fchown", on: descriptor) { fchown($0, owner, group) }
    }

    /// Cuts a file off at a size.
    func truncate(_ descriptor: Descriptor, to size: Int) throws(SystemError) {
        try call("ftruncate", on: descriptor) { ftruncate($0, off_t(size)) }
    }

    /// Locks an open file for this process, or, if it is shared, together with others that share it.
    ///
    /// Fails with the code `EWOULDBLOCK` instead of waiting.
    func lock(_ descriptor: Descriptor, isShared: Bool) throws(SystemError) {
        try call("flock", on: descriptor) { flock($0, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
    }

    /// Creates a file without a name in a folder, which is gone with the process; `nil` if the system can't.
    func openUnnamed(in folder: String, mode: mode_t, for path: String) throws(SystemError) -> Descriptor? {
        #if os(Linux)
            do {
                return try descriptor("open", of: path) { folder.withSystemName { headgate_open_unnamed($0, mode) } }
            } catch  where error.code == EOPNOTSUPP || error.code == EISDIR || error.code == EINVAL {
                return nil
            }
        #else
            return nil
        #endif
    }

    /// Gives a file without a name one.
    func name(_ descriptor: Descriptor, _ path: String) throws(SystemError) {
        try call("linkat", onPath: path) {
            linkat(AT_FDCWD, "/proc/self/fd/\(descriptor.number)", AT_FDCWD, $0, AT_SYMLINK_FOLLOW)
        }
    }

    /// The number of bytes that the kernel has: unread ones (`FIONREAD`), or unacknowledged ones (`TIOCOUTQ`).
    func countOfBytes(_ kind: Int32, in descriptor: Descriptor) throws(SystemError) -> Int {
        var count: Int32 = 0
        try call("ioctl", on: descriptor) { ioctl($0, UInt(kind), &count) }
        return Int(count)
    }

    /// Throws `EINVAL` for a text with a NUL in it.
    ///
    /// C strings end at the first NUL: without this check, `"safe\0.txt"` would name the file `"safe"`.
    func checkText(_ text: String, in call: String) throws(SystemError) {
        if text.utf8.contains(0) { throw SystemError(call: call, code: EINVAL, subject: text) }
    }

    /// The events of a set that a descriptor has now: `POLLIN`, `POLLOUT` and, in any case, `POLLHUP` and `POLLERR`.
    package func readyEvents(of descriptor: Descriptor, among events: Int32) throws(SystemError) -> Int32 {
        var request = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
        try call("poll", on: descriptor.path) { poll(&request, 1, 0) }
        return Int32(request.revents)
    }

    /// Takes over a number that belongs to the process: non-blocking, and closed in other programs.
    func adopt(_ number: Int32) throws(SystemError) -> Descriptor {
        let path = "descriptor \(number)"
        let flags = try call("fcntl", on: path) { fcntl(number, F_GETFD) }
        try call("fcntl", on: path) { fcntl(number, F_SETFD, flags | FD_CLOEXEC) }
        let descriptor = Descriptor(owning: number, path: path, calls: self)
        try makeNonBlocking(descriptor)
        return descriptor
    }

    /// Sets the permissions of an open file.
    func setPermissions(_ permissions: File.Permissions, of descriptor: Descriptor) throws(SystemError) {
        try call("fchmod", on: descriptor) { fchmod($0, mode_t(permissions.rawValue)) }
    }

    /// Sets the permissions of the file at a path.
    func setPermissions(_ permissions: File.Permissions, ofPath path: String) throws(SystemError) {
        try call("chmod", onPath: path) { chmod($0, mode_t(permissions.rawValue)) }
    }

    /// Sets `O_NONBLOCK`.
    package func makeNonBlocking(_ descriptor: Descriptor) throws(SystemError) {
        let flags = try call("fcntl", on: descriptor) { fcntl($0, F_GETFL) }
        try call("fcntl", on: descriptor) { fcntl($0, F_SETFL, flags | O_NONBLOCK) }
    }
}
