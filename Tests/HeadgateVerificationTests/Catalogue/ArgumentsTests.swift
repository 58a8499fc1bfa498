import Headgate
import HeadgateTesting
import XCTest

@testable import HeadgateConformance
import HeadgateVerification

final class ArgumentsTests: XCTestCase {
    private func trouble(_ arguments: String...) -> String? {
        do throws(Arguments.Trouble) {
            let arguments = try Arguments(arguments)
            _ = try arguments.reports(of: arguments.choose(from: catalogue))
            return nil
        } catch {
            return error.description
        }
    }

    private var catalogue: [Family<Candidate>] {
        let sound = verify(
            publisher: (1...3).publisher, .finite, effort: Effort(systematicScripts: 20, randomScripts: 0))
        return [
            Family(
                "Threads",
                [
                    Candidate(
                        name: "one", type: Int.self, capabilities: [], verify: { _ in sound }, stress: { _ in sound })
                ]),
            Family("Thread", [Candidate(name: "two", type: Int.self, capabilities: [], verify: { _ in sound })]),
        ]
    }

    func test_choosesByNameAndFamily() throws {
        let chosen = try Arguments(["two", "Threads", "--thorough"]).choose(from: catalogue)
        XCTAssertEqual(chosen.map { $0.members.map(\.name) }, [["one"], ["two"]])
        XCTAssertEqual(try Arguments(["one"]).choose(from: catalogue).map(\.title), ["Threads"])
        XCTAssertEqual(try Arguments([]).choose(from: catalogue).count, 2)
    }

    func test_dropsWhatThreadsDoNotMeetIn() throws {
        let reports = try Arguments(["--stress"]).reports(of: catalogue)
        XCTAssertEqual(reports.map(\.title), ["Threads"])
        XCTAssertEqual(trouble("--stress", "two"), "None of these is used by several threads.")
    }

    func test_saysWhatItCannotRead() {
        XCTAssertNil(trouble("one", "--page", "somewhere"))
        XCTAssertEqual(trouble("--fast"), "Unknown option --fast. --help lists the options.")
        XCTAssertEqual(trouble("--page"), "--page needs a directory.")
        XCTAssertEqual(trouble("--page", "--thorough"), "--page needs a directory.")
        XCTAssertEqual(trouble("three"), "There is no candidate three. There are:\nThreads\n  one\nThread\n  two")
    }
}
