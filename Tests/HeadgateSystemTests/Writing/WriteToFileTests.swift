import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class WriteToFileTests: XCTestCase {
    private let folder = Folder()

    private func write<Failure: Error>(
        _ publisher: some Publisher<Bytes, Failure>, to file: File, mode: WritingMode = .overwrite,
        durability: Durability = .whenever
    ) -> Written<Failure>? {
        let result = Guarded<Written<Failure>?>(nil)
        publisher.write(to: file, mode: mode, durability: durability) { end in result.withLock { $0 = end } }
        eventually { result.withLock { $0 } != nil }
        return result.withLock { $0 }
    }

    private let texts = ["one ", "two"].publisher.map { Bytes($0) }

    func test_writesAppendsReplacesAndCreates() {
        let file = File(folder["file"])
        XCTAssertEqual(write(texts, to: file, mode: .create), .finished(bytes: 7))
        XCTAssertEqual(folder.read("file"), "one two")
        XCTAssertEqual(write(texts, to: file, mode: .append), .finished(bytes: 7))
        XCTAssertEqual(folder.read("file"), "one twoone two")
        XCTAssertEqual(write(Just(Bytes("x")), to: file), .finished(bytes: 1))
        XCTAssertEqual(folder.read("file"), "x")
        chmod(folder["file"], 0o640)
        XCTAssertEqual(write(texts, to: file, mode: .replace, durability: .onDisk), .finished(bytes: 7))
        XCTAssertEqual(folder.read("file"), "one two")
        var status = stat()
        stat(folder["file"], &status)
        XCTAssertEqual(status.st_mode & 0o777, 0o640)
        XCTAssertEqual(
            write(texts, to: file, mode: .create),
            .failed(SystemError(call: "open", code: EEXIST, subject: folder["file"]), bytes: 0))
    }

    func test_aFileThatIsReplacedStaysAsItWasWhereNotEverythingIsWritten() {
        let path = folder.write("old", to: "file")
        let upstream = texts.setFailureType(to: TestFailure.self).append(Fail(error: TestFailure.first))
        XCTAssertEqual(write(upstream, to: File(path), mode: .replace), .upstreamFailed(.first, bytes: 7))
        XCTAssertEqual(folder.read("file"), "old")
        let log = CallLog { call, number in call == "write" && number == 1 ? .fail(ENOSPC) : .proceed }
        let many = (0..<3).publisher.map { _ in Bytes(repeatElement(1, count: 1 << 16)) }
        XCTAssertEqual(
            write(many, to: File(path, calls: log.calls), mode: .replace)?.isComplete, false)
        XCTAssertEqual(folder.read("file"), "old")
        let silent = TestPublisher<Bytes, Never>()
        let writing = silent.write(to: File(path), mode: .replace) { _ in }
        eventually("it is open") { silent.outstanding > .none }
        writing.cancel()
        eventually("no other file is left") { countOfFiles() == 1 }
        XCTAssertEqual(folder.read("file"), "old")
    }

    private func countOfFiles() -> Int {
        guard let folder = opendir(folder.path) else { return -1 }
        defer { closedir(folder) }
        var count = -2
        while readdir(folder) != nil { count += 1 }
        return count
    }

    func test_aFullDeviceIsAFailureThatNamesTheBytesWritten() {
        XCTAssertEqual(
            write(texts, to: File("/dev/full")),
            .failed(SystemError(call: "write", code: ENOSPC, subject: "/dev/full"), bytes: 0))
        XCTAssertEqual(write(texts, to: File("/dev/null")), .finished(bytes: 7))
    }

    func test_aLinkAndADeviceAreNotReplacedThemselves() throws {
        folder.write("old", to: "file")
        XCTAssertEqual(symlink("file", folder["link"]), 0)
        XCTAssertEqual(write(texts, to: File(folder["link"]), mode: .replace), .finished(bytes: 7))
        XCTAssertEqual(folder.read("file"), "one two")
        var status = stat()
        XCTAssertEqual(lstat(folder["link"], &status), 0)
        XCTAssertEqual(status.st_mode & S_IFMT, S_IFLNK)
        // A pipe of our own stands for every device; those of the machine are too good for a test that may fail.
        XCTAssertEqual(mkfifo(folder["pipe"], 0o600), 0)
        let reader = Glibc.open(folder["pipe"], O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        XCTAssertEqual(write(texts, to: File(folder["pipe"]), mode: .replace), .finished(bytes: 7))
        var buffer = [UInt8](repeating: 0, count: 16)
        XCTAssertEqual(Glibc.read(reader, &buffer, buffer.count), 7)
        XCTAssertEqual(lstat(folder["pipe"], &status), 0)
        XCTAssertEqual(status.st_mode & S_IFMT, S_IFIFO)
        XCTAssertEqual(countOfFiles(), 3)
    }

    func test_aDirectoryIsAFailureInEveryMode() {
        for mode in [WritingMode.overwrite, .append, .replace] {
            XCTAssertEqual(
                write(texts, to: File(folder.path), mode: mode),
                .failed(SystemError(call: "open", code: EISDIR, subject: folder.path), bytes: 0))
        }
    }

    func test_aTextWithANULNamesNoFile() {
        let cut = folder["file\0.txt"]
        XCTAssertEqual(
            write(texts, to: File(cut), mode: .create),
            .failed(SystemError(call: "open", code: EINVAL, subject: cut), bytes: 0))
        XCTAssertEqual(countOfFiles(), 0)
    }

    func test_everyCallThatASignalInterruptsIsMadeAgain() {
        let log = CallLog { _, number in number < 2 ? .fail(EINTR) : .proceed }
        let file = File(folder["file"], calls: log.calls)
        XCTAssertEqual(write(texts, to: file, mode: .replace, durability: .onDisk), .finished(bytes: 7))
        XCTAssertEqual(folder.read("file"), "one two")
        XCTAssertEqual(log.names, ["stat", "lstat", "open", "write", "fsync", "linkat", "close", "rename"])
        XCTAssertEqual(write(texts, to: file, mode: .replace), .finished(bytes: 7))
        XCTAssertGreaterThan(log["fchmod"], 2)
    }

    func test_aStandardStreamIsLeftOpenAndInItsMode() throws {
        let pipe = try SystemCalls.live.pipe()
        let mode = fcntl(pipe.writing.number, F_GETFL) & ~O_NONBLOCK
        _ = fcntl(pipe.writing.number, F_SETFL, mode)
        let output = File(standardStream: pipe.writing.number, name: "standard output")
        XCTAssertEqual(write(texts, to: output), .finished(bytes: 7))
        XCTAssertEqual(fcntl(pipe.writing.number, F_GETFL), mode)
        try pipe.reading.close()
        XCTAssertEqual(write(texts, to: output), .readerClosed(bytes: 0))
    }

    func test_aStandardStreamThatCannotBeReopenedIsPolledForRoomFirst() throws {
        let log = CallLog { call, _ in call == "open" ? .fail(EACCES) : .proceed }
        let pipe = try log.calls.pipe()
        let output = File(standardStream: pipe.writing.number, name: "standard output", calls: log.calls)
        let result = Guarded<Written<Never>?>(nil)
        let size = 300_000
        Just(Bytes(repeatElement(7, count: size))).write(to: output) { end in result.withLock { $0 = end } }
        var count = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        eventually {
            count += (try? buffer.withUnsafeMutableBytes { try SystemCalls.live.read(pipe.reading, into: $0) }) ?? 0
            return count == size
        }
        eventually { result.withLock { $0 } == .finished(bytes: size) }
        XCTAssertGreaterThan(log["poll"], size / 4096)
    }

    func test_aClosedStandardStreamIsAFailure() {
        let output = File(standardStream: 999, name: "standard output")
        XCTAssertEqual(
            write(texts, to: output),
            .failed(SystemError(call: "fstat", code: EBADF, subject: "standard output"), bytes: 0))
    }

    func test_aStandardStreamThatIsOpenForReadingOnlyIsAFailure() {
        let number = Glibc.open("/dev/null", O_RDONLY)
        defer { close(number) }
        XCTAssertEqual(
            write(texts, to: File(standardStream: number, name: "standard output")),
            .failed(SystemError(call: "write", code: EBADF, subject: "standard output"), bytes: 0))
    }

    func test_textsAreWrittenWithTheirTerminators() async {
        let result = await ["one", "two"].publisher.write(to: File(folder["file"]), terminator: "\n")
        XCTAssertEqual(result, .finished(bytes: 8))
        XCTAssertEqual(folder.read("file"), "one\ntwo\n")
    }

    func test_cancellingTheTaskCancelsUpstream() async {
        let upstream = TestPublisher<Bytes, Never>()
        let path = folder["file"]
        let task = Task { await upstream.write(to: File(path)) }
        eventually { upstream.outstanding > .none }
        task.cancel()
        let result = await task.value
        XCTAssertNil(result)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_requestsAsMuchAsFitsTheBuffer() {
        let upstream = TestPublisher<Bytes, Never>()
        upstream.write(to: File(folder["file"]), bufferSize: 1000) { _ in }
        eventually { upstream.outstanding == .max(1) }
        upstream.send(Bytes(repeatElement(1, count: 100)))
        eventually { upstream.outstanding == .max(10) }
        upstream.finish()
    }

    func test_copiesAFile() {
        let text = (0..<50_000).map { "line \($0)\n" }.joined()
        let source = File(folder.write(text, to: "source"))
        let result = write(source.bytes(), to: File(folder["copy"]))
        XCTAssertEqual(result, .finished(bytes: text.utf8.count))
        XCTAssertEqual(folder.read("copy"), text)
    }
}
