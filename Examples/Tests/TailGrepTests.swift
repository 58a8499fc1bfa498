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

    func test_stoppedAndStartedAtRandomItPrintsEveryLineOnce() {
        let log = folder.write("", to: "log")
        var output = ""
        var written = 0
        for round in 0..<8 {
            let example = Example("tailgrep", "--state", folder["state"], "line", log)
            example.awaitReadiness(for: .terminate)
            for _ in 0..<Int.random(in: 1...300) {
                folder.write(Array("line \(written)\n".utf8), to: "log", append: true)
                written += 1
            }
            if round == 3 || round == 4 {
                rename(folder["log.1"], folder["log.2"])
                rename(folder["log"], folder["log.1"])
                folder.write("", to: "log")
            }
            // Without a place of the first run, the second one could not know of files that have been renamed.
            if round == 0 { eventually { !example.output.isEmpty } }
            // All others but the last one are stopped somewhere in the middle.
            if round == 7 { eventually { (output + example.output).split(separator: "\n").count >= written } }
            example.signal(.terminate)
            XCTAssertEqual(example.awaitEnd(), .status(0), example.errors)
            output += example.output
        }
        XCTAssertEqual(output.split(separator: "\n"), (0..<written).map { "line \($0)" })
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
