import Dispatch
import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Files that are rotated while they are looked at, and faster than they are read.
final class HastyRotationTests: XCTestCase {
    private let folder = Folder()

    func test_rotationsDuringAnyCallOfALookHideNothing() {
        exhaust { writer, call in
            let lines = follow(.unlimited, calls: call.log.calls)
            eventually("the file is read") { !lines.values.isEmpty }
            // The first rotation is over before the stream looks.
            call.arm {
                writer.rotate()
                writer.write(1)
            }
            return (lines, 0)
        }
    }

    func test_rotationsDuringAnyCallOfGoingOnHideNothing() {
        exhaust { writer, call in
            let first = follow(.first(1))
            eventually("a line is read") { !first.values.isEmpty }
            first.cancel()
            writer.write(1)
            call.arm {}
            let place = first.values[0].end
            let lines = follow(.unlimited, from: .position(place), calls: call.log.calls)
            return (lines, 1)
        }
    }

    func test_whatWasCopiedAndTruncatedSeveralTimesBetweenTwoLooksIsRead() {
        for readsFirstToItsEnd in [true, false] {
            let writer = RotatingWriter(folder)
            writer.write(1)
            let lines = follow(.first(1))
            eventually("the file is read") { lines.values.count == 1 }
            if !readsFirstToItsEnd { writer.write(1) }
            for _ in 0..<3 {
                writer.copyAndTruncate()
                writer.write(2)
            }
            lines.request(.unlimited)
            check(lines, writer.lines)
            writer.removeFiles()
        }
    }

    func test_aFileThatIsSeenAndGoneBeforeItsTurnIsMarked() {
        let writer = RotatingWriter(folder)
        writer.write(1)
        let lines = follow(.first(1))
        eventually("the file is read") { lines.values.count == 1 }
        for _ in 0..<3 {
            writer.rotate()
            writer.write(2)
        }
        // The look that finds this one finds the others, too.
        lines.request(.max(1))
        eventually("the next file is read") { lines.values.count == 2 }
        for name in ["log.1", "log.2"] { unlink(folder[name]) }
        lines.request(.unlimited)
        eventually("\(lines.values.map(\.text))") { lines.values.count == 5 }
        XCTAssertEqual(lines.values.map(\.text), ["0 0", "1 1", "1 2", "3 5", "3 6"])
        XCTAssertEqual(lines.values.filter(\.followsGap).map(\.text), ["3 5"])
        lines.cancel()
    }

    func test_aFileThatGetsItsNameBackIsReadOnce() {
        let writer = RotatingWriter(folder)
        writer.write(1)
        let lines = follow(.unlimited)
        eventually("the file is read") { lines.values.count == 1 }
        writer.rotate()
        writer.write(1)
        eventually("the next one is read") { lines.values.count == 2 }
        rename(folder["log.1"], folder["log"])
        folder.write(Array("back\n".utf8), to: "log", append: true)
        check(lines, ["0 0", "1 1", "back"])
    }

    func test_aFileThatWasRotatedIsReadWithoutOneAtThePath() {
        let writer = RotatingWriter(folder)
        writer.write(1)
        let lines = follow(.first(1))
        eventually("the file is read") { lines.values.count == 1 }
        writer.rotate()
        writer.write(1)
        writer.rotate()
        unlink(folder["log"])
        lines.request(.unlimited)
        check(lines, writer.lines)
        writer.removeFiles()
    }

    func test_whileDemandStallsAndSeveralStreamsFollowNoLineIsMissingOrComesTwice() {
        for _ in 0..<8 {
            let writer = RotatingWriter(folder)
            writer.write(3)
            let prompt = follow(.unlimited)
            let late = follow(.first(1))
            let stalled = follow(.first(1))
            let buffered = follow(.first(1), isBuffered: true)
            // The first demand opens the file.
            eventually("the first line is there") {
                [prompt, late, stalled, buffered].allSatisfy { !$0.values.isEmpty }
            }
            for _ in 0..<20 {
                writer.write(.random(in: 0..<5))
                if Bool.random() { writer.rotate(linesAfterwards: .random(in: 0..<3)) }
                if Bool.random() { late.request(.max(.random(in: 1..<4))) }
            }
            writer.write(1)
            for stream in [late, stalled, buffered] { stream.request(.unlimited) }
            for stream in [prompt, late, stalled, buffered] { check(stream, writer.lines) }
            writer.removeFiles()
        }
    }

