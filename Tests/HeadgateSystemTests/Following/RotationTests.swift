import Glibc
import HeadgateSystem
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// What happens to logs in production, between one line and the next.
final class RotationTests: XCTestCase {
    private let folder = Folder()
    private let clock = TestScheduler()

    private func append(_ text: String, to name: String = "app.log") {
        folder.write(Array(text.utf8), to: name, append: true)
    }

    private func follow(
        _ name: String = "app.log", from start: FollowingStart = .beginning, demand: Subscribers.Demand = .unlimited,
        longLines: LongLines = .fail, maximumLength: Int = 1 << 20, followsNewLinks: Bool = false,
        calls: SystemCalls = .live
    ) -> TestSubscriber<FollowedLine, SystemError> {
        let lines = TestSubscriber<FollowedLine, SystemError>.checked(demand == .unlimited ? .unlimited : .first(1))
        File(folder[name], calls: calls)
            .followLines(
                from: start, maximumLength: maximumLength, longLines: longLines,
                rotateWait: RotateWait(.seconds(5), scheduler: clock), followsNewLinks: followsNewLinks
            )
            .subscribe(lines)
        return lines
    }

    private func check(
        _ lines: TestSubscriber<FollowedLine, SystemError>, _ expected: [String], gapsBefore gaps: Set<String> = [],
        file: StaticString = #filePath, line: UInt = #line
    ) {
        eventually("\(expected) and not \(lines.values.map(\.text))", file: file, line: line) {
            lines.values.count >= expected.count || lines.completion != nil
        }
        XCTAssertEqual(lines.values.map(\.text), expected, file: file, line: line)
        XCTAssertEqual(Set(lines.values.filter(\.followsGap).map(\.text)), gaps, file: file, line: line)
        XCTAssertNil(lines.completion, file: file, line: line)
    }

    /// A writer that keeps its file open.
    private final class Writer {
        private let file: UnsafeMutablePointer<FILE>?

        init(_ path: String, mode: String = "a") { file = fopen(path, mode) }

        deinit { fclose(file) }

        func write(_ text: String) {
            fputs(text, file)
            fflush(file)
        }
    }

    func test_earlierFilesWithADateAreNotReadAgain() {
        append("old22\n", to: "app.log-20261122")
        append("old23\n", to: "app.log-20261123")
        append("a1\n")
        let lines = follow()
        check(lines, ["a1"])
        append("a2\n")
        rename(folder["app.log"], folder["app.log-20261124"])
        append("b1\n")
        check(lines, ["a1", "a2", "b1"])
        lines.cancel()
    }

    func test_filesThatOnlyHaveASimilarNameAreNotRead() {
        for name in ["app.log.pos", "app.log-ssl", "app.log.2.lz4", ".app.log.swp", "app.log.tmp", "app2.log"] {
            append("a1\n")
            let lines = follow()
            check(lines, ["a1"])
            append("other\n", to: name)
            rename(folder["app.log"], folder["app.log.1"])
            append("b1\n")
            check(lines, ["a1", "b1"])
            lines.cancel()
            for name in [name, "app.log", "app.log.1"] { unlink(folder[name]) }
        }
    }

    func test_everyFormOfARotatedNameIsFollowedInOrder() throws {
        for (second, first) in [
            ("app.log.2", "app.log.1"), ("app.log-20261123", "app.log-20261124"),
            ("app.log-2026-11-23_04", "app.log-2026-11-23_05"), ("app.log-1764000000", "app.log-1764003600"),
            ("app-20261123.log", "app-20261124.log"), ("app.2.log", "app.1.log"),
            ("app.log-23112026", "app.log-01122026"),
            ("app.log.20261123T0400.old", "app.log.20261123T0500.old"),
        ] {
            append("a1\n")
            let lines = follow(demand: .max(1))
            check(lines, ["a1"])
            append("a2\n")
            rename(folder["app.log"], folder[second])
            append("b1\n")
            rename(folder["app.log"], folder[first])
            append("c1\n")
            lines.request(.unlimited)
            check(lines, ["a1", "a2", "b1", "c1"])
            lines.cancel()
            // After a restart, too.
            let again = follow(from: .position(try XCTUnwrap(lines.values.first?.end)))
            check(again, ["a2", "b1", "c1"])
            again.cancel()
            for name in [second, first, "app.log"] { unlink(folder[name]) }
        }
    }

