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

    func test_theHeadingSaysHowMuchARowHoldsWhenRowsAreMerged() {
        // One in a hundred fails, in every row alike.
        let hundred = String(repeating: line, count: 99) + line.replacingOccurrences(of: " 200 5", with: " 500 5")
        let log = folder.write(String(repeating: hundred, count: 400), to: "log")
        let requests = Example("logstat", log)
        XCTAssertEqual(requests.awaitEnd(), .status(0))
        let row = "\(String(repeating: "█", count: 50)) 32\n"
        XCTAssertTrue(
            requests.output.contains("\n\nserver errors in every 3200 requests\n09:26:54 \(row)"), requests.output)

        let seconds = folder.write(
            (0..<50).map { line.replacingOccurrences(of: "09:26:54", with: "09:26:\($0 + 10)") }.joined(), to: "log")
        let windows = Example("logstat", "--window", "1s", seconds)
        XCTAssertEqual(windows.awaitEnd(), .status(0))
        XCTAssertTrue(windows.output.contains("\n\nrequests in every 4 windows of 1 seconds\n"), windows.output)
        let few = Example("logstat", "--window", "60s", seconds)
        XCTAssertEqual(few.awaitEnd(), .status(0))
        XCTAssertTrue(few.output.contains("\n\nrequests in every 60 seconds\n"), few.output)
    }

    func test_aFileThatIsMissingOrAFolderIsAFailure() {
        for path in [folder["missing"], folder.path] {
            let example = Example("logstat", path)
            XCTAssertEqual(example.awaitEnd(), .status(1))
            XCTAssertTrue(example.errors.contains(path), example.errors)
        }
    }
}
