import Glibc
import HeadgateSystem
import XCTest

final class RunManyTests: XCTestCase {
    private let folder = Folder()

    /// The numbers of the processes that commands have told of, as lines "COMMAND: NUMBER".
    private func processes(in output: String) -> [pid_t] {
        output.split(separator: "\n").compactMap { $0.split(separator: " ").last.flatMap { pid_t($0) } }
    }

    private func isGone(_ process: pid_t) -> Bool {
        guard kill(process, 0) == 0, let file = fopen("/proc/\(process)/stat", "r") else { return true }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        fgets(&line, Int32(line.count), file)
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // A zombie has ended.
        return text.split(separator: ")").last?.hasPrefix(" Z") ?? true
    }

    func test_leavesNoChildBehindWhateverSignalEndsIt() {
        let jobs = folder.write(
            """
            echo $$; sleep 1000
            echo $$; trap '' TERM; while :; do sleep 0.01; done
            echo $$; sleep 1000 & echo $!; wait
            """, to: "jobs")
        for signal in [Signal.interrupt, .terminate, .hangUp] {
            let example = Example("runmany", "--grace", "0.5", jobs)
            eventually { processes(in: example.output).count == 4 }
            let children = processes(in: example.output)
            example.signal(signal)
            XCTAssertEqual(example.awaitEnd(), .status(128 + signal.number))
            XCTAssertTrue(example.output.contains("-- 0 succeeded, 3 did not"), example.output)
            for child in children { eventually("\(child) is gone") { isGone(child) } }
        }
    }

    func test_endsAtOnceWhileItWaitsForCommands() {
        let example = Example("runmany", input: .publisher { Empty<Bytes, SystemError>(completeImmediately: false) })
        example.awaitReadiness(for: .interrupt)
        example.signal(.interrupt)
        XCTAssertEqual(example.awaitEnd(), .status(130))
    }

    func test_leavesNoChildBehindWhenNobodyReadsItsOutput() {
        let jobs = folder.write("echo $$ >\(folder["pid"]); while :; do echo more; sleep 0.01; done", to: "jobs")
        let example = Example("runmany", inShell: "\"$0\" \"$1\" | head -n 1", jobs)
        XCTAssertEqual(example.awaitEnd(), .status(0))
        XCTAssertEqual(example.output, "1: more\n")
        let child = pid_t(folder.read("pid")?.dropLast() ?? "") ?? 0
        XCTAssertGreaterThan(child, 0)
        eventually { isGone(child) }
    }

    func test_leavesNoChildBehindWhenItsOutputCannotBeWritten() {
        let jobs = folder.write("echo $$ >\(folder["pid"]); echo one; sleep 1000", to: "jobs")
        let example = Example("runmany", inShell: "\"$0\" \"$1\" >/dev/full", jobs)
        XCTAssertEqual(example.awaitEnd(), .status(1))
        eventually { isGone(pid_t(folder.read("pid")?.dropLast() ?? "") ?? 0) }
    }

    func test_runsNoMoreAtOnceThanConfigured() {
        let job = "mkdir \(folder["lock"]) && sleep 0.01 && rmdir \(folder["lock"])\n"
        let alone = Example("runmany", "--at-once", "1", folder.write(String(repeating: job, count: 5), to: "jobs"))
        XCTAssertEqual(alone.awaitEnd(), .status(0))
        XCTAssertEqual(alone.output, "-- 5 succeeded, 0 did not\n")
        // Two that wait for each other have to run at the same time.
        let meeting = "echo x >\(folder["pipe"])\nread x <\(folder["pipe"])\n"
        mkfifo(folder["pipe"], 0o600)
        let together = Example("runmany", "--at-once", "2", folder.write(meeting, to: "jobs"))
        XCTAssertEqual(together.awaitEnd(), .status(0))
    }

    func test_triesAgainAndReportsWhatHasFailed() {
        let job = "echo x >>\(folder["log"]); [ $(wc -l <\(folder["log"])) -ge 3 ]\nexit 3\n"
        let example = Example(
            "runmany", "--at-once", "1", "--retries", "2", "--back-off", "0.001", folder.write(job, to: "jobs"))
        XCTAssertEqual(example.awaitEnd(), .status(1))
        XCTAssertTrue(
            example.output.hasSuffix("-- 1 succeeded, 1 did not\n-- 2 exit status 3 after 3 attempts: exit 3\n"),
            example.output)
    }

    func test_mistakesOnTheCommandLineAreReported() {
        let example = Example("runmany", "--at-once", "0")
        XCTAssertEqual(example.awaitEnd(), .status(2))
        XCTAssertTrue(example.errors.hasPrefix("runmany: --at-once takes a number from 1 to 10000"), example.errors)
    }
}
