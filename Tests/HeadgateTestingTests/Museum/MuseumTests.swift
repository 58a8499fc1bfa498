import HeadgateTesting
import XCTest

/// Every exhibit has to be caught, and by the rule that it breaks.
final class MuseumTests: XCTestCase {
    private let brisk = Effort(systematicScripts: 600, randomScripts: 60, patience: 50)

    func test_everyExhibitIsCaughtByTheRuleThatItBreaks() {
        for exhibit in Museum.halls.flatMap(\.exhibits) {
            let (marks, report) = exhibit.look(brisk)
            XCTAssertTrue(marks.contains(exhibit.mark), "\(exhibit.name) is not caught by \(exhibit.mark): \(report)")
        }
    }
}
