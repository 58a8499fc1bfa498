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

    func test_aCopyKeepsItsElementsWhateverHappensToTheOther() {
        for removed in 0..<6 {
            for appended in 0..<6 {
                // Wrapped around: the elements are in two halves of the ring.
                var queue = Queue<Int>()
                for number in 0..<3 { queue.append(number) }
                for _ in 0..<3 { queue.removeFirst() }
                for number in 0..<4 { queue.append(number) }
                var copy = queue
                for number in 0..<appended { copy.append(10 + number) }
                for _ in 0..<removed { _ = queue.popFirst() }
                XCTAssertEqual(
                    Array(draining: &copy), Array(0..<4) + Array(10..<10 + appended), "\(removed), \(appended)")
                XCTAssertEqual(Array(draining: &queue), Array((0..<4).dropFirst(removed)), "\(removed), \(appended)")
            }
        }
    }

    func test_releasesTheElementsOfBothHalvesOnceWhenItGrowsIsCopiedAndEnds() {
        let before = Tracked.count
        var queue = Queue<Tracked>()
        for _ in 0..<3 { queue.append(Tracked()) }
        for _ in 0..<3 { queue.removeFirst() }
        for _ in 0..<9 { queue.append(Tracked()) }
        XCTAssertEqual(Tracked.count, before + 9)
        var copy: Queue<Tracked>? = queue
        copy?.removeFirst()
        XCTAssertEqual(Tracked.count, before + 9)
        queue.removeFirst()
        XCTAssertEqual(Tracked.count, before + 8)
        queue = Queue()
        XCTAssertEqual(Tracked.count, before + 8)
        copy = nil
        XCTAssertEqual(Tracked.count, before)
    }
}

extension Array {
    fileprivate init(draining queue: inout Queue<Element>) {
        self = []
        while let element = queue.popFirst() { append(element) }
    }
}
