import Foundation
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// A signal may interrupt any call: each fails with `EINTR` twice here, and what it is for comes about all the same.
final class InterruptedCallsTests: XCTestCase {
    private let folder = Folder()
    private let log = CallLog { _, number in number < 2 ? .fail(EINTR) : .proceed }

    func test_everyCallOfTheProductIsMadeAgain() async throws {
        try readAndWriteFiles()
        try await appendAndLock()
        try listAFolder()
        followAndWatch()
        runPrograms()
        try connect()
        // Waiting for signals is done by one thread for the whole process, on which no test stands in between.
        let expected = try callsInTheSources().subtracting(["sem_wait"])
        XCTAssertGreaterThan(expected.count, 30)
        XCTAssertEqual(expected.subtracting(log.names), [], "these are not interrupted here")
        // Closing is not repeated: the number is free by then, and may be somebody else's.
        XCTAssertTrue(log.names.contains("close"))
    }

    /// The names by which the sources make calls.
    private func callsInTheSources() throws -> Set<String> {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        folder.appendPathComponent("Sources/HeadgateSystem")
        var names: Set<String> = []
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        for case let file as URL in try XCTUnwrap(files) where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            names.formUnion(text.matches(of: /\b(?:perform|call)\(\s*"(\w+)"/).map { String($0.1) })
        }
        return names
    }

    private func readAndWriteFiles() throws {
        let path = folder.write("abcdefgh", to: "file")
        let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        File(path, calls: log.calls).bytes(range: 1..<6).subscribe(reader)
        eventually("the file is read") { reader.hasFinished }
        XCTAssertEqual(reader.text, "bcdef")
        XCTAssertEqual(write("new", to: File(path, calls: log.calls)), .finished(bytes: 3))
        XCTAssertEqual(folder.read("file"), "new")
        let failing = End<SystemError>()
        Fail<Bytes, SystemError>(error: SystemError(call: "test", code: EIO))
            .write(to: File(path, calls: log.calls), mode: .replace, receiveEnd: failing.notify)
        XCTAssertEqual(failing.wait(), .upstreamFailed(SystemError(call: "test", code: EIO), bytes: 0))
        XCTAssertEqual(folder.read("file"), "new")

        // A pipe that can't be opened once more is looked at before each call.
        let pipe = try log.calls.pipe()
        let cautious = CallLog { call, number in
            call == "open" ? .fail(EACCES) : number < 2 ? .fail(EINTR) : .proceed
        }
        let output = File(standardStream: pipe.writing.number, name: "standard output", calls: cautious.calls)
        XCTAssertEqual(write("text", to: output), .finished(bytes: 4))
        try pipe.writing.close()
        let input = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        File(standardStream: pipe.reading.number, name: "standard input", calls: cautious.calls).bytes()
            .subscribe(input)
        eventually("the pipe is read") { input.hasFinished }
        XCTAssertEqual(input.text, "text")
        XCTAssertGreaterThan(cautious["poll"], 2)
        _ = try log.calls.readyEvents(of: pipe.reading, among: Int32(POLLIN))
    }

    private func appendAndLock() async throws {
        let path = folder.write("whole\nhal", to: "records")
        let size = try await FileAppender(File(path, calls: log.calls)).append("new\n")
        XCTAssertEqual(size, 10)
        XCTAssertEqual(folder.read("records"), "whole\nnew\n")
        try FileLock(File(folder["lock"], calls: log.calls)).unlock()
        // Of another owner, where this process may make one.
        _ = chown(folder["file"], 65_534, 65_534)
        let end = End<Never>()
        Just(Bytes("newer")).write(to: File(folder["file"], calls: log.calls), mode: .replace, receiveEnd: end.notify)
        XCTAssertEqual(end.wait(), .finished(bytes: 5))
        _ = try? log.calls.setOwner(getuid(), group: getgid(), of: log.calls.open(path, O_RDONLY))
    }

    private func listAFolder() throws {
        symlink("file", folder["link"])
        let entries = TestSubscriber<DirectoryEntry, SystemError>.checked(.unlimited)
        Directory(folder.path, calls: log.calls).entries().subscribe(entries)
        eventually("everything is listed") { entries.hasFinished }
        XCTAssertTrue(entries.values.contains(DirectoryEntry(name: "link", kind: .link)))
        XCTAssertEqual(try log.calls.target(ofLink: folder["link"]), "file")
    }

    private func write(_ text: String, to file: File) -> Written<Never>? {
        let end = End<Never>()
        Just(Bytes(text)).write(to: file, mode: .replace, durability: .onDisk, receiveEnd: end.notify)
        return end.wait()
    }

    private func followAndWatch() {
        eventually { FileWatches.shared.closeUnused() }
        let follower = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        File(folder.write("one", to: "log"), calls: log.calls).follow(from: .beginning).subscribe(follower)
        eventually("the file is followed") { follower.text == "one" }
        follower.cancel()
        let watcher = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
        mkdir(folder["tree"], 0o700)
        Directory(folder["tree"], calls: log.calls).changes(recursive: true).subscribe(watcher)
        eventually("the folder is watched") { isWatched(folder["tree"]) && log["opendir"] > 2 }
        folder.write("", to: "tree/new")
        eventually("the change is told") { watcher.values.first == .created("new") }
        watcher.cancel()
    }

    private func runPrograms() {
        let clock = TestScheduler()
        // Somebody keeps the pipe, so that it is asked how much is in it when the grace is over.
        var command = Command("/bin/sh", "-c", "cat; sleep 1000 & exit 0", input: .bytes("text"), scheduler: clock)
        command.calls = log.calls
        let subscriber = TestSubscriber<CommandEvent, SystemError>.checked(.unlimited)
        command.events().subscribe(subscriber)
        eventually("the grace is over") {
            clock.advance(by: 1)
            return subscriber.completion != nil
        }
        XCTAssertEqual(subscriber.text.output, "text")
        XCTAssertEqual(subscriber.exit, .status(0))
        let handle = CommandHandle()
        var sleeping = Command("sleep", "1000", handle: handle)
        sleeping.calls = log.calls
        let second = TestSubscriber<CommandEvent, SystemError>.checked(.unlimited)
        sleeping.events().subscribe(second)
        eventually("it runs") { second.process != nil }
        XCTAssertEqual(try? handle.send(.continue), true)
        second.cancel()
        eventually("it has ended") { second.process.map { !isThere($0) } ?? false }
        if let group = subscriber.process { kill(-group, SIGKILL) }
    }

    private func connect() throws {
        _ = try Listener(.unix(path: folder["socket"]), permissions: .ownerOnly, calls: log.calls).bind()
        let options = SocketOptions(keepAlive: KeepAlive(), sendBufferSize: 1 << 16, receiveBufferSize: 1 << 16)
        let (server, client) = try TestServer(.tcp, options: options, calls: log.calls)
            .connect(log.calls, options: options)
        let end = End<Never>()
        Just(Bytes("text")).write(to: client, stallLimit: StallLimit(.seconds(100)), receiveEnd: end.notify)
        let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        server.bytes().subscribe(reader)
        eventually("the text arrives") { reader.hasFinished }
        XCTAssertEqual(reader.text, "text")
        XCTAssertEqual(end.wait(), .finished(bytes: 4))
    }
}