    func test_linesThatComeToTheOldFileLateAreReadBesideTheNewOne() throws {
        append("a1\n")
        let writer = Writer(folder["app.log"])
        let lines = follow()
        check(lines, ["a1"])
        rename(folder["app.log"], folder["app.log.1"])
        append("b1\n")
        check(lines, ["a1", "b1"])
        writer.write("late1\n")
        check(lines, ["a1", "b1", "late1"])
        append("b2\n")
        check(lines, ["a1", "b1", "late1", "b2"])
        lines.cancel()
        // The place of each line is in both files.
        let position = try XCTUnwrap(FollowingPosition("\(lines.values[1].end)"))
        XCTAssertEqual(position, lines.values[1].end)
        let again = follow(from: .position(position))
        check(again, ["late1", "b2"])
        writer.write("late2\n")
        check(again, ["late1", "b2", "late2"])
        again.cancel()
    }

    func test_whatIsWrittenToAFileAfterItHasBeenLeftIsMarked() {
        append("a1\n")
        let writer = Writer(folder["app.log"])
        let lines = follow()
        check(lines, ["a1"])
        rename(folder["app.log"], folder["app.log.1"])
        append("b1\n")
        check(lines, ["a1", "b1"])
        writer.write("half of a line")
        clock.advance(by: .seconds(5))
        check(lines, ["a1", "b1", "half of a line"])
        XCTAssertEqual(lines.values.map(\.isTerminated), [true, true, false])
        writer.write("lost\n")
        append("b2\n")
        check(lines, ["a1", "b1", "half of a line", "b2"], gapsBefore: ["b2"])
        lines.cancel()
    }

    func test_aProgramThatNeverOpensTheNewFileIsReadForAsLongAsItWrites() {
        append("a1\n")
        let writer = Writer(folder["app.log"])
        let log = CallLog()
        let lines = follow(calls: log.calls)
        check(lines, ["a1"])
        for round in 1...3 {
            rename(folder["app.log.1"], folder["app.log.2"])
            rename(folder["app.log"], folder["app.log.1"])
            append("")
            writer.write("round \(round)\n")
            check(lines, ["a1"] + (1...round).map { "round \($0)" })
            // Of one that the file outlives unseen nobody knows how many have been deleted with it.
            eventually("the new file is open") { log["open"] == 1 + round }
            clock.advance(by: .seconds(60))
        }
        unlink(folder["app.log.2"])
        writer.write("still there\n")
        eventually { lines.values.last?.text == "still there" }
        lines.cancel()
    }

    func test_bytesOfTheOldFileComeBeforeThoseOfTheNewOne() {
        append("a1\n")
        let writer = Writer(folder["app.log"])
        let bytes = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        let log = CallLog()
        File(folder["app.log"], calls: log.calls)
            .follow(from: .beginning, rotateWait: RotateWait(.seconds(5), scheduler: clock)).subscribe(bytes)
        eventually { bytes.text == "a1\n" }
        rename(folder["app.log"], folder["app.log.1"])
        append("b1\n")
        writer.write("late\n")
        eventually { bytes.text == "a1\nlate\n" }
        eventually("the new file is open, and the old one is waited for") {
            log["open"] == 2 && clock.scheduledCount == 1
        }
        clock.advance(by: .seconds(5))
        eventually { bytes.text == "a1\nlate\nb1\n" }
        bytes.cancel()
    }

    func test_aFileThatMayNotBeOpenedYetIsWaitedFor() {
        append("a1\n")
        let log = CallLog { name, number in name == "open" && number == 1 ? .fail(EACCES) : .proceed }
        let lines = follow(calls: log.calls)
        check(lines, ["a1"])
        rename(folder["app.log"], folder["app.log.1"])
        append("b1\n")
        eventually { log["open"] >= 2 }
        chmod(folder["app.log"], 0o644)
        check(lines, ["a1", "b1"])
        lines.cancel()
    }

