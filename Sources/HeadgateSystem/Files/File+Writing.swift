import HeadgateLibC

extension File {
    /// Opens the file for writing.
    func open(mode: WritingMode, durability: Durability) throws(SystemError) -> any WritingDestination {
        switch place {
        case .standardStream(let number, let name):
            return try StandardDestination(
                Descriptor(borrowing: number, path: name, calls: calls), durability: durability, calls: calls)
        case .path(let path):
            return try FileDestination(
                path, mode: mode, permissions: permissions, durability: durability, calls: calls)
        }
    }
}

/// A file to write to, under a temporary name until it is complete in mode `replace`.
final class FileDestination: WritingDestination {
    let descriptor: Descriptor
    private var path: String
    private let calls: SystemCalls
    private let durability: Durability
    private var temporaryPath: String?
    /// Whether the new file has no name yet.
    private var isUnnamed = false

    init(
        _ path: String, mode: WritingMode, permissions: File.Permissions, durability: Durability, calls: SystemCalls
    ) throws(SystemError) {
        self.path = path
        self.calls = calls
        self.durability = durability
        // Non-blocking for pipes and devices; no effect on files.
        let access = O_WRONLY | O_NONBLOCK | O_NOCTTY
        let rights = mode_t(permissions.rawValue)
        switch mode {
        case .overwrite:
            descriptor = try calls.open(path, access | O_CREAT | O_TRUNC, mode: rights)
        case .append:
            descriptor = try calls.open(path, access | O_CREAT | O_APPEND, mode: rights)
        case .create:
            descriptor = try calls.open(path, access | O_CREAT | O_EXCL, mode: rights)
        case .replace:
            let old = try calls.status(ofPath: path)
            if let old, old.st_mode & S_IFMT != S_IFREG {
                // A device or a pipe can't be replaced by a file.
                descriptor = try calls.open(path, access)
                break
            }
            // A symbolic link stays: its target is replaced, or created.
            self.path = try calls.pathWithoutLinks(path)
            let temporary = "\(self.path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
            temporaryPath = temporary
            let unnamed = try calls.openUnnamed(in: self.path.folderOfPath, mode: rights, for: self.path)
            isUnnamed = unnamed != nil
            descriptor =
                if let unnamed { unnamed } else {
                    try calls.open(temporary, access | O_CREAT | O_EXCL, mode: rights)
                }
            if let old { try inherit(from: old) }
        }
    }

    /// Takes over the owner, the group and the permissions of the file to be replaced.
    private func inherit(from old: stat) throws(SystemError) {
        var mode = old.st_mode & 0o7777
        do throws(SystemError) {
            let new = try calls.status(of: descriptor)
            if new.st_uid != old.st_uid || new.st_gid != old.st_gid {
                try calls.setOwner(old.st_uid, group: old.st_gid, of: descriptor)
            }
        } catch  where error.code == EPERM {
            // Only the superuser may. Nobody gets to execute it as the owner that it has instead.
            mode &= 0o777
        }
        try calls.setPermissions(File.Permissions(rawValue: UInt32(mode)), of: descriptor)
    }

    deinit { abandon() }

    func write(_ bytes: Bytes) throws(SystemError) -> Int? {
        try calls.write(descriptor, bytes)
    }

    func finish() throws(SystemError) {
        if durability == .onDisk { try calls.synchronize(descriptor) }
        // As late as possible: what has a name would stay if the process died.
        if let temporaryPath, isUnnamed {
            try calls.name(descriptor, temporaryPath)
            isUnnamed = false
        }
        try descriptor.close()
        if let temporaryPath {
            try calls.rename(temporaryPath, to: path)
            self.temporaryPath = nil
            if durability == .onDisk { try synchronizeFolder() }
        }
    }

    func abandon() {
        try? descriptor.close()
        if let temporaryPath, !isUnnamed { try? calls.unlink(temporaryPath) }
        temporaryPath = nil
    }

    /// Makes sure that the new name is on the disk, too.
    private func synchronizeFolder() throws(SystemError) {
        try calls.synchronize(calls.open(path.folderOfPath, O_RDONLY))
    }
}

/// Standard output or error, which the process shares with others and which is never closed here.
final class StandardDestination: WritingDestination {
    let descriptor: Descriptor
    private let calls: SystemCalls
    private let durability: Durability
    // The number of bytes per call, each preceded by a check for room, where a write would block otherwise.
    private let portion: Int?

    init(_ shared: Descriptor, durability: Durability, calls: SystemCalls) throws(SystemError) {
        self.calls = calls
        let kind = try calls.status(of: shared).st_mode & S_IFMT
        if kind == S_IFREG || kind == S_IFBLK {
            descriptor = shared
            portion = nil
            self.durability = durability
        } else if let own = try calls.reopen(shared, O_WRONLY) {
            descriptor = own
            portion = nil
            self.durability = .whenever
        } else {
            descriptor = shared
            // A pipe that reports room has room for this much.
            portion = Int(PIPE_BUF)
            self.durability = .whenever
        }
    }

    func write(_ bytes: Bytes) throws(SystemError) -> Int? {
        if portion != nil, try calls.readyEvents(of: descriptor, among: Int32(POLLOUT)) == 0 { return nil }
        return try calls.write(descriptor, bytes.prefix(portion ?? .max))
    }

    func finish() throws(SystemError) {
        if durability == .onDisk { try calls.synchronize(descriptor) }
    }

    func abandon() {}
}
