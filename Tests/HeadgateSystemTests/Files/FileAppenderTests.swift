import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class FileAppenderTests: XCTestCase {
    private let folder = Folder()

    func test_eachRecordIsAcknowledgedInItsOrder() async throws {
        folder.write("old\n", to: "log")
        let log = FileAppender(File(folder["log"]))
        for number in 1...3 {
            let size = try await log.append(Bytes("record \(number)\n"))
            XCTAssertEqual(size, 4 + number * 9)
        }
        XCTAssertEqual(folder.read("log"), "old\nrecord 1\nrecord 2\nrecord 3\n")
    }

    func test_manyRecordsShareOneSynchronization() async throws {
        let calls = CallLog()
        let log = FileAppender(File(folder["log"], calls: calls.calls))
        try await log.append("first\n")
        let before = calls["fsync"]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 { group.addTask { try await log.append(Bytes("\(number)\n")) } }
            try await group.waitForAll()
        }
        XCTAssertLessThan(calls["fsync"] - before, 500)
        let lines = (folder.read("log") ?? "").split(separator: "\n").dropFirst().compactMap { Int($0) }
        XCTAssertEqual(lines.sorted(), Array(0..<500))
    }

    func test_aRecordThatCannotBeWrittenIsNotThere() async throws {
        // The second write takes one byte, and the one after it fails.
        let calls = CallLog { name, number in
            guard name == "write" else { return .proceed }
            return number == 1 ? .limit(1) : number == 2 ? .fail(ENOSPC) : .proceed
        }
        let log = FileAppender(File(folder["log"], calls: calls.calls))
        try await log.append("one\n")
        do {
            try await log.append("two\n")
            XCTFail("It has been written.")
        } catch {
            XCTAssertEqual(error.code, ENOSPC)
        }
        XCTAssertEqual(folder.read("log"), "one\n")
        let size = try await log.append("three\n")
        XCTAssertEqual(size, 10)
        XCTAssertEqual(folder.read("log"), "one\nthree\n")
    }

    func test_afterAFailureOfTheDiskNothingIsAcknowledged() async throws {
        let calls = CallLog { name, number in name == "fsync" && number == 1 ? .fail(EIO) : .proceed }
        let log = FileAppender(File(folder["log"], calls: calls.calls))
        try await log.append("one\n")
        for _ in 0..<2 {
            do {
                try await log.append("two\n")
                XCTFail("It has been acknowledged.")
            } catch {
                XCTAssertEqual(error.code, EIO)
            }
        }
        XCTAssertEqual(folder.read("log"), "one\n")
    }

    func test_halfARecordOfAProcessThatHasDiedIsCutOff() async throws {
        folder.write("one\ntw", to: "log")
        try await FileAppender(File(folder["log"])).append("three\n")
        XCTAssertEqual(folder.read("log"), "one\nthree\n")
        folder.write(String(repeating: "x", count: 200_000), to: "long")
        try await FileAppender(File(folder["long"])).append("one\n")
        XCTAssertEqual(folder.read("long"), "one\n")
        folder.write("ab", to: "binary")
        try await FileAppender(File(folder["binary"]), recordEnd: nil).append("cd")
        XCTAssertEqual(folder.read("binary"), "abcd")
    }

    func test_twoAppendersOfOneFileAreAFailureOfTheSecond() async throws {
        let first = FileAppender(File(folder["log"]))
        try await first.append("one\n")
        do {
            try await FileAppender(File(folder["log"])).append("two\n")
            XCTFail("It has been written.")
        } catch {
            XCTAssertEqual(error.code, EWOULDBLOCK)
        }
        withExtendedLifetime(first) {}
    }

    func test_aLockIsHeldByOneOrShared() throws {
        let lock = try FileLock(File(folder["lock"], permissions: .ownerOnly))
        XCTAssertThrowsError(try FileLock(File(folder["lock"]))) {
            XCTAssertEqual(($0 as? SystemError)?.code, EWOULDBLOCK)
        }
        lock.unlock()
        let shared = try FileLock(File(folder["lock"]), isShared: true)
        _ = try FileLock(File(folder["lock"]), isShared: true)
        withExtendedLifetime(shared) {}
        var status = stat()
        stat(folder["lock"], &status)
        XCTAssertEqual(status.st_mode & 0o777, 0o600)
        XCTAssertThrowsError(try FileLock(.standardInput))
    }
}