    /// Follows a file that has been rotated by the time it is looked at, and is renamed again during a call of the look.
    private func check(
        renaming call: String, by rename: @escaping @Sendable () -> Void, _ expected: [String],
        gapsBefore gaps: Set<String> = [], line: UInt = #line, afterRotation rotate: () -> Void
    ) {
        append("a1\n")
        let isArmed = Atomic(false)
        let gate = NSLock()
        let log = CallLog { name, _ in
            // The lock keeps it from looking before the first rotation is over.
            gate.lock()
            gate.unlock()
            if name == call, isArmed.exchange(false, ordering: .relaxed) { rename() }
            return .proceed
        }
        let lines = follow(calls: log.calls)
        check(lines, ["a1"], line: line)
        gate.lock()
        rotate()
        isArmed.store(true, ordering: .relaxed)
        gate.unlock()
        check(lines, expected, gapsBefore: gaps, line: line)
        lines.cancel()
    }

    func test_aFileThatIsRenamedWhileTheFolderIsLookedAtIsRead() {
        for call in ["lstat", "open"] {
            let path = folder["app.log"]
            check(
                renaming: call, by: { rename(path + "-20261123", path + "-20261124") }, ["a1", "b1", "c1"],
                afterRotation: {
                    rename(path, path + "-20261122")
                    append("b1\n")
                    rename(path, path + "-20261123")
                    append("c1\n")
                })
            for name in ["app.log", "app.log-20261122", "app.log-20261124"] { unlink(folder[name]) }
        }
    }

    func test_numbersThatMoveOnWhileTheFolderIsLookedAtHideNothing() {
        let path = folder["app.log"]
        for call in ["lstat", "open"] {
            check(
                renaming: call,
                by: {
                    rename(path + ".2", path + ".3")
                    rename(path + ".1", path + ".2")
                    rename(path, path + ".1")
                    let file = fopen(path, "a")
                    fputs("d1\n", file)
                    fclose(file)
                }, ["a1", "b1", "c1", "d1"],
                afterRotation: {
                    rename(path, path + ".2")
                    append("b1\n")
                    rename(path, path + ".1")
                    append("c1\n")
                })
            for name in ["", ".1", ".2", ".3"] { unlink(path + name) }
        }
    }

    func test_aFileThatIsRotatedBeforeItIsOpenedIsRead() {
        let path = folder["app.log"]
        check(
            renaming: "open",
            by: {
                rename(path + ".1", path + ".2")
                rename(path, path + ".1")
                let file = fopen(path, "a")
                fputs("c1\n", file)
                fclose(file)
            }, ["a1", "b1", "c1"],
            afterRotation: {
                rename(path, path + ".1")
                append("b1\n")
            })
    }

    func test_aFileThatIsReplacedBeforeItIsOpenedIsMarked() {
        let path = folder["app.log"]
        append("c1\n", to: "new")
        let new = folder["new"]
        check(
            renaming: "open", by: { rename(new, path) }, ["a1", "c1"], gapsBefore: ["c1"],
            afterRotation: {
                rename(path, path + ".1")
                append("b1\n")
            })
    }

    func test_whatIsWrittenBeforeTheTimeIsUpIsReadWheneverTheTimeIsUp() {
        for call in 0..<8 {
            append("a1\n")
            let writer = Writer(folder["app.log"])
            let calls = Guarded<Int?>(nil)
            let log = CallLog { [clock] name, _ in
                let isTheOne = calls.withLock { left in
                    if name != "pread" || left == nil { return false }
                    defer { left = left.map { $0 == 0 ? nil : $0 - 1 } ?? nil }
                    return left == 0
                }
                if isTheOne {
                    writer.write("half of a line")
                    clock.advance(by: .seconds(5))
                }
                return .proceed
            }
            let lines = follow(calls: log.calls)
            check(lines, ["a1"])
            rename(folder["app.log"], folder["app.log.1"])
            append("b1\n")
            check(lines, ["a1", "b1"])
            calls.withLock { $0 = call }
            // It wakes up the stream until that call has been made.
            eventually("the call is made") {
                chmod(folder["app.log"], 0o644)
                return calls.withLock { $0 == nil }
            }
            check(lines, ["a1", "b1", "half of a line"])
            lines.cancel()
            for name in ["app.log", "app.log.1"] { unlink(folder[name]) }
        }
    }

