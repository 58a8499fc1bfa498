#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import CHeadgateSystem
    import Glibc
#endif

extension SystemCalls {
    /// Opens a path with `O_CLOEXEC`.
    package func open(_ path: String, _ flags: Int32, mode: mode_t = 0o666) throws(SystemError) -> Descriptor {
        try checkText(path, in: "open")
        let number = try perform("open", on: path) { _ in
            #if canImport(Darwin)
                Int(Darwin.open(path, flags | O_CLOEXEC, mode))
            #elseif canImport(Musl)
                Int(Musl.open(path, flags | O_CLOEXEC, mode))
            #else
                Int(Glibc.open(path, flags | O_CLOEXEC, mode))
            #endif
        }
        return Descriptor(owning: Int32(number), path: path, calls: self)
    }

    /// Reads what is available, up to the size of the buffer.
    ///
    /// - Returns: The number of bytes read, zero at the end, or `nil` if the call would block.
    package func read(
        _ descriptor: Descriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int? {
        try orNil {
            () throws(SystemError) in
            try perform("read", on: descriptor.path, bytes: buffer.count) { count in
                #if canImport(Darwin)
                    Darwin.read(descriptor.number, buffer.baseAddress, count)
                #elseif canImport(Musl)
                    Musl.read(descriptor.number, buffer.baseAddress, count)
                #else
                    Glibc.read(descriptor.number, buffer.baseAddress, count)
                #endif
            }
        }
    }

    /// Writes as much as there is room for, without raising `SIGPIPE`.
    ///
    /// - Returns: The number of bytes written, or `nil` if the call would block.
    package func write(_ descriptor: Descriptor, _ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int? {
        try orNil {
            () throws(SystemError) in
            try perform("write", on: descriptor.path, bytes: buffer.count) { count in
                withoutBrokenPipeSignal {
                    #if canImport(Darwin)
                        Darwin.write(descriptor.number, buffer.baseAddress, count)
                    #elseif canImport(Musl)
                        Musl.write(descriptor.number, buffer.baseAddress, count)
                    #else
                        Glibc.write(descriptor.number, buffer.baseAddress, count)
                    #endif
                }
            }
        }
    }

    /// The status of an open descriptor.
    package func status(of descriptor: Descriptor) throws(SystemError) -> stat {
        var status = stat()
        _ = try perform("fstat", on: descriptor.path) { _ in Int(fstat(descriptor.number, &status)) }
        return status
    }

    /// The status of the file at a path, or `nil` if there is none.
    package func status(ofPath path: String) throws(SystemError) -> stat? {
        try checkText(path, in: "stat")
        var status = stat()
        do {
            _ = try perform("stat", on: path) { _ in Int(stat(path, &status)) }
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

    /// Waits until everything written is on the disk.
    package func synchronize(_ descriptor: Descriptor) throws(SystemError) {
        _ = try perform("fsync", on: descriptor.path) { _ in Int(fsync(descriptor.number)) }
    }

    /// Renames a file, replacing any file that has the new name.
    package func rename(_ path: String, to newPath: String) throws(SystemError) {
        _ = try perform("rename", on: "\(path) to \(newPath)") { _ in
            #if canImport(Darwin)
                Int(Darwin.rename(path, newPath))
            #elseif canImport(Musl)
                Int(Musl.rename(path, newPath))
            #else
                Int(Glibc.rename(path, newPath))
            #endif
        }
    }

    /// Removes a name of a file.
    package func unlink(_ path: String) throws(SystemError) {
        _ = try perform("unlink", on: path) { _ in
            #if canImport(Darwin)
                Int(Darwin.unlink(path))
            #elseif canImport(Musl)
                Int(Musl.unlink(path))
            #else
                Int(Glibc.unlink(path))
            #endif
        }
    }

    /// The path with all symbolic links resolved.
    func pathWithoutLinks(_ path: String) throws(SystemError) -> String {
        var resolved: UnsafeMutablePointer<CChar>?
        defer { free(resolved) }
        _ = try perform("realpath", on: path) { _ in
            resolved = realpath(path, nil)
            return resolved == nil ? -1 : 0
        }
        return resolved.map { String(cString: $0) } ?? path
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
        _ = try perform("poll", on: descriptor.path) { _ in Int(poll(&request, 1, 0)) }
        return Int32(request.revents)
    }

    /// Sets `O_NONBLOCK`.
    package func makeNonBlocking(_ descriptor: Descriptor) throws(SystemError) {
        let flags = try perform("fcntl", on: descriptor.path) { _ in Int(fcntl(descriptor.number, F_GETFL)) }
        _ = try perform("fcntl", on: descriptor.path) { _ in
            Int(fcntl(descriptor.number, F_SETFL, Int32(flags) | O_NONBLOCK))
        }
    }

    /// Creates a pipe with two non-blocking ends.
    package func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
            _ = try perform("pipe") { _ in Int(Darwin.pipe(&ends)) }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            }
        #else
            _ = try perform("pipe2") { _ in Int(pipe2(&ends, O_CLOEXEC | O_NONBLOCK)) }
        #endif
        return (
            Descriptor(owning: ends[0], path: "pipe", calls: self),
            Descriptor(owning: ends[1], path: "pipe", calls: self)
        )
    }

    /// Turns "would block" into `nil`.
    package func orNil<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result? {
        do {
            return try body()
        } catch  where error.code == EAGAIN || error.code == EWOULDBLOCK {
            return nil
        }
    }
}
