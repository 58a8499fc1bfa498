import Foundation
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Each call of each source and writer fails once, is interrupted, is not ready, or takes a single byte.
///
/// Whatever fails, the stream ends, what it delivered is the beginning of what was there, and nothing is left open.
final class FaultTests: XCTestCase {
    private let folder = Folder()
    private let content = (0..<40).map { "line \($0)" }
    private var log = FaultLog { _, _ in .proceed }

    override func setUp() {
        super.setUp()
        // The process keeps a few descriptors once it has waited for a connection and for a file.
        forOneEcho(.live, at: .tcp(host: "127.0.0.1", port: 0))
    }

    /// The faults: those of a disk, of a full process, of a pipe or connection, and those that are none.
    private static let verdicts: [SystemCalls.Verdict] =
        [EIO, EINTR, EAGAIN, EMFILE, ENOSPC, EPIPE, ECONNRESET].map { .fail($0) } + [.limit(1)]

    /// Runs a scenario once without a fault, and then once for each of its calls and each fault.
    ///
    /// - Parameters:
    ///   - spared: The calls that fail alone, and not together with others.
    ///   - scenario: Runs to the end of its streams.
    private func forEachFault(
        _ verdicts: [SystemCalls.Verdict] = FaultTests.verdicts, sparing spared: Set<String> = [],
        _ scenario: (SystemCalls) throws -> Void
    ) rethrows {
        log = FaultLog { _, _ in .proceed }
        try scenario(log.calls)
        eventually("what runs has ended") { !hasChildren() }
        let base = openDescriptorCount()
        XCTAssertGreaterThan(log.count, 2)
        for number in 0..<log.count {
            for verdict in verdicts {
                log = FaultLog { _, count in count == number ? verdict : .proceed }
                try scenario(log.calls)
                checkNothingIsLeft(base)
            }
        }
        let end = ContinuousClock.now + .seconds(Self.randomSeconds)
        while ContinuousClock.now < end {
            log = FaultLog { name, _ in
                let isFault = Int.random(in: 0..<10) == 0 && !spared.contains(name)
                return isFault ? verdicts.randomElement() ?? .proceed : .proceed
            }
            try scenario(log.calls)
            checkNothingIsLeft(base)
        }
    }

    /// How long each scenario goes on with several faults at random: as many seconds as the environment says.
    private static let randomSeconds =
        ProcessInfo.processInfo.environment["HEADGATE_FAULT_SECONDS"].flatMap { Int($0) } ?? 0

    private func checkNothingIsLeft(_ base: Int) {
        eventually("\(log) leaves nothing") { openDescriptorCount() <= base && !hasChildren() }
    }

    func test_readingAFile() {
        let path = folder.write(content.joined(separator: "\n"), to: "file")
        for skipped in [0, 1] {
            let start = skipped * "line 0\n".utf8.count
            forEachFault { calls in
                let lines = TestSubscriber<String, SystemError>.checked(.unlimited)
                File(path, calls: calls).bytes(chunkSize: 100, range: start..<Int.max).lines().subscribe(lines)
                eventually("the end after \(log)") { lines.completion != nil }
                let all = content.dropFirst(skipped)
                XCTAssertEqual(lines.values, Array(lines.hasFinished ? all : all.prefix(lines.values.count)), "\(log)")
            }
        }
    }

    func test_writingAFile() {
        for mode in [WritingMode.replace, .overwrite, .append] {
            // What can't be removed stays.
            forEachFault(sparing: ["unlink"]) { calls in
                let path = folder.write("old", to: "file")
                let end = End<Never>()
                content.publisher.map { Bytes($0) }
                    .write(to: File(path, calls: calls), mode: mode, durability: .onDisk, receiveEnd: end.notify)
                let written = end.wait()
                let found = folder.read("file") ?? ""
                let new = content.joined()
                if written?.isComplete ?? false {
                    XCTAssertEqual(written?.bytes, new.utf8.count)
                    XCTAssertEqual(found, mode == .append ? "old" + new : new)
                } else if mode == .replace {
                    // The new content is complete if only its folder could not be synchronized.
                    XCTAssertTrue(found == "old" || found == new, found)
                } else {
                    let begun = found.hasPrefix("old") ? String(found.dropFirst(3)) : found
                    XCTAssertEqual(begun, String(new.prefix(written?.bytes ?? 0)))
                }
                let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
                XCTAssertEqual(files?.filter { $0.hasSuffix(".tmp") }, [], "\(log)")
            }
        }
    }

