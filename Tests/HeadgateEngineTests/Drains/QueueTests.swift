import TestSupport
import XCTest

import HeadgateCombine
import HeadgateEngine

final class QueueTests: XCTestCase {
    func test_givesBackInTheOrderOfArrivalWhateverTheMixOfAddingAndTaking() {
        // Every sequence of eight steps, each an addition or a removal, against an array.
        for pattern in 0..<256 {
            var queue = Queue<Int>()
            var model: [Int] = []
            for step in 0..<8 {
                if pattern >> step & 1 == 0 {
                    queue.append(step)
                    model.append(step)
                } else {
                    XCTAssertEqual(queue.popFirst(), model.isEmpty ? nil : model.removeFirst())
                }
                XCTAssertEqual(queue.count, model.count)
                XCTAssertEqual(queue.isEmpty, model.isEmpty)
                XCTAssertEqual(queue.first, model.first)
            }
        }
    }

    func test_wrapsAroundAndGrowsInTheMiddle() {
        var queue = Queue<Int>()
        var next = 0
        for number in 0..<10_000 {
            queue.append(number)
            if number % 3 == 2 {
                XCTAssertEqual(queue.popFirst(), next)
                next += 1
            }
        }
        while let number = queue.popFirst() {
            XCTAssertEqual(number, next)
            next += 1
        }
        XCTAssertEqual(next, 10_000)
    }

    func test_releasesWhatIsTakenOut() {
        let before = Tracked.count
        var queue = Queue<Tracked>()
        for _ in 0..<5 { queue.append(Tracked()) }
        queue.removeFirst()
        _ = queue.popFirst()
        XCTAssertEqual(Tracked.count, before + 3)
        queue = Queue()
        XCTAssertEqual(Tracked.count, before)
    }

    func test_reportsAnAbsentElementFromAnElementThatIsNil() {
        var queue = Queue<Int?>()
        XCTAssertTrue(queue.first == nil)
        queue.append(nil)
        XCTAssertTrue(queue.first == .some(nil))
        XCTAssertTrue(queue.popFirst() == .some(nil))
        XCTAssertTrue(queue.popFirst() == nil)
    }
}
