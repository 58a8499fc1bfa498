import PartitionChecker
import XCTest

/// The checker finds in made-up histories what it is to find, and nothing in those that are right.
final class CheckerTests: XCTestCase {
    private func promises(_ lines: String...) -> [Int] {
        let history = History([lines.joined(separator: "\n") + "\n"])
        return Checker.check(history, partitions: 2, lease: 1_000).map(\.promise)
    }

    /// Two entries of a key, the first of which is done with.
    private let first = [
        "A 1 0 1 k", "A 2 0 2 k", "O 3 a 0 7", "H 4 a 0 7 1", "W 5 a 0 7 1", "Q 6 a 0 7 1", "K 7 a 0 7 1",
    ]

    private func promises(_ before: [String], _ after: String...) -> [Int] {
        Checker.check(History([(before + after).joined(separator: "\n") + "\n"]), partitions: 2, lease: 1_000).map(
            \.promise)
    }

    func test_findsNothingInWhatIsRight() {
        XCTAssertEqual(promises(first, "H 8 a 0 7 2", "W 9 a 0 7 2", "Q 10 a 0 7 2", "K 11 a 0 7 2"), [])
        // A worker is killed, and another goes on.
        XCTAssertEqual(promises(first, "H 8 a 0 7 2", "D 9 a", "O 20 b 0 9", "H 21 b 0 9 2", "W 22 b 0 9 2"), [])
        // The last line of a process that was killed.
        let history = History([first.joined(separator: "\n") + "\nH 8 a 0"])
        XCTAssertEqual(Checker.check(history, partitions: 2, lease: 1_000).map(\.promise), [3])
    }

    func test_findsEntriesInTheWrongOrder() {
        XCTAssertEqual(
            promises("A 1 0 1 k", "A 2 0 2 k", "H 4 a 0 7 1", "H 5 a 0 7 2", "W 6 a 0 7 1", "W 7 a 0 7 2"), [1])
        XCTAssertEqual(
            promises("A 1 0 1 k", "A 2 0 2 k", "H 4 a 0 7 2", "W 5 a 0 7 2", "H 6 b 0 9 1", "W 7 b 0 9 1"), [1])
        XCTAssertEqual(promises("A 1 0 1 k", "A 2 1 2 k", "W 6 a 0 7 1", "W 7 a 1 7 2"), [1])
    }

    func test_findsThatFailedWorkHoldsNothingBack() {
        XCTAssertEqual(
            promises(
                "A 1 0 1 k", "A 2 0 2 k", "H 4 a 0 7 1", "F 5 a 0 7 1", "H 6 a 0 7 2", "W 7 a 0 7 2", "H 8 b 0 9 1",
                "W 9 b 0 9 1"), [6, 6])
    }

    func test_findsTwoOwners() {
        XCTAssertEqual(promises(first, "W 9 a 0 7 2", "O 10 b 0 7"), [2])
        XCTAssertEqual(
            promises("A 1 0 1 k", "O 2 a 0 7", "H 3 a 0 7 1", "O 4 b 0 9", "W 5 a 0 7 1", "Q 6 a 0 7 1", "K 7 a 0 7 1"),
            [2])
        XCTAssertEqual(
            promises("O 2 a 0 7", "O 4 b 0 9", "B 5 0 1", "A 6 0 1 k", "H 7 a 0 7 1", "W 8 a 0 7 1"), [2])
    }

    func test_findsWhatIsLostOrRepeated() {
        XCTAssertEqual(promises("A 1 0 1 k"), [3])
        XCTAssertEqual(promises("A 1 0 1 k", "G 0 1"), [])
        XCTAssertEqual(promises(first, "W 8 a 0 7 2", "H 9 b 0 9 1"), [3])
    }

    /// A worker that was stopped while it handed out knows afterwards that it holds nothing any more.
    func test_whatIsHandedOutLateIsNotHeld() {
        let done = first + ["O 2 z 0 5", "W 8 a 0 7 2"]
        XCTAssertEqual(promises(done, "h 9 z 0 5 1"), [])
        XCTAssertEqual(promises(done, "H 9 z 0 5 1"), [3])
        XCTAssertEqual(promises(done, "h 9 a 0 7 1"), [3])
    }

    func test_findsUnequalShares() {
        let two = ["S 1 a", "S 2 b", "O 3 a 0 7"]
        XCTAssertEqual(promises(two, "O 4 b 1 8", "E 9000 -"), [])
        XCTAssertEqual(promises(two, "E 9000 -"), [4, 4])
        XCTAssertEqual(promises(two, "O 4 a 1 8", "E 9000 -"), [4])
        XCTAssertEqual(promises(two, "O 4 b 1 8", "D 5 b", "E 9000 -"), [4, 4])
        XCTAssertEqual(promises(two, "O 4 b 1 8", "D 5 b", "O 2000 a 1 9", "E 9000 -"), [])
        // Not long enough after the change.
        XCTAssertEqual(promises(two, "E 900 -"), [])
    }

    func test_findsAHandOverThatDoesNotWait() {
        let leaving = ["A 1 0 1 k", "O 2 a 0 7", "H 3 a 0 7 1", "W 4 a 0 7 1", "L 5 a"]
        XCTAssertEqual(promises(leaving, "O 7 b 0 9", "H 8 b 0 9 1"), [5])
        XCTAssertEqual(promises(leaving, "D 6 a", "O 7 b 0 9", "H 8 b 0 9 1"), [])
        XCTAssertEqual(promises(leaving, "N 6 -", "O 7 b 0 9", "H 8 b 0 9 1"), [])
    }
}