    func test_runningAProgram() {
        forEachFault { calls in
            var command = Command(
                "cat", input: .bytes(Bytes(content.joined(separator: "\n"))), grace: .milliseconds(5))
            command.calls = calls
            let outcome = TestSubscriber<CommandOutcome, SystemError>.checked(.unlimited)
            command.run().subscribe(outcome)
            eventually("the program has ended after \(log)") { outcome.completion != nil }
            if let outcome = outcome.values.first, outcome.exit.isSuccess {
                let (output, all) = (String(outcome.output), content.joined(separator: "\n"))
                // A program may end without having read its input: that is no failure.
                XCTAssertTrue(output == all || log.has(EPIPE) && all.hasPrefix(output), "\(output) after \(log)")
            }
        }
    }

    func test_runningAProgramThatLeavesAnother() {
        forEachFault([.fail(EIO), .fail(EINTR)]) { calls in
            var command = Command(
                "/bin/sh", "-c", "echo one; sleep 0.01 &", grace: .milliseconds(5), outputGrace: .milliseconds(1))
            command.calls = calls
            let outcome = TestSubscriber<CommandOutcome, SystemError>.checked(.unlimited)
            command.run().subscribe(outcome)
            eventually("the program has ended after \(log)") { outcome.completion != nil }
            if let outcome = outcome.values.first { XCTAssertEqual(outcome.output, "one\n", "\(log)") }
        }
    }

    func test_aConversationOverAConnection() {
        for place in [SocketAddress.tcp(host: "127.0.0.1", port: 0), .unix(path: folder["socket"])] {
            forEachFault { calls in
                forOneEcho(calls, at: place)
            }
        }
    }

    private func forOneEcho(_ calls: SystemCalls, at place: SocketAddress) {
        let listener = Listener(place, calls: calls)
        guard let address = try? listener.bind() else { return }
        let echoing = listener.sink(
            receiveCompletion: { _ in },
            receiveValue: { connection in connection.bytes().write(to: connection) { _ in } })
        let echo = TestSubscriber<String, SystemError>.checked(.unlimited)
        Connection.connect(to: address, calls: calls)
            .flatMap { [content] connection in
                content.publisher.map { Bytes($0 + "\n") }.write(to: connection) { _ in }
                return connection.lines()
            }
            .subscribe(echo)
        eventually("the echo has ended after \(log)") { echo.completion != nil }
        let values = echo.values
        if values != Array(content.prefix(values.count)) {
            // With several faults at once, even the reset after the first may fail, and the end looks like a normal one.
            let last = content[values.count - 1].hasPrefix(values.last ?? "")
            XCTAssertTrue(
                log.faultCount > 1 && last && content.starts(with: values.dropLast()), "\(values) after \(log)")
        }
        echoing.cancel()
    }

    func test_followingAFile() {
        let path = folder.write(content.map { $0 + "\n" }.joined(), to: "file")
        // A file on a disk is always ready.
        forEachFault(Self.verdicts.filter { $0 != .fail(EAGAIN) }) { calls in
            let lines = TestSubscriber<String, SystemError>.checked(.unlimited)
            File(path, calls: calls).follow(from: .beginning, chunkSize: 100).lines().subscribe(lines)
            eventually("everything is there after \(log)") {
                lines.completion != nil || lines.values.count == content.count
            }
            XCTAssertEqual(lines.values, Array(content.prefix(lines.values.count)))
            lines.cancel()
        }
        eventually("nothing is watched any more") { FileWatches.shared.closeUnused() }
    }

