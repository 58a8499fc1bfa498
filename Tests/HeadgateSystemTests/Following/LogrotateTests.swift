import Foundation
import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Files that the real `logrotate` rotates, with writers that open the new one at once, late and never.
final class LogrotateTests: XCTestCase {
    private enum Writer: CaseIterable { case atOnce, late, never }

    private let folder = Folder()
    private static let program = ["/usr/sbin/logrotate", "/sbin/logrotate"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    func test_withTheDefaults() throws { try check("create") }

    func test_withoutCreating() throws { try check("nocreate") }

    func test_withTruncation() throws { try check("copytruncate", [.never]) }

    func test_withTruncationAndDates() throws { try check("copytruncate\ndateext", [.never]) }

    func test_withDates() throws { try check("create\ndateext") }

    func test_withDatesAndTimes() throws { try check("create\ndateext\ndateformat .%Y-%m-%d_%H-%M-%S") }

    func test_withAnExtension() throws { try check("create\nextension .log") }

    func test_withDelayedCompression() throws { try check("create\ncompress\ndelaycompress\nsharedscripts") }

    func test_withCompression() throws { try check("create\ncompress") }

    /// Rotates several times, and checks that what is read is what was written.
    private func check(_ directives: String, _ writers: [Writer] = Writer.allCases) throws {
        guard let program = Self.program else { throw XCTSkip("logrotate is not installed") }
        for writer in writers {
            for start in [FollowingStart.beginning, .end] {
                try rotate(program, directives, writer, from: start)
            }
        }
    }

    private func rotate(
        _ program: String, _ directives: String, _ writer: Writer, from start: FollowingStart
    ) throws {
        _ = system("rm -f '\(folder.path)'/*")
        let path = folder.write("", to: "app.log")
        let configuration = folder.write(
            "\(path) {\n  rotate 3\n  missingok\n  \(directives)\n  postrotate\n    true\n  endscript\n}\n", to: "conf")
        chmod(configuration, 0o600)
        let calls = CallLog()
        let lines = TestSubscriber<FollowedLine, SystemError>.checked(.unlimited)
        File(path, calls: calls.calls).followLines(from: start, rotateWait: RotateWait(.seconds(30))).subscribe(lines)
        eventually("it is followed") { calls["pread"] >= 2 }
        var file = fopen(path, "a")
        var written = 0
        func write(_ count: Int) {
            for _ in 0..<count {
                fputs("line \(written)\n", file)
                written += 1
            }
            fflush(file)
        }
        for round in 0..<4 {
            write(10)
            if writer == .never {
                // What is truncated is recognized by what was read of it, so something of each file has to be.
                eventually("\(written) lines are read before the file is truncated") { lines.values.count == written }
                write(5)
            }
            let code = system("'\(program)' -f -s '\(folder["state"])' '\(configuration)' 2>'\(folder["errors"])'")
            XCTAssertEqual(code, 0, folder.read("errors") ?? "")
            if writer == .late { write(10) }
            if writer != .never {
                fclose(file)
                file = fopen(path, "a")
            }
            write(10)
            makeADayOlder(round)
        }
        fclose(file)
        // A file that is compressed before it is opened is lost, and marked.
        let mayBeMarked = directives == "create\ncompress"
        eventually("\(written) lines, not \(lines.values.count), with \(directives), \(writer)") {
            lines.values.count >= written || lines.completion != nil
                || mayBeMarked && lines.values.last?.text == "line \(written - 1)"
        }
        XCTAssertNil(lines.completion, "\(directives), \(writer)")
        if mayBeMarked, lines.values.count < written {
            XCTAssertTrue(lines.values.contains(where: \.followsGap), "\(writer)")
            XCTAssertEqual(Set(lines.values.map(\.text)).count, lines.values.count, "\(writer)")
            return lines.cancel()
        }
        XCTAssertEqual(
            Set(lines.values.map(\.text)), Set((0..<written).map { "line \($0)" }), "\(directives), \(writer)")
        XCTAssertEqual(lines.values.count, written, "\(directives), \(writer)")
        XCTAssertEqual(lines.values.filter(\.followsGap).count, 0, "\(directives), \(writer)")
        lines.cancel()
    }

    /// Gives a file with today's date an earlier one, because `logrotate` makes one per date.
    private func makeADayOlder(_ round: Int) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.contains("20") && !name.contains("199") {
            guard let year = name.range(of: "20\\d\\d", options: .regularExpression) else { continue }
            let older = name.replacingCharacters(in: year, with: "199\(round)")
            rename(folder[name], folder[older])
        }
    }
}
