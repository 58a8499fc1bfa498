#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension File {
    /// Opens the file for writing.
    func open(mode: WritingMode, durability: Durability) throws(SystemError) -> any WritingDestination {
        switch place {
        case .standardStream(let number, let name):
            return try StandardDestination(
                Descriptor(borrowing: number, path: name, calls: calls), durability: durability, calls: calls)
        case .path(let path):
            return try FileDestination(path, mode: mode, durability: durability, calls: calls)
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

    init(_ path: String, mode: WritingMode, durability: Durability, calls: SystemCalls) throws(SystemError) {
        self.path = path
        self.calls = calls
        self.durability = durability
        // Non-blocking for pipes and devices; no effect on files.
        let access = O_WRONLY | O_NONBLOCK | O_NOCTTY
        switch mode {
        case .overwrite:
            descriptor = try calls.open(path, access | O_CREAT | O_TRUNC)
        case .append:
            descriptor = try calls.open(path, access | O_CREAT | O_APPEND)
        case .create:
            descriptor = try calls.open(path, access | O_CREAT | O_EXCL)
        case .replace:
            let old = try calls.status(ofPath: path)
            if let old, old.st_mode & S_IFMT != S_IFREG {
                // A device or a pipe can't be replaced by a file.
                descriptor = try calls.open(path, access)
                break
            }
            // A symbolic link stays: its target is replaced.
            if old != nil { self.path = try calls.pathWithoutLinks(path) }
            let temporary = "\(self.path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
            descriptor = try calls.open(temporary, access | O_CREAT | O_EXCL)
            temporaryPath = temporary
            if let old { _ = fchmod(descriptor.number, old.st_mode & 0o7777) }
        }
    }

    deinit { abandon() }

    func write(_ bytes: Bytes) throws(SystemError) -> Int? {
        try bytes.withUnsafeBytes { memory throws(SystemError) in try calls.write(descriptor, memory) }
    }

    func finish() throws(SystemError) {
        if durability == .onDisk { try calls.synchronize(descriptor) }
        try descriptor.close()
        if let temporaryPath {
            try calls.rename(temporaryPath, to: path)
            self.temporaryPath = nil
            if durability == .onDisk { try synchronizeFolder() }
        }
    }

    func abandon() {
        try? descriptor.close()
        if let temporaryPath { try? calls.unlink(temporaryPath) }
        temporaryPath = nil
    }

    /// Makes sure that the new name is on the disk, too.
    private func synchronizeFolder() throws(SystemError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = try calls.open(folder, O_RDONLY)
        do {
            try calls.synchronize(descriptor)
        } catch  where error.code == EINVAL {
            // Some file systems need no synchronization of folders and reject it.
        }
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
        return try bytes.prefix(portion ?? .max).withUnsafeBytes { memory throws(SystemError) in
            try calls.write(descriptor, memory)
        }
    }

    func finish() throws(SystemError) {
        if durability == .onDisk { try calls.synchronize(descriptor) }
    }

    func abandon() {}
}
