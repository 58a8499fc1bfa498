import Foundation
import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Programs as they meet a terminal, a parent that ignores its children, and each other.
final class CommandWorldTests: XCTestCase {
    private let folder = Folder()

    private func outcome(_ command: Command) async throws -> CommandOutcome {
        try await XCTUnwrapAsync(command.outcome())
    }

    private func probePath() -> String? {
        Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("TrapProbe").path
    }

    private func XCTUnwrapAsync<Value>(_ value: Value?) async throws -> Value { try XCTUnwrap(value) }

    func test_theExitStatusIsKnownWhereChildrenAreIgnored() async throws {
        let before = signal(SIGCHLD, SIG_IGN)
        defer { signal(SIGCHLD, before) }
        for (script, exit) in [
            ("exit 3", CommandExit.status(3)), ("exit 0", .status(0)), ("kill -9 $$", .signal(.kill)),
        ] {
            let outcome = try await outcome(Command("/bin/sh", "-c", script))
            XCTAssertEqual(outcome.exit, exit)
        }
        // The program does not ignore its own either.
        let outcome = try await outcome(Command("/bin/sh", "-c", "grep SigIgn /proc/self/status"))
        let mask = try XCTUnwrap(UInt64(String(outcome.output).split(separator: "\t")[1].dropLast(), radix: 16))
        XCTAssertEqual(mask & (1 << UInt64(SIGCHLD - 1)), 0)
    }

    func test_theProgramIsLookedUpInThePathThatItGets() async throws {
        folder.write("#!/bin/sh\necho found\n", to: "prog-of-a-test")
        chmod(folder["prog-of-a-test"], 0o755)
        mkdir(folder["first"], 0o755)
        folder.write("not executable", to: "first/prog-of-a-test")
        for environment in [
            Command.Environment.adding(["PATH": "\(folder.path):/bin:/usr/bin"]),
            .exactly(["PATH": "/nonexistent:\(folder["first"]):\(folder.path)"]),
        ] {
            let outcome = try await outcome(Command("prog-of-a-test", environment: environment))
            XCTAssertEqual(outcome.output, "found\n")
        }
        // A relative folder is one in the directory of the command.
        let relative = try await outcome(
            Command("prog-of-a-test", environment: .exactly(["PATH": "."]), directory: folder.path))
        XCTAssertEqual(relative.output, "found\n")
        for (path, code) in [(folder["first"], EACCES), ("/nonexistent", ENOENT)] {
            do {
                _ = try await Command("prog-of-a-test", environment: .exactly(["PATH": path])).outcome()
                XCTFail("It has been found.")
            } catch {
                XCTAssertEqual((error as? SystemError)?.code, code)
            }
        }
        let usual = try await outcome(Command("true", environment: .exactly([:])))
        XCTAssertTrue(usual.exit.isSuccess)
    }

    func test_namesAndVariablesNeedNotBeUTF8() async throws {
        let name: [UInt8] = [0x62, 0xFF]
        XCTAssertEqual((Array("\(folder.path)/".utf8) + name + [0]).withCString { mkdir($0, 0o700) }, 0)
        let entries = TestSubscriber<DirectoryEntry, SystemError>.checked(.unlimited)
        Directory(folder.path).entries().subscribe(entries)
        eventually { entries.hasFinished }
        let directory = folder[try XCTUnwrap(entries.values.first?.name)]
        let place = try await outcome(Command("pwd", directory: directory))
        XCTAssertEqual(place.output.dropLast().suffix(2), name[...])
        symlink("/bin/echo", folder["echo"])
        let program = try await outcome(Command("\(directory)/../echo", "found"))
        XCTAssertEqual(program.output, "found\n")
        _ = (Array("HEADGATE_NAME=".utf8) + name + [0]).withCString { putenv(strdup($0)) }
        defer { unsetenv("HEADGATE_NAME") }
        for environment in [Command.Environment.inherited, .adding(["OTHER": "1"])] {
            let variable = try await outcome(
                Command("sh", "-c", "printf %s \"$HEADGATE_NAME\"", environment: environment))
            XCTAssertEqual(Array(variable.output), name)
        }
    }

