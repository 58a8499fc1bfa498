import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Following that is stopped and goes on.
final class FollowingPositionTests: XCTestCase {
    private let folder = Folder()

    private func append(_ text: String) { folder.write(Array(text.utf8), to: "log", append: true) }

    private func follow(from start: FollowingStart) -> TestSubscriber<FollowedLine, SystemError> {
        let subscriber = TestSubscriber<FollowedLine, SystemError>.checked(.unlimited)
        File(folder["log"]).followLines(from: start).subscribe(subscriber)
        return subscriber
    }

    /// Follows until some lines have come.
    ///
    /// - Returns: The place after the last of them.
    private func take(_ expected: [String], from start: FollowingStart, afterGap: Bool = false) -> FollowingPosition? {
        let lines = follow(from: start)
        eventually("\(expected)") { lines.values.count >= expected.count || lines.completion != nil }
        lines.cancel()
        XCTAssertEqual(lines.values.map(\.text), expected)
        XCTAssertEqual(lines.values.map(\.followsGap), expected.indices.map { afterGap && $0 == 0 })
        return lines.values.last?.end
    }

    func test_everyLineIsAPlaceToGoOnFrom() throws {
        let texts = ["one", "", "three", "a longer one"]
        append(texts.map { $0 + "\n" }.joined())
        let lines = follow(from: .beginning)
        eventually { lines.values.count == texts.count }
        lines.cancel()
        for (index, line) in lines.values.enumerated() where index < texts.count - 1 {
            // A position survives as text.
            let position = try XCTUnwrap(FollowingPosition("\(line.end)"))
            XCTAssertEqual(position, line.end)
            _ = take(Array(texts[(index + 1)...]), from: .position(position))
        }
    }

    func test_goesOnInAFileThatHasBeenRenamedAndThenInThoseAfterIt() throws {
        append("one\ntwo\n")
        let position = try XCTUnwrap(take(["one", "two"], from: .beginning))
        append("three\n")
        rename(folder["log"], folder["log.1"])
        append("four\n")
        // Twice in a row.
        rename(folder["log.1"], folder["log.2"])
        rename(folder["log"], folder["log.1"])
        append("five\n")
        let last = try XCTUnwrap(take(["three", "four", "five"], from: .position(position)))
        append("six\n")
        _ = take(["six"], from: .position(last))
    }

    func test_readsWhatWasRotatedTwiceWithoutDemand() {
        append("one\n")
        let lines = TestSubscriber<FollowedLine, SystemError>.checked(.first(1))
        File(folder["log"]).followLines(from: .beginning).subscribe(lines)
        eventually { lines.values.count == 1 }
        for number in 2...4 {
            for old in stride(from: number, to: 1, by: -1) {
                rename(folder["log.\(old - 1)"], folder["log.\(old)"])
            }
            rename(folder["log"], folder["log.1"])
            append("\(number)\n")
        }
        lines.request(.unlimited)
        eventually { lines.values.count == 4 }
        XCTAssertEqual(lines.values.map(\.text), ["one", "2", "3", "4"])
        XCTAssertFalse(lines.values.contains { $0.followsGap })
        lines.cancel()
    }

    func test_reportsThatTheFileIsGoneOrHasBecomeShorter() throws {
        append("one\ntwo\n")
        let position = try XCTUnwrap(take(["one", "two"], from: .beginning))
        truncate(folder["log"], 0)
        append("new\n")
        let second = try XCTUnwrap(take(["new"], from: .position(position), afterGap: true))
        unlink(folder["log"])
        append("other, and longer\n")
        _ = take(["other, and longer"], from: .position(second), afterGap: true)
    }

    func test_reportsAGapWhenTheFileComesLater() throws {
        append("one\n")
        let position = try XCTUnwrap(take(["one"], from: .beginning))
        unlink(folder["log"])
        let lines = follow(from: .position(position))
        append("new\n")
        eventually { lines.values.count == 1 }
        XCTAssertEqual(lines.values.map(\.followsGap), [true])
        lines.cancel()
    }

    func test_aLineThatWasIncompleteIsReadAgainFromItsBeginning() throws {
        append("one\ntw")
        let position = try XCTUnwrap(take(["one"], from: .beginning))
        append("o\n")
        _ = take(["two"], from: .position(position))
    }

    func test_chunksAndBytesGoOnAsLinesDo() throws {
        append("abcdef")
        let chunks = TestSubscriber<FollowedChunk, SystemError>.checked(.first(1))
        File(folder["log"]).followChunks(from: .beginning, chunkSize: 2).subscribe(chunks)
        eventually { chunks.values.count == 1 }
        chunks.cancel()
        let end = try XCTUnwrap(chunks.values.first?.end)
        XCTAssertEqual(end.offset, 2)
        let bytes = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        File(folder["log"]).follow(from: .position(end)).subscribe(bytes)
        eventually { bytes.text == "cdef" }
        bytes.cancel()
    }

    func test_stoppedAndStartedAtRandomNoLineIsMissingOrComesTwice() throws {
        var start = FollowingStart.beginning
        var found: [String] = []
        var written = 0
        for round in 0..<60 {
            for _ in 0..<Int.random(in: 0..<20) {
                append("line \(written)\n")
                written += 1
            }
            if round % 7 == 3 {
                rename(folder["log.1"], folder["log.2"])
                rename(folder["log"], folder["log.1"])
            }
            let lines = follow(from: start)
            let wanted = Int.random(in: 0...(written - found.count))
            eventually { lines.values.count >= wanted }
            lines.cancel()
            let taken = lines.values.prefix(wanted)
            XCTAssertFalse(taken.contains { $0.followsGap })
            found += taken.map(\.text)
            if let end = taken.last?.end { start = .position(end) }
            // Two rotations back is as far as this keeps files.
            if round % 7 == 2, let end = finish(&found, written, from: start) { start = .position(end) }
        }
        _ = finish(&found, written, from: start)
        XCTAssertEqual(found, (0..<written).map { "line \($0)" })
    }

    /// Takes everything that is there.
    private func finish(_ found: inout [String], _ written: Int, from start: FollowingStart) -> FollowingPosition? {
        if found.count == written { return nil }
        let lines = follow(from: start)
        eventually { lines.values.count == written - found.count }
        lines.cancel()
        found += lines.values.map(\.text)
        return lines.values.last?.end
    }
}
