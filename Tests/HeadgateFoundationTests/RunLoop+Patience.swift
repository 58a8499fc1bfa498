import Foundation
import XCTest

extension RunLoop {
    /// Runs until something has happened, or for far longer than anything in these tests takes.
    func run(until hasHappened: () -> Bool, file: StaticString = #filePath, line: UInt = #line) {
        let end = Date() + 60
        // Timers alone do not make a run loop return, so it is looked at now and then.
        while !hasHappened(), Date() < end { run(until: Date() + 0.002) }
        XCTAssertTrue(hasHappened(), "It has not happened within a minute.", file: file, line: line)
    }
}
