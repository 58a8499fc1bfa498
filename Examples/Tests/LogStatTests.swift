import Foundation
import HeadgateSystem
import XCTest

final class LogStatTests: XCTestCase {
    private let folder = Folder()
    private let line = "10.0.0.1 - - [14/Mar/2026:09:26:54 +0000] \"GET / HTTP/1.1\" 200 5\n"

    /// A pipe that says something and then nothing.
    private func input(_ text: String) -> Command.Input {
        .publisher {
            Just(Bytes(text)).setFailureType(to: SystemError.self)
                .append(Empty(completeImmediately: false))
        }
    }

    func test_controlCEndsItWhileItWaitsForASilentPipe() {
        let example = Example("logstat", "-", input: input(""))
        example.awaitReadiness(for: .interrupt)
        example.signal(.interrupt)
        XCTAssertEqual(example.awaitEnd(), .status(130))
        XCTAssertTrue(example.output.hasPrefix("lines      0\n"), example.output)
    }

    func test_controlCEndsItInTheMiddleOfALine() {
        let example = Example("logstat", "-", input: input(line + "10.0.0.1 - -"))
        example.awaitReadiness(for: .interrupt)
        // What it has read by then is up to the machine; that it ends is not.
        example.signal(.interrupt)
        XCTAssertEqual(example.awaitEnd(), .status(130))
        XCTAssertTrue(example.output.hasPrefix("lines      "), example.output)
    }

    func test_outputThatCannotBeWrittenIsAFailure() {
        let log = folder.write(line, to: "log")
        let full = Example("logstat", inShell: "\"$0\" \"$1\" >/dev/full", log)
        XCTAssertEqual(full.awaitEnd(), .status(1))
        XCTAssertTrue(full.errors.contains("No space left on device"), full.errors)
        let closed = Example("logstat", inShell: "\"$0\" \"$1\" >&-", log)
        XCTAssertEqual(closed.awaitEnd(), .status(1))
        let unread = Example("logstat", inShell: "(\"$0\" \"$1\"; echo $? >&2) | true", log)
        _ = unread.awaitEnd()
        XCTAssertTrue(["0\n", "1\n"].contains(unread.errors), unread.errors)
    }

    func test_anotherFileIsRefused() {
        let example = Example("logstat", folder.write(line, to: "log"), "-")
        XCTAssertEqual(example.awaitEnd(), .status(2))
    }

    func test_sumsBeyondSixtyFourBitsAreReportedWithoutATrap() {
        let great = line.replacingOccurrences(of: " 5\n", with: " \(UInt64.max)\n")
        let example = Example("logstat", folder.write(String(repeating: great, count: 3), to: "log"))
        XCTAssertEqual(example.awaitEnd(), .status(0))
        XCTAssertTrue(example.output.contains("55340232221128654845"), example.output)
    }

    func test_aFileThatIsMissingOrAFolderIsAFailure() {
        for path in [folder["missing"], folder.path] {
            let example = Example("logstat", path)
            XCTAssertEqual(example.awaitEnd(), .status(1))
            XCTAssertTrue(example.errors.contains(path), example.errors)
        }
    }
}
