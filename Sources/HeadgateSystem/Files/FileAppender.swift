import HeadgateLibC

// A lock guards `waiting`; the rest is confined to the queue.
/// A file that stays open, to which records are appended and acknowledged: for a log of what a program has promised.
///
/// ```swift
/// let jobs = FileAppender(File("jobs.log"))
/// print(try await jobs.append("PUT 1\n"), try await jobs.append("PUT 2\n"))
/// // 6 12
/// ```
///
/// Records that are appended by several tasks while the disk is busy are written together, with one `fsync`. A record
/// is there as a whole, or not at all: if writing fails, the file is cut off where it ended before.
///
/// The file is opened at the first record, locked for this process, and closed with the appender.
public final class FileAppender: @unchecked Sendable {
    private struct Record {
        let bytes: Bytes
        let continuation: CheckedContinuation<Result<Int, SystemError>, Never>
    }

    private let file: File
    private let durability: Durability
    private let recordEnd: UInt8?
    private let queue = DeliveryQueue.waiting("appending")
    private let waiting = Guarded<[Record]>([])
    private var descriptor: Descriptor?
    private var size = 0
    private var failure: SystemError?

    /// Names the file.
    ///
    /// - Parameters:
    ///   - file: The file, created if it does not exist.
    ///   - durability: When a record is acknowledged: when it is on the disk, or when the system has it.
    ///   - recordEnd: The byte at the end of each record. What follows the last one when the file is opened is the beginning
    ///     of a record whose writer has died, and is cut off; `nil` leaves it there.
    public init(_ file: File, durability: Durability = .onDisk, recordEnd: UInt8? = UInt8(ascii: "\n")) {
        self.file = file
        self.durability = durability
        self.recordEnd = recordEnd
    }

    /// Appends a record, and waits until it is acknowledged.
    ///
    /// Records are written in the order of the calls. A task that is cancelled waits nevertheless: the record may be there.
    ///
    /// - Parameter bytes: All of the record, with its end.
    /// - Returns: The size of the file after the record.
    /// - Throws: `EWOULDBLOCK` if another process appends to the file, errors of `open`, and of `write` and `fsync`. After a
    ///   failure of `fsync`, or of cutting off, nothing is known of the file, and each further call throws that error.
    @discardableResult public func append(_ bytes: Bytes) async throws(SystemError) -> Int {
        try await withCheckedContinuation { continuation in
            waiting.withLock { $0.append(Record(bytes: bytes, continuation: continuation)) }
            queue.run(writeAll)
        }.get()
    }

    /// Writes all records that wait, with one call; none if an earlier job has written them.
    private func writeAll() {
        let records = waiting.withLock { exchange(&$0, with: []) }
        if records.isEmpty { return }
        do throws(SystemError) {
            try write(records.map(\.bytes))
            var end = size - records.reduce(0) { $0 + $1.bytes.count }
            for record in records {
                end += record.bytes.count
                record.continuation.resume(returning: .success(end))
            }
        } catch {
            for record in records { record.continuation.resume(returning: .failure(error)) }
        }
    }

    private func write(_ records: [Bytes]) throws(SystemError) {
        if let failure { throw failure }
        if descriptor == nil { descriptor = try open() }
        guard let descriptor else { return }
        var rest = Bytes(joining: records[0], records.dropFirst())
        let end = size + rest.count
        do throws(SystemError) {
            while !rest.isEmpty {
                rest = rest.dropFirst(try file.calls.write(descriptor, rest) ?? 0)
            }
            if durability == .onDisk { try file.calls.synchronize(descriptor) }
        } catch {
            if error.call == "fsync" { failure = error }
            try cutOff(descriptor)
            throw error
        }
        size = end
    }

    /// Removes what has been written of a record.
    private func cutOff(_ descriptor: Descriptor) throws(SystemError) {
        do throws(SystemError) {
            try file.calls.truncate(descriptor, to: size)
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    private func open() throws(SystemError) -> Descriptor {
        let calls = file.calls
        let descriptor = try file.openLocked(O_APPEND, for: "open")
        let status = try calls.status(of: descriptor)
        if status.st_mode & S_IFMT != S_IFREG { throw SystemError(call: "open", code: EINVAL, subject: "\(file)") }
        let end = try endOfRecords(in: descriptor, size: Int(status.st_size))
        if end < Int(status.st_size) { try calls.truncate(descriptor, to: end) }
        size = end
        return descriptor
    }

    /// The place after the last whole record.
    private func endOfRecords(in descriptor: Descriptor, size: Int) throws(SystemError) -> Int {
        guard let recordEnd else { return size }
        var end = size
        while end > 0 {
            let start = max(0, end - 1 << 16)
            let bytes = try file.calls.read(descriptor, at: start, count: end - start)
            if let place = bytes.lastIndex(of: recordEnd) { return start + (place - bytes.startIndex) + 1 }
            end = start
        }
        return 0
    }
}