    func test_aFileThatMayNotBeOpenedForLongIsAFailure() {
        append("a1\n")
        let log = CallLog { name, number in name == "open" && number >= 1 ? .fail(EACCES) : .proceed }
        let lines = follow(calls: log.calls)
        check(lines, ["a1"])
        rename(folder["app.log"], folder["app.log.1"])
        append("b1\n")
        eventually { log["open"] >= 2 }
        eventually("it fails") {
            clock.advance(by: .seconds(5))
            return lines.failure?.code == EACCES
        }
    }

    func test_longLinesAreSkippedOrCutAndTheirPlaceIsAfterThem() throws {
        append("one\nmuch too long\ntwo\n")
        let skipping = follow(longLines: .skip, maximumLength: 4)
        check(skipping, ["one", "two"])
        skipping.cancel()
        let cutting = follow(longLines: .cut, maximumLength: 4)
        check(cutting, ["one", "much", "two"])
        cutting.cancel()
        let again = follow(from: .position(try XCTUnwrap(cutting.values[1].end)), maximumLength: 4)
        check(again, ["two"])
        again.cancel()
        let failing = follow(maximumLength: 4)
        eventually { failing.failure?.code == EMSGSIZE }
    }

    func test_truncationWithUnreadLinesIsMarked() {
        append((0..<20_000).map { "line \($0)\n" }.joined())
        let lines = follow(demand: .max(1))
        check(lines, ["line 0"])
        truncate(folder["app.log"], 0)
        append("new\n")
        lines.request(.unlimited)
        eventually { lines.values.last?.text == "new" }
        XCTAssertEqual(lines.values.last?.followsGap, true)
        // No line of what was there is joined with it.
        XCTAssertTrue(lines.values.dropLast().allSatisfy { $0.text.hasPrefix("line ") })
        lines.cancel()
    }

    func test_truncationIsNoticedAlsoIfTheFileHasGrownSince() {
        append("old 1\nold 2\n")
        let lines = follow(demand: .max(1))
        check(lines, ["old 1"])
        truncate(folder["app.log"], 0)
        append("new 1\nnew 2\nnew 3\n")
        lines.request(.unlimited)
        check(lines, ["old 1", "old 2", "new 1", "new 2", "new 3"], gapsBefore: ["new 1"])
        lines.cancel()
    }

    func test_truncationOfAFileThatHasBeenReadIsNoGap() {
        append("a1\n")
        let log = CallLog()
        let lines = follow(calls: log.calls)
        check(lines, ["a1"])
        eventually { log["pread"] >= 3 }
        truncate(folder["app.log"], 0)
        append("b1\n")
        check(lines, ["a1", "b1"])
        lines.cancel()
    }

    func test_theCopyOfATruncatedFileIsReadToItsEnd() {
        append((0..<20_000).map { "line \($0)\n" }.joined())
        let lines = follow(demand: .max(1))
        check(lines, ["line 0"])
        _ = system("cp '\(folder["app.log"])' '\(folder["app.log.1"])'")
        truncate(folder["app.log"], 0)
        append("new\n")
        lines.request(.unlimited)
        check(lines, (0..<20_000).map { "line \($0)" } + ["new"])
        lines.cancel()
    }

    func test_callsThatReturnLessThanIsThere() {
        let text = (0..<100).map { "line \($0)" }
        for size in [1, 7, 64, 65] {
            folder.write(text.map { $0 + "\n" }.joined(), to: "app.log")
            let log = CallLog { name, _ in name == "pread" ? .limit(size) : .proceed }
            let lines = follow(calls: log.calls)
            check(lines, text)
            append("more\n")
            check(lines, text + ["more"])
            _ = system("cp '\(folder["app.log"])' '\(folder["app.log.1"])'; echo copied >>'\(folder["app.log.1"])'")
            truncate(folder["app.log"], 0)
            append("new\n")
            check(lines, text + ["more", "copied", "new"])
            lines.cancel()
            _ = system("rm '\(folder["app.log.1"])'")
        }
    }

    func test_aWriterThatKeepsItsPlaceAfterTruncationLeavesNoZeros() {
        let writer = Writer(folder["app.log"], mode: "w")
        let text = (0..<3000).map { "line \($0)" }
        writer.write(text.joined(separator: "\n") + "\n")
        let log = CallLog()
        let lines = follow(calls: log.calls)
        check(lines, text)
        eventually { log["pread"] >= 3 }
        truncate(folder["app.log"], 0)
        writer.write("new\n")
        check(lines, text + ["new"])
        lines.cancel()
    }

