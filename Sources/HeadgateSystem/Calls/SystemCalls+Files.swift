#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import CSystemCalls
    import Glibc
#endif

extension SystemCalls {
    /// Opens a path; the descriptor is closed when another program is executed.
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

    /// Reads what there is, as far as the buffer goes.
    ///
    /// - Returns: The number of bytes read, zero at the end, or `nil` if there is nothing to read yet.
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

    /// Writes as much as there is room for, without ever raising `SIGPIPE`.
    ///
    /// - Returns: The number of bytes written, or `nil` if there is no room now.
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

    /// What the system knows about an open descriptor.
    package func status(of descriptor: Descriptor) throws(SystemError) -> stat {
        var status = stat()
        _ = try perform("fstat", on: descriptor.path) { _ in Int(fstat(descriptor.number, &status)) }
        return status
    }

    /// What the system knows about a path, or `nil` if there is nothing there.
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

    /// Moves the place at which the next read or write begins.
    ///
    /// - Returns: The place, counted from the beginning.
    @discardableResult
    package func seek(
        _ descriptor: Descriptor, to offset: Int, from whence: Int32 = SEEK_SET
    ) throws(SystemError) -> Int {
        try perform("lseek", on: descriptor.path) { _ in Int(lseek(descriptor.number, off_t(offset), whence)) }
    }

    /// Waits until what was written is on the disk.
    package func synchronize(_ descriptor: Descriptor) throws(SystemError) {
        _ = try perform("fsync", on: descriptor.path) { _ in Int(fsync(descriptor.number)) }
    }

    /// Gives a file another name, in the place of whatever had it.
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

    /// Takes a name away from a file.
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

    /// The path of what a path leads to, without symbolic links on the way.
    func pathWithoutLinks(_ path: String) throws(SystemError) -> String {
        var resolved: UnsafeMutablePointer<CChar>?
        defer { free(resolved) }
        _ = try perform("realpath", on: path) { _ in
            resolved = realpath(path, nil)
            return resolved == nil ? -1 : 0
        }
        return resolved.map { String(cString: $0) } ?? path
    }

    /// Sees to it that a text means to the system what it means here.
    ///
    /// C has texts end with a NUL: without this, `"safe\0.txt"` would name the file `"safe"`.
    func checkText(_ text: String, in call: String) throws(SystemError) {
        if text.utf8.contains(0) { throw SystemError(call: call, code: EINVAL, subject: text) }
    }

    /// Which of some events a descriptor has now, of `POLLIN`, `POLLOUT` and, in any case, `POLLHUP` and `POLLERR`.
    package func readyEvents(of descriptor: Descriptor, among events: Int32) throws(SystemError) -> Int32 {
        var request = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
        _ = try perform("poll", on: descriptor.path) { _ in Int(poll(&request, 1, 0)) }
        return Int32(request.revents)
    }

    /// Makes calls on a descriptor return at once where they would wait.
    package func makeNonBlocking(_ descriptor: Descriptor) throws(SystemError) {
        let flags = try perform("fcntl", on: descriptor.path) { _ in Int(fcntl(descriptor.number, F_GETFL)) }
        _ = try perform("fcntl", on: descriptor.path) { _ in
            Int(fcntl(descriptor.number, F_SETFL, Int32(flags) | O_NONBLOCK))
        }
    }

    /// Makes a pipe of two non-blocking ends.
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

    /// Turns "would have to wait" into `nil`.
    package func orNil<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result? {
        do {
            return try body()
        } catch  where error.code == EAGAIN || error.code == EWOULDBLOCK {
            return nil
        }
    }
}
