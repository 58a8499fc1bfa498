import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Whether a process is there, a zombie included.
func isThere(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

/// Kills a process that a test has started; fails the test where there is none.
///
/// `kill(0, SIGKILL)` would kill the tests and what runs them, without a word.
func killProcess(_ process: pid_t?) {
    guard let process, process > 1 else { return XCTFail("There is no process to be killed.") }
    kill(process, SIGKILL)
}

/// Whether this process has children, running or ended.
func hasChildren() -> Bool {
    var information = siginfo_t()
    return waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) == 0
}

extension TestSubscriber where Input == CommandEvent {
    /// The number of the program, once it has started.
    var process: pid_t? {
        for case .started(let process) in values { return process }
        return nil
    }

    /// What has come out of both pipes.
    var text: (output: String, errors: String) {
        var (output, errors) = ("", "")
        for value in values {
            if case .output(let bytes) = value { output += String(bytes) }
            if case .errors(let bytes) = value { errors += String(bytes) }
        }
        return (output, errors)
    }

    /// How it has ended.
    var exit: CommandExit? {
        if case .exited(let exit) = values.last { return exit }
        return nil
    }
}

final class CommandTests: XCTestCase {
    private let folder = Folder()

    private func events(
        _ command: Command, _ script: DemandScript = .unlimited, chunkSize: Int = 1 << 16, stop: KillSwitch? = nil
    ) -> TestSubscriber<CommandEvent, SystemError> {
        let subscriber = TestSubscriber<CommandEvent, SystemError>.checked(script)
        command.events(chunkSize: chunkSize, stop: stop).subscribe(subscriber)
        return subscriber
    }

    private func allEvents(_ command: Command) -> TestSubscriber<CommandEvent, SystemError> {
        let subscriber = events(command)
        eventually { subscriber.completion != nil }
        return subscriber
    }

    private func shell(_ script: String, _ arguments: String..., input: Command.Input = .none) -> Command {
        Command("/bin/sh", arguments: ["-c", script, "sh"] + arguments, input: input)
    }

    private func shell(_ script: String, clock: TestScheduler) -> Command {
        Command("/bin/sh", "-c", script, scheduler: clock)
    }

    private func with(_ calls: SystemCalls, _ command: Command) -> Command {
        var command = command
        command.calls = calls
        return command
    }

