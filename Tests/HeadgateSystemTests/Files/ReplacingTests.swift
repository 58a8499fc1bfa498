import Foundation
import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// What a file that is replaced has of the old one, and names that are no text.
final class ReplacingTests: XCTestCase {
    private let folder = Folder()

    private func write(_ text: String, to file: File, mode: WritingMode = .replace) -> Written<Never>? {
        let end = End<Never>()
        Just(Bytes(text)).write(to: file, mode: mode, receiveEnd: end.notify)
        return end.wait()
    }

    private func status(_ name: String) -> stat {
        var status = stat()
        lstat(folder[name], &status)
        return status
    }

    func test_aLinkThatLeadsToNothingCreatesItsTarget() {
        mkdir(folder["real"], 0o700)
        symlink("real/new", folder["link"])
        XCTAssertEqual(write("text", to: File(folder["link"])), .finished(bytes: 4))
        XCTAssertEqual(status("link").st_mode & S_IFMT, S_IFLNK)
        XCTAssertEqual(folder.read("real/new"), "text")
        symlink("nowhere/new", folder["broken"])
        guard case .failed(let error, _) = write("text", to: File(folder["broken"])) else { return XCTFail("written") }
        XCTAssertEqual(error.code, ENOENT)
        XCTAssertEqual(status("broken").st_mode & S_IFMT, S_IFLNK)
        symlink("loop", folder["loop"])
        guard case .failed(let error, _) = write("text", to: File(folder["loop"])) else { return XCTFail("written") }
        XCTAssertEqual(error.code, ELOOP)
    }

    func test_theOwnerTheGroupAndThePermissionsStay() throws {
        folder.write("old", to: "file")
        if getuid() == 0 { chown(folder["file"], 65_534, 65_533) }
        chmod(folder["file"], 0o4751)
        XCTAssertEqual(write("new", to: File(folder["file"])), .finished(bytes: 3))
        XCTAssertEqual(status("file").st_mode & 0o7777, 0o4751)
        if getuid() == 0 {
            XCTAssertEqual(status("file").st_uid, 65_534)
            XCTAssertEqual(status("file").st_gid, 65_533)
        }
        // Somebody who may not give it away.
        let log = CallLog { name, _ in name == "fchown" ? .fail(EPERM) : .proceed }
        chmod(folder["file"], 0o4751)
        if getuid() == 0 {
            XCTAssertEqual(write("new", to: File(folder["file"], calls: log.calls)), .finished(bytes: 3))
            XCTAssertEqual(status("file").st_mode & 0o7777, 0o751)
        }
    }

    func test_aProcessThatDiesLeavesNothing() {
        folder.write("old", to: "file")
        let upstream = TestPublisher<Bytes, Never>()
        let log = CallLog()
        upstream.write(to: File(folder["file"], calls: log.calls), mode: .replace) { _ in }
        eventually { upstream.outstanding > .none }
        upstream.send("new")
        eventually { log["write"] == 1 }
        // What is there now is what would be left.
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), ["file"])
        upstream.finish()
        eventually { self.folder.read("file") == "new" }
    }

    func test_aFileSystemWithoutUnnamedFilesHasATemporaryName() {
        folder.write("old", to: "file")
        let log = CallLog { name, number in name == "open" && number == 0 ? .fail(EOPNOTSUPP) : .proceed }
        XCTAssertEqual(write("new", to: File(folder["file"], calls: log.calls)), .finished(bytes: 3))
        XCTAssertEqual(folder.read("file"), "new")
        XCTAssertEqual(log["linkat"], 0)
    }

    func test_aNewFileHasThePermissionsThatAreRequested() {
        for mode in [WritingMode.replace, .overwrite, .append, .create] {
            XCTAssertEqual(
                write("secret", to: File(folder["\(mode)"], permissions: .ownerOnly), mode: mode), .finished(bytes: 6))
            XCTAssertEqual(status("\(mode)").st_mode & 0o777, 0o600)
        }
    }

    func test_whatHasNoDiskIsWrittenDurablyAllTheSame() {
        let end = End<Never>()
        Just(Bytes("text")).write(to: File("/dev/null"), durability: .onDisk, receiveEnd: end.notify)
        XCTAssertEqual(end.wait(), .finished(bytes: 4))
    }

    func test_aNameThatIsNotUTF8CanBeOpenedAgain() {
        let raw: [[UInt8]] = [[0x66, 0xFF, 0x2E, 0x6C], [0xC3, 0x28], [0xF4, 0x8F, 0xBA, 0x80], [0xC3, 0xA9, 0x80]]
        for (number, bytes) in raw.enumerated() {
            let path = Array("\(folder.path)/".utf8) + bytes + [0]
            let descriptor = path.withUnsafeBufferPointer { buffer in
                buffer.withMemoryRebound(to: CChar.self) { Glibc.open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600) }
            }
            _ = "\(number)".withCString { Glibc.write(descriptor, $0, 1) }
            close(descriptor)
        }
        let entries = TestSubscriber<DirectoryEntry, SystemError>.checked(.unlimited)
        Directory(folder.path).entries().subscribe(entries)
        eventually { entries.hasFinished }
        XCTAssertEqual(Set(entries.values.map(\.name)).count, raw.count)
        var contents: Set<String> = []
        for entry in entries.values {
            let lines = TestSubscriber<String, SystemError>.checked(.unlimited)
            File(folder[entry.name]).bytes().lines().subscribe(lines)
            eventually { lines.completion != nil }
            contents.formUnion(lines.values)
        }
        XCTAssertEqual(contents, ["0", "1", "2", "3"])
    }
}