    func test_watchingADirectory() {
        forEachFault { calls in
            for path in ["tree", "tree/old"] { mkdir(folder[path], 0o700) }
            let changes = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
            Directory(folder["tree"], calls: calls).changes(recursive: true).subscribe(changes)
            eventually("it watches after \(log)") {
                isWatched(folder["tree"]) && isWatched(folder["tree/old"]) || changes.completion != nil
            }
            mkdir(folder["tree/new"], 0o700)
            eventually("it reports after \(log)") { !changes.values.isEmpty || changes.completion != nil }
            if let change = changes.values.first { XCTAssertEqual(change, .created("new"), "\(log)") }
            for path in ["tree/old", "tree/new", "tree"] { rmdir(folder[path]) }
            eventually("it has ended after \(log)") { changes.completion != nil }
        }
        eventually("nothing is watched any more") { FileWatches.shared.closeUnused() }
    }
}

extension FaultTests {
    func test_appendingRecords() {
        // The disk is always ready.
        forEachFault(Self.verdicts.filter { $0 != .fail(EAGAIN) }) { calls in
            let path = folder.write("old\n", to: "log")
            let outcome = Guarded<(acknowledged: [String], hasEnded: Bool)>(([], false))
            Task {
                let log = FileAppender(File(path, calls: calls))
                for record in ["one", "two", "three"] {
                    let size = try? await log.append(Bytes(record + "\n"))
                    if size != nil { outcome.withLock { $0.acknowledged.append(record) } }
                }
                outcome.withLock { $0.hasEnded = true }
            }
            eventually("all have been answered after \(log)") { outcome.withLock { $0.hasEnded } }
            let acknowledged = outcome.withLock { $0.acknowledged }
            // What can't be cut off stays: then nothing is acknowledged any more.
            let couldNotCut = log.faultCount > 1
            let lines = (folder.read("log") ?? "").split(separator: "\n").dropFirst().map { String($0) }
            if couldNotCut {
                XCTAssertTrue(lines.starts(with: acknowledged), "\(lines) after \(log)")
            } else {
                XCTAssertEqual(lines, acknowledged, "\(log)")
            }
        }
    }

    func test_listingADirectory() {
        let names = ["a", "b", "c"]
        for name in names { folder.write("", to: "listed-" + name) }
        forEachFault { calls in
            let entries = TestSubscriber<DirectoryEntry, SystemError>.checked(.unlimited)
            Directory(folder.path, calls: calls).entries().filter { $0.name.hasPrefix("listed-") }.subscribe(entries)
            eventually("the end after \(log)") { entries.completion != nil }
            if entries.hasFinished { XCTAssertEqual(entries.values.count, names.count, "\(log)") }
            XCTAssertEqual(Set(entries.values).count, entries.values.count)
        }
    }
}

/// Gives calls verdicts, and remembers those that were faults.
private final class FaultLog: Sendable, CustomStringConvertible {
    private let state = Guarded((count: 0, faults: [] as [String]))
    private let verdict: @Sendable (_ name: String, _ count: Int) -> SystemCalls.Verdict

    /// - Parameter verdict: Given the name of a call, and how many there were before.
    init(_ verdict: @escaping @Sendable (_ name: String, _ count: Int) -> SystemCalls.Verdict) {
        self.verdict = verdict
    }

    var count: Int { state.withLock { $0.count } }

    var faultCount: Int { state.withLock { $0.faults.count } }

    /// Whether a call has failed so.
    func has(_ code: Int32) -> Bool { description.contains("\(SystemCalls.Verdict.fail(code))") }

    var description: String {
        state.withLock { $0.faults.isEmpty ? "no fault" : $0.faults.joined(separator: ", ") }
    }

    var calls: SystemCalls {
        SystemCalls { [self] name in
            let count = state.withLock { state in
                defer { state.count += 1 }
                return state.count
            }
            let verdict = possible(verdict(name, count), for: name)
            if verdict != .proceed { state.withLock { $0.faults.append("\(verdict) at \(count), \(name)") } }
            return verdict
        }
    }

    /// What can happen to a call.
    private func possible(_ verdict: SystemCalls.Verdict, for name: String) -> SystemCalls.Verdict {
        guard name == "waitid", verdict != .proceed, verdict != .fail(EINTR) else { return verdict }
        // It fails only where another part of the process has reaped the child, which is what happens here.
        return waitpid(-1, nil, WNOHANG) > 0 ? .fail(ECHILD) : .proceed
    }
}
