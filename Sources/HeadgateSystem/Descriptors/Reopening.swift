import HeadgateLibC

extension SystemCalls {
    /// Opens once more, in non-blocking mode, the pipe or terminal of a descriptor that the process shares with others.
    ///
    /// `O_NONBLOCK` belongs to the open file and not to the descriptor: setting it on standard input or output would
    /// change it for the shell and for every other program on the same terminal.
    ///
    /// Throws if the descriptor is not open for this access itself.
    ///
    /// - Returns: A descriptor of our own, or `nil` where that is not possible: on a socket, without `/proc`, or
    ///   without permission to open it.
    func reopen(_ descriptor: Descriptor, _ access: Int32) throws(SystemError) -> Descriptor? {
        let flags = try call("fcntl", on: descriptor) { fcntl($0, F_GETFL) }
        let mode = flags & O_ACCMODE
        if mode != access, mode != O_RDWR {
            throw SystemError(call: access == O_RDONLY ? "read" : "write", code: EBADF, subject: descriptor.path)
        }
        #if canImport(Darwin)
            let path = "/dev/fd/\(descriptor.number)"
        #else
            let path = "/proc/self/fd/\(descriptor.number)"
        #endif
        return try? self.descriptor("open", of: descriptor.path ?? path) {
            HeadgateLibC.open(path, access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
    }
}
