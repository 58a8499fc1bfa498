import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

final class AlarmHeapTests: XCTestCase {
    private func drained(_ heap: AlarmHeap<UInt64, Int>, at moment: UInt64 = .max) -> [Int] {
        var heap = heap
        return heap.removeAll(dueAt: moment)
    }

    /// A heap, and what is in it in the order in which it should come out.
    private func shuffled(_ count: Int, dates: UInt64, seed: UInt64) -> (AlarmHeap<UInt64, Int>, [Int]) {
        var generator = SeededGenerator(seed: seed)
        var heap = AlarmHeap<UInt64, Int>()
        var dated: [(date: UInt64, item: Int)] = []
        for item in 0..<count {
            let date = UInt64.random(in: 0..<dates, using: &generator)
            heap.insert(item, at: date)
            dated.append((date, item))
        }
        return (heap, dated.sorted { ($0.date, $0.item) < ($1.date, $1.item) }.map(\.item))
    }

    func test_comesOutInTheOrderOfMomentsAndThenOfAge() {
        for seed in UInt64(1)...200 {
            let (heap, expected) = shuffled(Int(seed % 40), dates: 1 + seed % 13, seed: seed)
            XCTAssertEqual(drained(heap), expected, "seed \(seed)")
        }
    }

    func test_nothingComesOutBeforeItsMoment() {
        var heap = AlarmHeap<UInt64, Int>()
        heap.insert(1, at: 10)
        heap.insert(2, at: .max)
        XCTAssertEqual(heap.date, 10)
        XCTAssertEqual(heap.removeAll(dueAt: 9), [])
        XCTAssertEqual(heap.removeAll(dueAt: 10), [1])
        XCTAssertEqual(heap.removeAll(dueAt: .max - 1), [])
        XCTAssertEqual(drained(heap), [2])
    }

    func test_whatComesInReportsWhetherItIsFirst() {
        var heap = AlarmHeap<UInt64, Int>()
        XCTAssertTrue(heap.insert(1, at: 2))
        XCTAssertFalse(heap.insert(2, at: 2))
        XCTAssertFalse(heap.insert(3, at: 3))
        XCTAssertTrue(heap.insert(4, at: 1))
    }

    func test_releasesWhatComesOut() {
        let before = Tracked.count
        var heap = AlarmHeap<UInt64, Tracked>()
        for date in UInt64(0)..<10 { heap.insert(Tracked(), at: date) }
        _ = heap.removeAll(dueAt: 4)
        XCTAssertEqual(Tracked.count, before + 5)
    }

    func test_growsInProportionToTheNumberOfItems() {
        assertGrowsLinearly(from: 4_000) { count in
            var heap = AlarmHeap<UInt64, Int>()
            // Later and later, which an array that has the first one last would move out of the way each time.
            for item in 0..<count { heap.insert(item, at: UInt64(item)) }
            for item in 0..<count { _ = heap.removeAll(dueAt: UInt64(item)) }
        }
    }

    func test_whatIsKeptKeepsItsOrderWhenOthersAreRemoved() {
        for seed in UInt64(1)...200 {
            var (heap, expected) = shuffled(Int(seed % 40), dates: 1 + seed % 13, seed: seed)
            let removed = heap.removeAll { $0.isMultiple(of: 3) }
            XCTAssertEqual(removed.sorted(), expected.filter { $0.isMultiple(of: 3) }.sorted(), "seed \(seed)")
            XCTAssertEqual(drained(heap), expected.filter { !$0.isMultiple(of: 3) }, "seed \(seed)")
        }
    }

    func test_keepsItsOrderWithTwentyThousand() {
        let (heap, expected) = shuffled(20_000, dates: 1000, seed: 7)
        XCTAssertEqual(heap.count, 20_000)
        XCTAssertEqual(drained(heap), expected)
    }
}
