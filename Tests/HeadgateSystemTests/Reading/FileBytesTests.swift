import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class FileBytesTests: XCTestCase {
    private let folder = Folder()

    private func read(
        _ file: File, chunkSize: Int = 4, range: Range<Int> = 0..<Int.max, _ script: DemandScript = .unlimited
    ) -> TestSubscriber<Bytes, SystemError> {
        let subscriber = TestSubscriber<Bytes, SystemError>.checked(script)
        file.bytes(chunkSize: chunkSize, range: range).subscribe(subscriber)
        return subscriber
    }

    private func readAll(
        _ file: File, chunkSize: Int = 4, range: Range<Int> = 0..<Int.max
    ) -> TestSubscriber<Bytes, SystemError> {
        let subscriber = read(file, chunkSize: chunkSize, range: range)
        eventually { subscriber.completion != nil }
        return subscriber
    }

    func test_publishesTheFileInChunksAndFinishes() {
        let file = File(folder.write("abcdefghij", to: "file"))
        let subscriber = readAll(file)
        XCTAssertEqual(subscriber.values, ["abcd", "efgh", "ij"])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(readAll(file, range: 3..<8).values, ["defg", "h"])
        XCTAssertEqual(readAll(file, range: 8..<100).values, ["ij"])
        XCTAssertEqual(readAll(file, range: 10..<20).values, [])
        XCTAssertEqual(readAll(file, range: 4..<4).values, [])
        XCTAssertEqual(readAll(File("/dev/zero"), range: 4..<10).values.map(\.count), [4, 2])
    }

    func test_finishesAfterTheLastChunkWithoutFurtherDemand() {
        for (text, chunks) in [("abcdefgh", 2), ("abcdefghi", 3)] {
            let subscriber = read(File(folder.write(text, to: "file")), .first(chunks))
            eventually { subscriber.hasFinished }
            XCTAssertEqual(subscriber.values.count, chunks)
        }
    }

    func test_opensAndReadsNothingWithoutDemandAndOneChunkForEachRequested() {
        let log = CallLog()
        let file = File(folder.write("abcdefghij", to: "file"), calls: log.calls)
        let subscriber = read(file, .none)
        XCTAssertEqual(log.names, [])
        for count in 1...2 {
            subscriber.request(.max(1))
            eventually { subscriber.values.count == count }
            XCTAssertEqual(log["read"], count)
        }
        subscriber.cancel()
        eventually { log["close"] == 1 }
        XCTAssertEqual(log["read"], 2)
    }

    func test_failuresNameTheCallAndThePath() {
        let missing = folder["missing"]
        XCTAssertEqual(readAll(File(missing)).failure, SystemError(call: "open", code: ENOENT, subject: missing))
        XCTAssertEqual(
            readAll(File(folder.path)).failure, SystemError(call: "read", code: EISDIR, subject: folder.path))
        for code in [EACCES, EMFILE] {
            let log = CallLog { call, _ in call == "open" ? .fail(code) : .proceed }
            XCTAssertEqual(
                readAll(File(missing, calls: log.calls)).failure,
                SystemError(call: "open", code: code, subject: missing))
        }
        let log = CallLog { call, number in call == "read" && number == 1 ? .fail(EIO) : .proceed }
        let subscriber = readAll(File(folder.write("abcdefgh", to: "file"), calls: log.calls))
        XCTAssertEqual(subscriber.values, ["abcd"])
        XCTAssertEqual(subscriber.failure?.code, EIO)
        XCTAssertEqual(log["close"], 1)
    }

    func test_anEndlessDeviceHasOneLineThatIsTooLong() {
        let before = openDescriptorCount()
        for (longLines, isFailure) in [(LongLines.fail, true), (.cut, false), (.skip, false)] {
            let subscriber = TestSubscriber<Bytes, SystemError>.checked(.first(1))
            let read = Guarded(0)
            File("/dev/zero").bytes()
                .handleEvents(receiveOutput: { chunk in read.withLock { $0 += chunk.count } })
                .byteLines(maximumLength: 1 << 20, longLines: longLines)
                .subscribe(subscriber)
            if isFailure {
                eventually { subscriber.failure?.code == EMSGSIZE }
                XCTAssertLessThanOrEqual(read.withLock { $0 }, (1 << 20) + (1 << 16))
            } else if longLines == .cut {
                eventually { subscriber.values.first?.count == 1 << 20 }
            } else {
                eventually { read.withLock { $0 } > 1 << 24 }
                XCTAssertEqual(subscriber.values, [])
            }
            subscriber.cancel()
        }
        eventually { openDescriptorCount() <= before }
    }

    func test_aPathWithANULNamesNoFile() {
        let path = folder.write("secret", to: "file") + "\0.txt"
        XCTAssertEqual(readAll(File(path)).failure, SystemError(call: "open", code: EINVAL, subject: path))
    }

    func test_everyCallThatASignalInterruptsIsMadeAgain() {
        let log = CallLog { _, number in number < 2 ? .fail(EINTR) : .proceed }
        let before = openDescriptorCount()
        let subscriber = readAll(File(folder.write("abcdefgh", to: "file"), calls: log.calls), range: 1..<8)
        XCTAssertEqual(subscriber.values, ["bcde", "fgh"])
        XCTAssertEqual(log.names, ["open", "fstat", "lseek", "read", "close"])
        eventually { openDescriptorCount() <= before }
    }

    func test_aFileThatBecomesShorterEndsWhereItEndsThen() {
        let path = folder.write("abcdefghijkl", to: "file")
        let subscriber = read(File(path), .first(1))
        eventually { subscriber.values.count == 1 }
        truncate(path, 6)
        subscriber.request(.unlimited)
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values, ["abcd", "ef"])
    }

    func test_aFileThatGrowsIsReadToItsNewEnd() {
        let path = folder.write("abcdefgh", to: "file")
        let subscriber = read(File(path), .first(1))
        eventually { subscriber.values.count == 1 }
        folder.write(Array("ijk".utf8), to: "file", append: true)
        subscriber.request(.unlimited)
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values, ["abcd", "efgh", "ijk"])
    }

    func test_anEndlessDeviceIsReadAsFarAsRequestedAndStopsWhenCancelled() {
        let subscriber = read(File("/dev/zero"), chunkSize: 1 << 12, .first(3))
        eventually { subscriber.values.count == 3 }
        XCTAssertEqual(subscriber.values.map(\.count), [1 << 12, 1 << 12, 1 << 12])
        subscriber.request(.max(1000))
        eventually { subscriber.values.count > 10 }
        subscriber.cancel()
        XCTAssertEqual(readAll(File("/dev/null")).values, [])
    }

    func test_filesOfTheKernelThatReportNoLengthAreRead() {
        XCTAssertGreaterThan(readAll(File("/proc/self/status"), chunkSize: 64).values.count, 2)
    }

    func test_aNamedPipeWaitsForItsFirstWriterAndEndsWithItsLast() throws {
        let path = folder["pipe"]
        mkfifo(path, 0o600)
        let log = CallLog()
        let subscriber = read(File(path, calls: log.calls), chunkSize: 64)
        eventually("it has found no writer") { log["poll"] > 0 }
        XCTAssertNil(subscriber.completion)
        let first = Glibc.open(path, O_WRONLY)
        _ = Glibc.write(first, "one", 3)
        eventually { subscriber.values.count == 1 }
        let second = Glibc.open(path, O_WRONLY)
        close(first)
        _ = Glibc.write(second, "two", 3)
        eventually { subscriber.values.count == 2 }
        XCTAssertNil(subscriber.completion)
        close(second)
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values, ["one", "two"])
    }

    func test_aNamedPipeWithoutWriterCanBeCancelled() {
        let path = folder["pipe"]
        mkfifo(path, 0o600)
        let before = openDescriptorCount()
        let subscriber = read(File(path))
        eventually { openDescriptorCount() > before }
        subscriber.cancel()
        eventually { openDescriptorCount() <= before }
    }

    func test_noDescriptorIsLeftAfterManyStreams() {
        let path = folder.write("abcdefgh", to: "file")
        _ = readAll(File(path))
        let before = openDescriptorCount()
        for round in 0..<200 {
            let subscriber = read(File(path), .first(round % 3))
            if round.isMultiple(of: 2) {
                subscriber.cancel()
            } else {
                eventually { subscriber.values.count == round % 3 }
            }
            subscriber.cancel()
        }
        eventually { openDescriptorCount() <= before }
    }

    func test_descriptorExhaustionIsAFailure() {
        let path = folder.write("abc", to: "file")
        _ = readAll(File(path))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var taken: [Int32] = []
        var low = rlimit(rlim_cur: 100, rlim_max: limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
        while case let number = dup(0), number >= 0 { taken.append(number) }
        let subscriber = readAll(File(path))
        for number in taken { close(number) }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        XCTAssertEqual(subscriber.failure, SystemError(call: "open", code: EMFILE, subject: path))
    }

    func test_descriptorsAreClosedInOtherPrograms() throws {
        let subscriber = read(File(folder.write("abcdefgh", to: "file")), .first(1))
        eventually { subscriber.values.count == 1 }
        var target = [CChar](repeating: 0, count: 4096)
        var flags: [Int32] = []
        for number in 3..<Int32(200) {
            let length = readlink("/proc/self/fd/\(number)", &target, target.count)
            if length > 0,
                String(decoding: target[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) == folder["file"]
            {
                flags.append(fcntl(number, F_GETFD))
            }
        }
        XCTAssertEqual(flags, [FD_CLOEXEC])
        subscriber.cancel()
    }

    func test_keepsToTheContract() {
        let path = folder.write("abcdefghij", to: "file")
        var bytes = File(path).bytes(chunkSize: 4)
        bytes.makeQueue = { .immediate }
        let publisher = bytes
        verify(publisher: publisher, [.finite]).check { XCTFail($0, file: $1, line: $2) }
        var missing = File("/no/such/file").bytes()
        missing.makeQueue = { .immediate }
        let failing = missing
        verify(publisher: failing, [.finite, .fails])
            .excusing(.oneCompletion, because: "the file is opened, and missed, at the first demand")
            .check { XCTFail($0, file: $1, line: $2) }
    }
}
