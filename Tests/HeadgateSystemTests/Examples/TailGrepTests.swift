import Glibc
import HeadgateSystem
import XCTest

final class TailGrepTests: XCTestCase {
    private let folder = Folder()

    func test_controlCEndsItWhileItWaitsForASilentFile() {
        let example = Example("tailgrep", "x", folder.write("", to: "log"))
        example.awaitReadiness(for: .interrupt)
        example.signal(.interrupt)
        XCTAssertEqual(example.awaitEnd(), .status(0))
        XCTAssertEqual(example.output, "-- 0 in all\n")
    }

    func test_controlCEndsItInTheMiddleOfALine() {
        let example = Example("tailgrep", "--from-beginning", "one", folder.write("one\nhalf a line", to: "log"))
        eventually { example.output == "one\n" }
        example.signal(.interrupt)
        XCTAssertEqual(example.awaitEnd(), .status(0))
        XCTAssertEqual(example.output, "one\n-- 1 in all\n")
    }

    func test_outputThatCannotBeWrittenIsAFailure() {
        let log = folder.write("one\n", to: "log")
        let full = Example("tailgrep", inShell: "\"$0\" --from-beginning one \"$1\" >/dev/full", log)
        XCTAssertEqual(full.awaitEnd(), .status(1))
        XCTAssertTrue(full.errors.contains("No space left on device"), full.errors)
    }

    func test_goesOnAcrossRotation() {
        let example = Example("tailgrep", "--from-beginning", "one", folder.write("one first\ntwo\n", to: "log"))
        eventually { example.output == "one first\n" }
        rename(folder["log"], folder["log.1"])
        folder.write("two\none second\n", to: "log")
        eventually { example.output == "one first\none second\n" }
        example.signal(.interrupt)
        XCTAssertEqual(example.awaitEnd(), .status(0))
        XCTAssertEqual(example.output, "one first\none second\n-- 2 in all\n")
    }
}