    private func follow(
        _ demand: DemandScript, from start: FollowingStart = .beginning, calls: SystemCalls = .live,
        isBuffered: Bool = false
    ) -> TestSubscriber<FollowedLine, SystemError> {
        let lines = TestSubscriber<FollowedLine, SystemError>.checked(demand)
        let followed = File(folder["log"], calls: calls)
            .followLines(from: start, rotateWait: RotateWait(.seconds(30)))
        if isBuffered {
            followed.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)
                .receive(on: DispatchQueue(label: "stalled"))
                .subscribe(lines)
        } else {
            followed.subscribe(lines)
        }
        return lines
    }

    /// Checks that all lines come once, those of each file in order, and no gap, and cancels.
    private func check(
        _ stream: TestSubscriber<FollowedLine, SystemError>, _ expected: [String], _ text: String = "",
        line: UInt = #line
    ) {
        eventually("\(expected) and not \(stream.values.map(\.text)) \(text)", line: line) {
            stream.values.count >= expected.count || stream.completion != nil
        }
        stream.cancel()
        XCTAssertNil(stream.completion, text, line: line)
        XCTAssertEqual(stream.values.filter(\.followsGap).map(\.text), [], text, line: line)
        let byFile = { (lines: [String]) in Dictionary(grouping: lines) { $0.prefix { $0 != " " } } }
        XCTAssertEqual(byFile(stream.values.map(\.text)), byFile(expected), text, line: line)
    }

    /// Rotates once to three times during each call that a stream makes from a moment on.
    ///
    /// - Parameter begin: Makes the stream, and arms the call; returns the stream and the number of lines that it does
    ///   not publish.
    private func exhaust(
        line: UInt = #line,
        _ begin: (RotatingWriter, ArmedCall) -> (TestSubscriber<FollowedLine, SystemError>, Int)
    ) {
        for rotations in 1...3 {
            var number = 0
            var isMade = true
            while isMade {
                let writer = RotatingWriter(folder)
                writer.write(1)
                let call = ArmedCall(number) {
                    for _ in 0..<rotations {
                        writer.rotate()
                        writer.write(1)
                    }
                }
                let (stream, skipped) = begin(writer, call)
                // The last line that was written without these rotations is read by then.
                eventually("it looks", line: line) { stream.values.count > 1 - skipped }
                isMade = call.disarm()
                check(
                    stream, Array(writer.lines.dropFirst(skipped)), "\(rotations) rotations during call \(number)",
                    line: line)
                writer.removeFiles()
                number += 1
            }
            XCTAssertGreaterThan(number, 10, line: line)
        }
    }
}

/// Does something during one of the calls that are made after it has been armed.
private final class ArmedCall: Sendable {
    private let left = Guarded<Int?>(nil)
    private let number: Int
    private let action: @Sendable () -> Void

    init(_ number: Int, _ action: @escaping @Sendable () -> Void) {
        self.number = number
        self.action = action
    }

    var log: CallLog {
        CallLog { [self] _, _ in
            left.withLock { left in
                if left == 0 { action() }
                left = left.flatMap { $0 == 0 ? nil : $0 - 1 }
            }
            return .proceed
        }
    }

    /// Begins to count, after something that no call is made during.
    func arm(after beginning: () -> Void) {
        left.withLock { left in
            beginning()
            left = number
        }
    }

    /// - Returns: Whether there was such a call, which is over.
    func disarm() -> Bool {
        left.withLock { left in
            defer { left = nil }
            return left == nil
        }
    }
}

/// Writes numbered lines, each beginning with the number of its file, and renames all files as `logrotate` does.
///
/// Used by one thread at a time.
private final class RotatingWriter: @unchecked Sendable {
    private(set) var lines: [String] = []
    private var rotations = 0
    private let folder: Folder
    private var file: UnsafeMutablePointer<FILE>?

    init(_ folder: Folder) {
        self.folder = folder
        file = fopen(folder["log"], "a")
    }

    deinit { fclose(file) }

    func write(_ number: Int) {
        for _ in 0..<number {
            let line = "\(rotations) \(lines.count)"
            lines.append(line)
            fputs(line + "\n", file)
        }
        fflush(file)
    }

    /// Renames the file and opens a new one, some lines later.
    func rotate(linesAfterwards: Int = 0) {
        renameOldFiles()
        rename(folder["log"], folder["log.1"])
        write(linesAfterwards)
        fclose(file)
        file = fopen(folder["log"], "a")
        rotations += 1
    }

    /// Copies the file and goes on in it, as an empty one.
    func copyAndTruncate() {
        renameOldFiles()
        folder.write(folder.read("log") ?? "", to: "log.1")
        truncate(folder["log"], 0)
        rotations += 1
    }

    private func renameOldFiles() {
        for number in stride(from: rotations, to: 0, by: -1) {
            rename(folder["log.\(number)"], folder["log.\(number + 1)"])
        }
    }

    func removeFiles() {
        unlink(folder["log"])
        for number in 0..<rotations { unlink(folder["log.\(number + 1)"]) }
    }
}