    func test_publishesTheLinesOfAProgramAndFinishes() {
        let subscriber = TestSubscriber<String, CommandFailure>.checked(.unlimited)
        Command("printf", "one\ntwo\nthree").lines().subscribe(subscriber)
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values, ["one", "two", "three"])
    }

    func test_reportsStartOutputErrorsAndEnd() {
        let subscriber = allEvents(shell("echo out; echo err >&2; exit 3"))
        XCTAssertNotNil(subscriber.process)
        XCTAssertEqual(subscriber.text.output, "out\n")
        XCTAssertEqual(subscriber.text.errors, "err\n")
        XCTAssertEqual(subscriber.exit, .status(3))
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(allEvents(shell("kill -9 $$")).exit, .signal(.kill))
        XCTAssertEqual(allEvents(Command("/bin/true")).exit, .status(0))
    }

    func test_anEndWithoutSuccessIsAFailureOfTheOutputAfterAllOfIt() {
        let lines = TestSubscriber<String, CommandFailure>.checked(.unlimited)
        shell("echo one; printf two; exit 3").lines().subscribe(lines)
        eventually { lines.completion != nil }
        XCTAssertEqual(lines.values, ["one", "two"])
        XCTAssertEqual(
            lines.failure, .exited(.status(3), command: "/bin/sh -c echo one; printf two; exit 3 sh"))
        let bytes = TestSubscriber<Bytes, CommandFailure>.checked(.unlimited)
        Command("false").bytes().subscribe(bytes)
        eventually { bytes.completion != nil }
        XCTAssertEqual(bytes.failure, .exited(.status(1), command: "false"))
        XCTAssertEqual(bytes.failure?.description, "false: exit status 1")
    }

    func test_errorsGoWhereTheyAreSent() {
        for (errors, expected) in [(Command.Errors.merged, ["out", "err"]), (.discarded, ["out"])] {
            let subscriber = TestSubscriber<String, CommandFailure>.checked(.unlimited)
            shell("echo out; echo err >&2").lines(errors: errors).subscribe(subscriber)
            eventually { subscriber.completion != nil }
            XCTAssertEqual(subscriber.values, expected)
        }
    }

    func test_runsAProgramToItsEnd() async throws {
        let outcome = try await shell("cat; echo err >&2; exit 7", input: .bytes("text")).outcome()
        XCTAssertEqual(outcome, CommandOutcome(exit: .status(7), output: "text", errors: "err\n"))
        let subscriber = TestSubscriber<CommandOutcome, SystemError>.checked(.first(1))
        Command("echo", "x").run().subscribe(subscriber)
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values.map(\.output), ["x\n"])
    }

    func test_moreOutputThanTheLimitOfARunIsAFailureAndEndsTheProgram() async {
        let subscriber = TestSubscriber<CommandOutcome, SystemError>.checked(.unlimited)
        Command("yes").run(maximumLength: 100_000).subscribe(subscriber)
        eventually { subscriber.completion != nil }
        XCTAssertEqual(
            subscriber.failure, SystemError(call: "run", code: EMSGSIZE, subject: "yes (more than 100000 bytes)"))
        await Command.allHaveEnded()
        XCTAssertFalse(hasChildren())
    }

    func test_aProgramThatIsNotThereIsAFailure() {
        let before = openDescriptorCount()
        XCTAssertEqual(
            allEvents(Command("no-such-program")).failure,
            SystemError(call: "posix_spawn", code: ENOENT, subject: "no-such-program"))
        XCTAssertEqual(
            allEvents(Command("true", directory: "/no/such/folder")).failure,
            SystemError(call: "chdir", code: ENOENT, subject: "/no/such/folder"))
        let file = folder.write("text", to: "file")
        XCTAssertEqual(
            allEvents(Command(file)).failure, SystemError(call: "posix_spawn", code: EACCES, subject: file))
        let lines = TestSubscriber<String, CommandFailure>.checked(.unlimited)
        Command("no-such-program").lines().subscribe(lines)
        eventually { lines.completion != nil }
        XCTAssertEqual(
            lines.failure, .system(SystemError(call: "posix_spawn", code: ENOENT, subject: "no-such-program")))
        eventually { openDescriptorCount() <= before }
    }

    func test_hasItsArgumentsVariablesAndFolder() {
        XCTAssertEqual(allEvents(shell("echo \"$2,$1\"", "a b", "*")).text.output, "*,a b\n")
        setenv("HEADGATE_TEST", "ours", 1)
        defer { unsetenv("HEADGATE_TEST") }
        let script = "echo $HEADGATE_TEST $OTHER ${HOME:+home}"
        setenv("HOME", "/", 0)
        for (environment, expected) in [
            (.inherited, "ours home"), (.adding(["OTHER": "1", "HEADGATE_TEST": "theirs"]), "theirs 1 home"),
            (.exactly(["OTHER": "2"]), "2"),
        ] as [(Command.Environment, String)] {
            XCTAssertEqual(
                allEvents(Command("/bin/sh", "-c", script, environment: environment)).text.output, expected + "\n")
        }
        XCTAssertEqual(allEvents(Command("pwd", directory: "/usr")).text.output, "/usr\n")
    }

    func test_readsWhatItIsGiven() {
        XCTAssertEqual(allEvents(Command("cat")).text.output, "")
        XCTAssertEqual(allEvents(Command("cat", input: .bytes("a text"))).text.output, "a text")
        let count = 300_000
        let path = folder.write([UInt8](repeating: 0x61, count: count), to: "file")
        let counted = allEvents(Command("wc", "-c", input: .publisher { File(path).bytes(chunkSize: 1000) }))
        XCTAssertEqual(counted.text.output, "\(count)\n")
        // The command may be started once more, and reads the input once more.
        let command = Command("cat", input: .publisher { File(path).bytes() })
        for _ in 0..<2 { XCTAssertEqual(allEvents(command).text.output.utf8.count, count) }
    }

    func test_inputIsRequestedOnlyAsFastAsItIsRead() {
        let input = TestPublisher<Bytes, SystemError>()
        let command = Command(
            "/bin/sh", "-c", "read line; echo $line; kill -STOP $$",
            input: .publisher { [input = Unshared(input)] in input.value })
        let subscriber = events(command)
        eventually { input.outstanding > .none }
        let chunk = Bytes(repeatElement(0x61, count: 1 << 16))
        input.send(Bytes("one\n" + String(chunk)))
        eventually { subscriber.text.output == "one\n" }
        var sent = 0
        while waitUntil(timeout: 300, { input.outstanding > .none }), sent < 100 {
            input.send(chunk)
            sent += 1
        }
        XCTAssertLessThan(sent, 10)
        subscriber.cancel()
        eventually { input.cancelCount == 1 }
    }

    func test_aProgramThatDoesNotWantItsInputCancelsIt() {
        let input = TestPublisher<Bytes, SystemError>()
        let subscriber = events(
            Command(
                "/bin/sh", "-c", "exec <&-; echo closed; read x <&1",
                input: .publisher { [input = Unshared(input)] in input.value }))
        eventually { subscriber.text.output == "closed\n" }
        eventually { input.outstanding > .none || input.cancelCount > 0 }
        input.send("text")
        eventually { input.cancelCount == 1 }
        subscriber.cancel()
    }

    func test_aFailureOfTheInputEndsTheProgramAndIsTheStreams() {
        let input = TestPublisher<Bytes, SystemError>()
        let subscriber = events(Command("cat", input: .publisher { [input = Unshared(input)] in input.value }))
        eventually { input.outstanding > .none }
        input.send("part")
        eventually { subscriber.text.output == "part" }
        let failure = SystemError(call: "read", code: EIO, subject: "disk")
        input.send(completion: .failure(failure))
        eventually { subscriber.completion != nil }
        XCTAssertEqual(subscriber.failure, failure)
    }

    func test_aFailureOfTheInputIsKnownBeforeTheProgramCanInferFromItsEnd() {
        let ending = Guarded<(() -> Void)?>(nil)
        let log = CallLog { name, _ in
            if name == "close" { ending.withLock { $0.take() }?() }
            return .proceed
        }
        let input = TestPublisher<Bytes, SystemError>()
        let source = Command("cat", input: .publisher { [input = Unshared(input)] in input.value })
        let subscriber = events(with(log.calls, source))
        eventually { input.outstanding > .none && subscriber.process != nil }
        // Where its input is closed first, the program is gone before its failure is known.
        ending.withLock {
            $0 = { [subscriber = Unshared(subscriber)] in
                killProcess(subscriber.value.process)
                for _ in 0..<200 where subscriber.value.completion == nil { usleep(5000) }
            }
        }
        input.send(completion: .failure(SystemError(call: "read", code: EIO, subject: "disk")))
        eventually { subscriber.completion != nil }
        XCTAssertEqual(subscriber.failure?.code, EIO)
    }

    func test_startsNothingAndReadsNothingWithoutDemand() {
        let log = CallLog()
        let subscriber = events(with(log.calls, Command("yes")), .none, chunkSize: 1024)
        XCTAssertEqual(log.names, [])
        subscriber.request(.max(1))
        eventually { subscriber.process != nil }
        guard let process = subscriber.process else { return }
        // It fills the pipe and waits in its own write.
        eventually { state(of: process) == "S" }
        XCTAssertEqual(log["read"], 0)
        subscriber.request(.max(3))
        eventually { subscriber.values.count == 4 }
        XCTAssertLessThanOrEqual(log["read"], 6)
        XCTAssertEqual(subscriber.text.output.utf8.count, 3072)
        subscriber.cancel()
        eventually { !isThere(process) }
    }

    func test_bothPipesAreReadAtOnceHoweverFullOneIs() {
        let count = 1 << 20
        let script = "head -c \(count) /dev/zero >&2; head -c \(count) /dev/zero; head -c \(count) /dev/zero >&2"
        let subscriber = events(shell(script), .oneByOne)
        eventually { subscriber.completion != nil }
        XCTAssertEqual(subscriber.text.output.utf8.count, count)
        XCTAssertEqual(subscriber.text.errors.utf8.count, 2 * count)
        XCTAssertEqual(subscriber.exit, .status(0))
    }

    func test_cancelEndsTheWholeGroup() {
        let subscriber = events(shell("sleep 1000 & echo $!; wait"))
        eventually { subscriber.text.output.hasSuffix("\n") }
        guard let process = subscriber.process, let second = pid_t(subscriber.text.output.dropLast()) else {
            return XCTFail("\(subscriber.values)")
        }
        XCTAssertEqual(getpgid(process), process)
        XCTAssertEqual(getpgid(second), process)
        subscriber.cancel()
        eventually { !isThere(process) && (!isThere(second) || state(of: second) == "Z") }
        XCTAssertNil(subscriber.completion)
    }

    func test_releasingTheSubscriptionEndsTheProgram() {
        var subscription: (any Subscription)?
        let process = Guarded<pid_t>(0)
        Command("sleep", "1000").events().subscribe(
            AnySubscriber(
                receiveSubscription: { subscription = $0 },
                receiveValue: { event in
                    if case .started(let number) = event { process.withLock { $0 = number } }
                    return .none
                }))
        subscription?.request(.max(5))
        eventually { process.withLock { $0 } > 0 }
        subscription = nil
        eventually { !isThere(process.withLock { $0 }) }
    }

    func test_whoTakesNoNoticeIsKilledAfterTheGrace() {
        let clock = TestScheduler()
        let subscriber = events(shell("trap '' TERM; echo ready; while :; do sleep 0.01; done", clock: clock))
        eventually { subscriber.text.output == "ready\n" }
        guard let process = subscriber.process else { return }
        subscriber.cancel()
        eventually { clock.scheduledCount > 0 }
        clock.advance(by: 4.9)
        XCTAssertTrue(isThere(process))
        eventually {
            clock.advance(by: 0.2)
            return !isThere(process)
        }
    }

    func test_whoIsLeftOfTheGroupIsKilledAfterTheGrace() async {
        let clock = TestScheduler()
        let script = "(trap '' TERM; echo $(exec sh -c 'echo $PPID'); while :; do sleep 0.01; done) & wait"
        let subscriber = events(shell(script, clock: clock))
        eventually { subscriber.text.output.hasSuffix("\n") }
        guard let process = subscriber.process, let second = pid_t(subscriber.text.output.dropLast()) else {
            return XCTFail("\(subscriber.values)")
        }
        subscriber.cancel()
        eventually { !isThere(process) }
        XCTAssertTrue(isThere(second))
        eventually {
            clock.advance(by: 1)
            return !isThere(second) || state(of: second) == "Z"
        }
        await Command.allHaveEnded()
    }

    func test_aStoppedProgramSaysNothingAndCanBeEnded() {
        let subscriber = events(shell("while read line; do echo $line; done", input: .bytes("one\n")))
        let stopped = events(shell("echo ready; while :; do sleep 0.01; done"))
        eventually { stopped.text.output == "ready\n" }
        guard let process = stopped.process else { return }
        kill(process, SIGSTOP)
        eventually { state(of: process) == "T" }
        // Others go on meanwhile.
        eventually { subscriber.hasFinished }
        XCTAssertNil(stopped.completion)
        stopped.cancel()
        eventually { !isThere(process) }
    }

    func test_aStoppedProgramGoesOnWhereItWas() {
        let subscriber = events(shell("echo one; kill -STOP $$; echo two"))
        eventually { subscriber.process.map { state(of: $0) == "T" } ?? false }
        eventually { subscriber.text.output == "one\n" }
        XCTAssertNil(subscriber.completion)
        subscriber.process.map { _ = kill($0, SIGCONT) }
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.text.output, "one\ntwo\n")
    }

    func test_aGrandchildThatKeepsThePipeDoesNotHangTheStream() {
        let clock = TestScheduler()
        let subscriber = events(shell("echo one; sleep 1000 & echo $!", clock: clock))
        eventually { clock.scheduledCount == 1 }
        XCTAssertNil(subscriber.completion)
        clock.advance(by: 0.9)
        XCTAssertNil(subscriber.completion)
        clock.advance(by: 0.2)
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.exit, .status(0))
        let second = pid_t(subscriber.text.output.split(separator: "\n").last ?? "")
        XCTAssertTrue(second.map(isThere) ?? false, "it goes on")
        killProcess(second)
    }

    func test_aGrandchildThatWritesForEverDoesNotKeepTheStream() {
        let subscriber = events(
            Command("/bin/sh", "-c", "yes & echo $! >&2", outputGrace: .zero))
        eventually { subscriber.hasFinished }
        killProcess(pid_t(subscriber.text.errors.dropLast()))
    }

    func test_turningASwitchOffEndsTheProgramAndNotTheStream() {
        let stop = KillSwitch()
        let subscriber = events(
            shell("trap 'echo bye; exit 4' TERM; echo ready; while :; do sleep 0.01; done"), stop: stop)
        eventually { subscriber.text.output == "ready\n" }
        stop.turnOff()
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.text.output, "ready\nbye\n")
        XCTAssertEqual(subscriber.exit, .status(4))
        let late = events(Command("true"), stop: stop)
        XCTAssertEqual(late.values, [])
        XCTAssertTrue(late.hasFinished)
        let lines = TestSubscriber<String, CommandFailure>.checked(.unlimited)
        let other = KillSwitch()
        shell("echo ready; sleep 1000").lines(stop: other).subscribe(lines)
        eventually { lines.values == ["ready"] }
        other.turnOff()
        eventually { lines.hasFinished }
    }

    func test_noDescriptorAndNoZombieIsLeft() async {
        _ = allEvents(Command("/bin/true"))
        await Command.allHaveEnded()
        let before = openDescriptorCount()
        for round in 0..<Scale.childCount {
            let subscriber = events(Command("/bin/true"))
            if round.isMultiple(of: 5) {
                subscriber.cancel()
            } else {
                eventually { subscriber.completion != nil }
                XCTAssertEqual(subscriber.exit, .status(0))
            }
        }
        await Command.allHaveEnded()
        eventually { openDescriptorCount() <= before }
        XCTAssertFalse(hasChildren())
    }

    func test_aCallThatFailsIsTheFailureOfTheStreamAndLeavesNothing() async {
        _ = allEvents(Command("sleep", "0.01"))
        await Command.allHaveEnded()
        let before = openDescriptorCount()
        for call in ["pipe2", "fcntl", "open", "epoll_create1", "posix_spawn", "pidfd_open", "epoll_ctl"] {
            for number in 0..<2 {
                let log = CallLog { name, count in name == call && count == number ? .fail(EMFILE) : .proceed }
                let subscriber = allEvents(with(log.calls, Command("sleep", "0.01")))
                if log[call] > number {
                    XCTAssertEqual(subscriber.failure?.call, call)
                    XCTAssertEqual(subscriber.failure?.code, EMFILE)
                }
            }
        }
        await Command.allHaveEnded()
        eventually { openDescriptorCount() <= before }
        XCTAssertFalse(hasChildren())
    }

    func test_textsWithANULStartNothing() {
        for command in [
            Command("/bin/echo\0x"), Command("/bin/echo", "a\0b"),
            Command("/bin/echo", arguments: [], environment: .adding(["A": "b\0c"])),
            Command("/bin/echo", arguments: [], environment: .adding(["A=B": "c"])),
            Command("/bin/echo", arguments: [], environment: .exactly(["": "c"])),
            Command("/bin/echo", arguments: [], directory: "/tmp\0/x"),
        ] {
            let subscriber = allEvents(command)
            XCTAssertEqual(subscriber.values, [])
            XCTAssertEqual(subscriber.failure?.call, "posix_spawn")
            XCTAssertEqual(subscriber.failure?.code, EINVAL)
        }
    }

    func test_withoutDescriptorsLeftItFailsAndDoesNotCrash() {
        _ = allEvents(Command("/bin/true"))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var low = rlimit(rlim_cur: 100, rlim_max: limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
        var taken: [Int32] = []
        while case let number = dup(0), number >= 0 { taken.append(number) }
        let none = allEvents(Command("/bin/true"))
        for _ in 0..<3 { close(taken.removeLast()) }
        let few = allEvents(Command("/bin/true"))
        for number in taken { close(number) }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        XCTAssertEqual(none.failure?.code, EMFILE)
        XCTAssertEqual(few.failure?.code, EMFILE)
    }

    func test_everyCallThatASignalInterruptsIsMadeAgain() {
        let log = CallLog { _, number in number < 2 ? .fail(EINTR) : .proceed }
        let subscriber = allEvents(
            with(log.calls, shell("cat; sleep 0.05 & exit 0", input: .bytes("text"))))
        XCTAssertEqual(subscriber.text.output, "text")
        XCTAssertEqual(subscriber.exit, .status(0))
        XCTAssertTrue(
            log.names.isSuperset(of: [
                "pipe2", "fcntl", "epoll_create1", "posix_spawn", "pidfd_open", "epoll_ctl", "read", "write", "waitid",
            ]), "\(log.names)")
        let stopped = CallLog { _, number in number < 2 ? .fail(EINTR) : .proceed }
        let sleeping = events(with(stopped.calls, Command("sleep", "1000")))
        eventually { sleeping.process != nil }
        sleeping.cancel()
        eventually { sleeping.process.map { !isThere($0) } ?? false }
        XCTAssertGreaterThan(stopped["kill"], 2)
    }

    func test_aProgramHasNoDescriptorsButItsOwnAndNoSignalsBlocked() {
        let file = TestSubscriber<Bytes, SystemError>.checked(.first(1))
        File("/dev/zero").bytes(chunkSize: 16).subscribe(file)
        let others = (0..<3).map { _ in events(Command("sleep", "1000")) }
        eventually { others.allSatisfy { $0.process != nil } }
        // What ls itself opens is number 3.
        let subscriber = allEvents(Command("/bin/sh", "-c", "ls /proc/self/fd"))
        let inherited = Set(subscriber.text.output.split(separator: "\n").compactMap { Int32($0) })
        // Those that this process was given, or that other parts of it have opened, without the flag.
        let leaky = Set((3..<Int32(256)).filter { fcntl($0, F_GETFD) == 0 })
        XCTAssertEqual(inherited.subtracting(leaky), Set([0, 1, 2, 3]).subtracting(leaky))
        let status = allEvents(Command("grep", "-E", "Sig(Blk|Ign)", "/proc/self/status")).text.output
        XCTAssertTrue(status.contains("SigBlk:\t0000000000000000"), status)
        for other in others { other.cancel() }
        file.cancel()
    }

    func test_aSlowReaderOfALotOfOutputTakesLittleMemory() throws {
        let count = Scale.outputSize
        let script = "head -c \(count / 2) /dev/zero >&2 & head -c \(count / 2) /dev/zero; wait"
        let read = Guarded(0)
        let chunks = Guarded(0)
        let exit = Guarded<CommandExit?>(nil)
        var subscription: (any Subscription)?
        shell(script).events().subscribe(
            AnySubscriber(
                receiveSubscription: { subscription = $0 },
                receiveValue: { event in
                    switch event {
                    case .output(let bytes), .errors(let bytes): read.withLock { $0 += bytes.count }
                    case .exited(let end): exit.withLock { $0 = end }
                    case .started: break
                    }
                    chunks.withLock { $0 += 1 }
                    return .none
                }))
        let before = try residentSize()
        var most = before
        var requested = 0
        while exit.withLock({ $0 }) == nil {
            requested += 1
            subscription?.request(.max(1))
            eventually { chunks.withLock { $0 } == requested }
            if requested.isMultiple(of: 100) { most = max(most, try residentSize()) }
        }
        XCTAssertEqual(read.withLock { $0 }, count / 2 * 2)
        XCTAssertEqual(exit.withLock { $0 }, .status(0))
        // AddressSanitizer keeps what is freed for a while.
        if dlsym(nil, "__asan_init") == nil { XCTAssertLessThan(most - before, 8 << 20) }
    }

    func test_demandFromInsideADeliveryIsServed() {
        let subscriber = events(shell("for i in 1 2 3 4 5; do echo $i; done"), .oneByOneReentrantly, chunkSize: 2)
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.text.output, "1\n2\n3\n4\n5\n")
    }

    func test_cancellingInsideADeliveryEndsTheProgram() {
        for number in 1...2 {
            let subscriber = events(shell("echo one; exec sleep 1000"), .cancelling(atValue: number))
            eventually { subscriber.values.count == number }
            eventually { subscriber.process.map { !isThere($0) } ?? false }
            XCTAssertEqual(subscriber.values.count, number)
        }
    }

    func test_aMillionLinesArrive() {
        let count = Scale.reduced(1_000_000)
        let total = Guarded(0)
        let hasEnded = Guarded(false)
        let counting = Command("seq", "\(count)").lines()
            .sink(
                receiveCompletion: { _ in hasEnded.withLock { $0 = true } },
                receiveValue: { line in total.withLock { $0 += Int(line) ?? 0 } })
        eventually { hasEnded.withLock { $0 } }
        XCTAssertEqual(total.withLock { $0 }, count * (count + 1) / 2)
        withExtendedLifetime(counting) {}
    }

    func test_releasesItsSubscriberHoweverItEnds() {
        let before = Tracked.count
        for program in [Command("true"), Command("no-such-program"), Command("sleep", "1000")] {
            do {
                let tracked = Tracked()
                let hasBegun = Guarded(false)
                let note = { withExtendedLifetime(tracked) { hasBegun.withLock { $0 = true } } }
                let cancellable = program.events()
                    .sink(receiveCompletion: { _ in note() }, receiveValue: { _ in note() })
                eventually { hasBegun.withLock { $0 } }
                cancellable.cancel()
            }
            eventually { Tracked.count == before }
        }
    }
}

/// Lets a value cross to another thread that this one does not use it beside.
private struct Unshared<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// What is in a file of the kernel.
private func contents(of path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw SystemError(call: "open", code: errno, subject: path) }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = fread(&buffer, 1, buffer.count, file)
    return Array(buffer[..<count])
}

/// How much memory this process has, in bytes.
private func residentSize() throws -> Int {
    let fields = String(decoding: try contents(of: "/proc/self/statm"), as: UTF8.self).split(separator: " ")
    return (Int(fields[1]) ?? 0) * Int(getpagesize())
}

/// What a process does: `R`, `S`, `T` where it is stopped, `Z` where it has ended.
func state(of process: pid_t) -> String? {
    guard let bytes = try? contents(of: "/proc/\(process)/stat") else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: ")").last?.split(separator: " ").first.map(String.init)
}

extension Scale {
    /// How many children a test starts and ends; more where the environment says so.
    static var childCount: Int { number("HEADGATE_CHILDREN") ?? reduced(5000) }

    /// How many bytes a child writes; more where the environment says so.
    static var outputSize: Int { number("HEADGATE_OUTPUT") ?? reduced(1 << 27) }

    private static func number(_ variable: String) -> Int? { getenv(variable).flatMap { Int(String(cString: $0)) } }
}