    func test_aProgramThatIsBeingWrittenIsWaitedFor() async throws {
        let log = CallLog { name, number in name == "posix_spawn" && number < 3 ? .fail(ETXTBSY) : .proceed }
        var command = Command("/bin/echo", "started")
        command.calls = log.calls
        let outcome = try await outcome(command)
        XCTAssertEqual(outcome.output, "started\n")
        XCTAssertEqual(log["posix_spawn"], 4)
        let busy = CallLog { name, _ in name == "posix_spawn" ? .fail(ETXTBSY) : .proceed }
        command.calls = busy.calls
        do {
            _ = try await command.outcome()
            XCTFail("It has been started.")
        } catch {
            XCTAssertEqual((error as? SystemError)?.code, ETXTBSY)
        }
    }

    func test_programsThatAreWrittenAndRunAtOnceStart() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { [directory = folder.path] in
                    for round in 0..<25 {
                        let path = "\(directory)/program \(task) \(round)"
                        _ = await File("/bin/true").bytes().write(to: File(path, permissions: [.all, .ownerExecute]))
                        let outcome = try await Command(path).outcome()
                        XCTAssertEqual(outcome?.exit, .status(0))
                        unlink(path)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    func test_longLinesAreCutOrSkipped() {
        let program = Command("/bin/sh", "-c", "echo one; echo much too long; echo two; printf half")
        for (longLines, unterminated, expected) in [
            (LongLines.cut, UnterminatedLine.deliver, ["one", "much", "two", "half"]),
            (.skip, .drop, ["one", "two"]),
        ] {
            let lines = TestSubscriber<String, CommandFailure>.checked(.unlimited)
            program.lines(maximumLength: 4, longLines: longLines, unterminated: unterminated).subscribe(lines)
            eventually { lines.completion != nil }
            XCTAssertEqual(lines.values, expected)
            XCTAssertTrue(lines.hasFinished)
        }
    }

    func test_aHandleSendsSignalsToTheProgramWhileItRuns() throws {
        let handle = CommandHandle()
        XCTAssertFalse(handle.isRunning)
        XCTAssertFalse(try handle.send(.hangUp))
        let lines = TestSubscriber<String, CommandFailure>.checked(.unlimited)
        Command(
            "/bin/sh", "-c", "trap 'echo reloaded' HUP; trap 'exit 0' USR1; echo ready; while :; do read x; done",
            input: .publisher { Empty(completeImmediately: false) }, handle: handle
        ).lines().subscribe(lines)
        eventually { lines.values == ["ready"] }
        XCTAssertTrue(handle.isRunning)
        XCTAssertEqual(handle.processes.count, 1)
        XCTAssertTrue(try handle.send(.hangUp))
        eventually { lines.values == ["ready", "reloaded"] }
        XCTAssertThrowsError(try handle.send(Signal(1_000)))
        XCTAssertTrue(try handle.send(.user1))
        eventually { lines.hasFinished }
        XCTAssertFalse(handle.isRunning)
        XCTAssertFalse(try handle.send(.hangUp))
    }

    func test_itsInputCanBeThatOfThisProcess() async throws {
        // A shell stands for this process: its input is a file.
        let path = folder.write("from a file\n", to: "input")
        let saved = dup(0)
        let file = Glibc.open(path, O_RDONLY)
        dup2(file, 0)
        defer {
            dup2(saved, 0)
            close(saved)
            close(file)
        }
        let outcome = try await outcome(Command("cat", input: .inherited))
        XCTAssertEqual(outcome.output, "from a file\n")
    }

    func test_aProgramWithoutATerminalFailsWhereItAsks() async throws {
        let outcome = try await outcome(
            Command("/bin/sh", "-c", "ps -o sid= -p $$; echo $$; read answer </dev/tty || echo no terminal"))
        let lines = String(outcome.output).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        XCTAssertEqual(lines.last, "no terminal")
        XCTAssertEqual(lines.first, lines.dropFirst().first, "it leads a session")
    }

    func test_aProgramThatSharesTheTerminalIsInOurGroupAndIsTerminatedAlone() async throws {
        let outcome = try await outcome(Command("/bin/sh", "-c", "ps -o pgid= -p $$", terminal: .shared))
        XCTAssertEqual(String(outcome.output).trimmingCharacters(in: .whitespacesAndNewlines), "\(getpgrp())")
        let events = TestSubscriber<CommandEvent, SystemError>.checked(.unlimited)
        Command("sleep", "1000", terminal: .shared).events().subscribe(events)
        eventually { events.process != nil }
        events.cancel()
        eventually { events.process.map { !isThere($0) } ?? false }
        await Command.allHaveEnded()
    }

    /// With a terminal of its own, which the program `script` makes, a program asks there and gets the answer.
    func test_aProgramAsksAtTheTerminalThatItShares() async throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") else { throw XCTSkip("without python3") }
        let probe = try XCTUnwrap(probePath())
        let script = """
            import os, pty, sys
            process, terminal = pty.fork()
            if process == 0: os.execv(sys.argv[1], sys.argv[1:])
            text = b""
            while b"who?" not in text: text += os.read(terminal, 100)
            os.write(terminal, b"me\\n")
            try:
                while True:
                    more = os.read(terminal, 100)
                    if not more: break
                    text += more
            except OSError: pass
            os.waitpid(process, 0)
            print(text.decode())
            """
        let outcome = try await outcome(Command("/usr/bin/python3", "-c", script, probe, "ask at the terminal"))
        XCTAssertTrue(String(outcome.output).contains("got me"), String(outcome.output) + String(outcome.errors))
    }

    func test_standardStreamsThatAreClosedAreFailuresAndAreNotTakenByOthers() async throws {
        let probe = try XCTUnwrap(probePath())
        for redirection in ["<&-", ">&-"] {
            let outcome = try await outcome(
                Command("/bin/sh", "-c", "echo text | exec \"$0\" 'copy standard input' \(redirection)", probe))
            XCTAssertTrue(String(outcome.errors).contains("Bad file descriptor"), "\(redirection) \(outcome)")
        }
    }

    func test_aProgramWhoseOwnEnvironmentIsClearedAddsToNothing() async throws {
        let before = ProcessInfo.processInfo.environment
        clearenv()
        defer { for (name, value) in before { setenv(name, value, 1) } }
        let outcome = try await Command("/usr/bin/env", environment: .adding(["ADDED": "1"])).outcome()
        XCTAssertEqual(outcome.map { String($0.output) }, "ADDED=1\n")
        let inherited = try await Command("/usr/bin/env").outcome()
        XCTAssertEqual(inherited.map { String($0.output) }, "")
    }

    func test_noDescriptorOfTheLibraryHasTheNumberOfAStandardStream() throws {
        let saved = fcntl(0, F_DUPFD_CLOEXEC, 10)
        close(0)
        defer {
            dup2(saved, 0)
            close(saved)
        }
        let calls = SystemCalls.live
        let file = try calls.open("/dev/null", O_RDONLY)
        XCTAssertGreaterThan(file.number, 2)
        let pipe = try calls.pipe()
        XCTAssertGreaterThan(min(pipe.reading.number, pipe.writing.number), 2)
        XCTAssertGreaterThan(try calls.openInotify().number, 2)
        // No other thread has taken it meanwhile.
        XCTAssertEqual(fcntl(0, F_GETFD), -1)
    }
}

extension [UInt8] {
    /// The bytes, of which the last one is 0, as a C string.
    fileprivate func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self).baseAddress!) }
    }
}