    func test_aFolderThatIsMadeAgainIsWatchedAnew() {
        for removal in ["rm -r '\(folder["sub"])'", "mv '\(folder["sub"])' '\(folder["old"])'"] {
            mkdir(folder["sub"], 0o700)
            append("x1\n", to: "sub/app.log")
            let lines = follow("sub/app.log")
            check(lines, ["x1"])
            _ = system("\(removal); mkdir '\(folder["sub"])'")
            append("y1\n", to: "sub/app.log")
            check(lines, ["x1", "y1"])
            append("y2\n", to: "sub/app.log")
            check(lines, ["x1", "y1", "y2"])
            lines.cancel()
            _ = system("rm -r '\(folder["sub"])'")
        }
    }

    func test_aFolderThatStaysAwayIsAFailure() {
        mkdir(folder["sub"], 0o700)
        append("x1\n", to: "sub/app.log")
        let lines = follow("sub/app.log")
        check(lines, ["x1"])
        _ = system("rm -r '\(folder["sub"])'")
        eventually("it fails") {
            clock.advance(by: .seconds(1))
            return lines.failure?.code == ENOENT
        }
    }

    func test_aLinkInThePathThatLeadsElsewhereIsFollowed() {
        for name in ["v1", "v1/log", "v2", "v2/log"] { mkdir(folder[name], 0o700) }
        symlink("v1", folder["current"])
        append("x1\n", to: "current/log/app.log")
        let lines = follow("current/log/app.log")
        check(lines, ["x1"])
        append("y1\n", to: "v2/log/app.log")
        _ = system("ln -sfn v2 '\(folder["current"])'")
        check(lines, ["x1", "y1"])
        lines.cancel()
    }

    func test_theTargetOfALinkIsReplacedInAnotherFolder() {
        for name in ["pods", "containers"] { mkdir(folder[name], 0o700) }
        append("x1\n", to: "pods/0.log")
        symlink("../pods/0.log", folder["containers/app.log"])
        let lines = follow("containers/app.log")
        check(lines, ["x1"])
        rename(folder["pods/0.log"], folder["pods/0.log.1"])
        append("y1\n", to: "pods/0.log")
        check(lines, ["x1", "y1"])
        lines.cancel()
    }

    func test_aLinkThatReplacesTheFileIsFollowedOnlyIfRequested() {
        append("secret\n", to: "secret")
        for followsNewLinks in [false, true] {
            append("a1\n")
            let lines = follow(followsNewLinks: followsNewLinks)
            check(lines, ["a1"])
            unlink(folder["app.log"])
            symlink("secret", folder["app.log"])
            if followsNewLinks {
                check(lines, ["a1", "secret"])
            } else {
                eventually { lines.failure?.code == ELOOP }
                XCTAssertEqual(lines.values.map(\.text), ["a1"])
            }
            lines.cancel()
            unlink(folder["app.log"])
        }
    }

    func test_ifRotationHasDeletedTheFileThoseAfterItAreReadWithAMark() {
        append("a1\na2\n")
        let lines = follow(demand: .max(1))
        check(lines, ["a1"])
        for name in ["b", "c", "d", "e", "f"] {
            unlink(folder["app.log.3"])
            for number in [2, 1] { rename(folder["app.log.\(number)"], folder["app.log.\(number + 1)"]) }
            rename(folder["app.log"], folder["app.log.1"])
            append("\(name)1\n")
        }
        lines.request(.unlimited)
        check(lines, ["a1", "a2", "c1", "d1", "e1", "f1"], gapsBefore: ["c1"])
        lines.cancel()
    }

    func test_compressedFilesAreSkippedWithAMark() throws {
        append("a1\na2\n")
        let lines = follow(demand: .max(1))
        check(lines, ["a1"])
        rename(folder["app.log"], folder["app.log.1"])
        append("b1\n")
        rename(folder["app.log.1"], folder["app.log.2"])
        rename(folder["app.log"], folder["app.log.1"])
        append("c1\n")
        _ = system("gzip '\(folder["app.log.1"])'")
        lines.request(.unlimited)
        check(lines, ["a1", "a2", "c1"], gapsBefore: ["c1"])
        lines.cancel()
    }
}
