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
    private var fault = ""

    override func setUp() {
        super.setUp()
        // The process keeps a few descriptors once it has waited for a connection and for a file.
        forOneEcho(.live, at: .tcp(host: "127.0.0.1", port: 0))
    }

    /// The faults: those of a disk, of a full process, of a connection, and those that are none.
    private static let verdicts: [SystemCalls.Verdict] =
        [EIO, EINTR, EAGAIN, EMFILE, ENOSPC, ECONNRESET].map { .fail($0) } + [.limit(1)]

    /// Runs a scenario once without a fault, and then once for each of its calls and each fault.
    ///
    /// - Parameter scenario: Runs to the end of its streams.
    private func forEachFault(
        _ verdicts: [SystemCalls.Verdict] = FaultTests.verdicts, _ scenario: (SystemCalls) throws -> Void
    ) rethrows {
        let log = FaultLog(at: nil, .proceed)
        try scenario(log.calls)
        eventually("what runs has ended") { !hasChildren() }
        let base = openDescriptorCount()
        XCTAssertGreaterThan(log.count, 2)
        for number in 0..<log.count {
            for verdict in verdicts {
                let faulty = FaultLog(at: number, verdict)
                fault = "\(verdict) at call \(number) of \(log.count)"
                try scenario(faulty.calls)
                eventually("\(fault), \(faulty.name), leaves nothing") {
                    openDescriptorCount() <= base && !hasChildren()
                }
            }
        }
        try forRandomFaults(scenario, base)
    }

    /// Goes on with several faults at random, for as many seconds as the environment says.
    private func forRandomFaults(_ scenario: (SystemCalls) throws -> Void, _ base: Int) rethrows {
        let seconds = ProcessInfo.processInfo.environment["HEADGATE_FAULT_SECONDS"].flatMap { Int($0) } ?? 0
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            let calls = SystemCalls { name in
                name != "waitid" && Int.random(in: 0..<10) == 0 ? Self.verdicts.randomElement() ?? .proceed : .proceed
            }
            try scenario(calls)
            eventually("random faults leave nothing") { openDescriptorCount() <= base && !hasChildren() }
        }
    }

    func test_readingAFile() {
        let path = folder.write(content.joined(separator: "\n"), to: "file")
        forEachFault { calls in
            let lines = TestSubscriber<String, SystemError>.checked(.unlimited)
            File(path, calls: calls).bytes(chunkSize: 100).lines().subscribe(lines)
            eventually { lines.completion != nil }
            if lines.hasFinished {
                XCTAssertEqual(lines.values, content)
            } else {
                XCTAssertEqual(lines.values, Array(content.prefix(lines.values.count)))
            }
        }
    }

    func test_writingAFile() {
        for mode in [WritingMode.replace, .overwrite, .append] {
            forEachFault { calls in
                let path = folder.write("old", to: "file")
                let end = End<Never>()
                content.publisher.map { Bytes($0) }
                    .write(to: File(path, calls: calls), mode: mode, durability: .onDisk, receiveEnd: end.tell)
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
                XCTAssertEqual(files?.filter { $0.hasSuffix(".tmp") }, [])
            }
        }
    }

    func test_runningAProgram() {
        forEachFault([.fail(EINTR), .fail(EMFILE), .limit(1)]) { calls in
            var command = Command(
                "cat", input: .bytes(Bytes(content.joined(separator: "\n"))), grace: .milliseconds(5))
            command.calls = calls
            let outcome = TestSubscriber<CommandOutcome, SystemError>.checked(.unlimited)
            command.run().subscribe(outcome)
            eventually("the program has ended after \(fault)") { outcome.completion != nil }
            if let outcome = outcome.values.first, outcome.exit.isSuccess {
                XCTAssertEqual(String(outcome.output), content.joined(separator: "\n"))
            }
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
        eventually("the echo has ended after \(fault)") { echo.completion != nil }
        XCTAssertEqual(echo.values, Array(content.prefix(echo.values.count)))
        echoing.cancel()
    }

    func test_followingAFile() {
        let path = folder.write(content.map { $0 + "\n" }.joined(), to: "file")
        forEachFault { calls in
            let lines = TestSubscriber<String, SystemError>.checked(.unlimited)
            File(path, calls: calls).follow(from: .beginning, chunkSize: 100).lines().subscribe(lines)
            eventually("everything is there") { lines.completion != nil || lines.values.count == content.count }
            XCTAssertEqual(lines.values, Array(content.prefix(lines.values.count)))
            lines.cancel()
        }
    }

    func test_watchingADirectory() {
        forEachFault { calls in
            let path = folder["tree"]
            mkdir(path, 0o700)
            let changes = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
            Directory(path, calls: calls).changes(recursive: true).subscribe(changes)
            // It ends with the directory, whether it has begun to watch or not.
            rmdir(path)
            eventually("it has ended after \(fault)") { changes.completion != nil }
        }
    }
}

/// Gives one call, by its number, a verdict.
private final class FaultLog: Sendable {
    private let state = Guarded((count: 0, name: ""))
    private let number: Int?
    private let verdict: SystemCalls.Verdict

    init(at number: Int?, _ verdict: SystemCalls.Verdict) {
        self.number = number
        self.verdict = verdict
    }

    var count: Int { state.withLock { $0.count } }

    /// The name of the call.
    var name: String { state.withLock { $0.name } }

    var calls: SystemCalls {
        SystemCalls { [self] name in
            let isIt = state.withLock { state in
                defer { state.count += 1 }
                if state.count == number { state.name = name }
                return state.count == number
            }
            // The child is there, and this process its parent: only an interruption is possible.
            let isPossible = name != "waitid" || verdict == .fail(EINTR)
            return isIt && isPossible ? verdict : .proceed
        }
    }
}
