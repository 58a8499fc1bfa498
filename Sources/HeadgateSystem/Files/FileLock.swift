import HeadgateLibC

/// A lock on a file, until it is released or the process ends: for a program that must not run twice at a time.
///
/// ```swift no-run
/// let lock = try FileLock(File("/run/collector.lock"))
/// // flock /run/collector.lock: Resource temporarily unavailable
/// ```
///
/// The lock is one of `flock`: it binds only those who lock the file, too. The file is created if it does not exist, and
/// never removed, because another process might lock it just then.
public final class FileLock: Sendable {
    private let descriptor: Descriptor

    /// Locks a file.
    ///
    /// - Parameters:
    ///   - file: The file; its contents don't matter.
    ///   - isShared: Whether others may have the lock at the same time who share it, too.
    /// - Throws: `EWOULDBLOCK` if another has it, errors of `open`, and `EINVAL` for a standard stream.
    public init(_ file: File, isShared: Bool = false) throws(SystemError) {
        descriptor = try file.openLocked(isShared: isShared, for: "flock")
    }

    /// Releases the lock.
    public func unlock() { try? descriptor.close() }
}

extension File {
    /// Opens the file, which is created if it does not exist, and locks it for this process.
    ///
    /// - Parameter call: What fails with `EINVAL` for a standard stream.
    func openLocked(_ flags: Int32 = 0, isShared: Bool = false, for call: String) throws(SystemError) -> Descriptor {
        guard case .path(let path) = place else { throw SystemError(call: call, code: EINVAL, subject: description) }
        let access = flags | O_RDWR | O_CREAT | O_NOCTTY
        let descriptor = try calls.open(path, access, mode: mode_t(permissions.rawValue))
        try calls.lock(descriptor, isShared: isShared)
        return descriptor
    }
}
