import HeadgateCore
import Synchronization
import TestSupport
import XCTest

final class AnyCancellableTests: XCTestCase {
    private final class Counter: Cancellable {
        var count = 0

        func cancel() { count += 1 }
    }

    func test_cancelsOnceHoweverOftenItIsReported() {
        var count = 0
        let cancellable = AnyCancellable { count += 1 }
        XCTAssertEqual(count, 0)
        cancellable.cancel()
        cancellable.cancel()
        XCTAssertEqual(count, 1)
    }

    func test_cancelsWhenTheLastReferenceIsReleased() {
        var count = 0
        var first: AnyCancellable? = AnyCancellable { count += 1 }
        var second = first
        first = nil
        XCTAssertEqual(count, 0)
        XCTAssertNotNil(second)
        second = nil
        XCTAssertEqual(count, 1)
    }

    func test_doesNotCancelAgainWhenTheLastReferenceIsReleased() {
        var count = 0
        do {
            let cancellable = AnyCancellable { count += 1 }
            cancellable.cancel()
        }
        XCTAssertEqual(count, 1)
    }

    func test_cancelsWhatItWraps() {
        let counter = Counter()
        let cancellable = AnyCancellable(counter)
        cancellable.cancel()
        cancellable.cancel()
        XCTAssertEqual(counter.count, 1)
    }

    func test_releasesWhatItWrapsWhenItCancels() {
        weak var weakCounter: Counter?
        let cancellable: AnyCancellable
        do {
            let counter = Counter()
            weakCounter = counter
            cancellable = AnyCancellable(counter)
        }
        XCTAssertNotNil(weakCounter)
        cancellable.cancel()
        XCTAssertNil(weakCounter)
    }

    func test_mayBeCalledFromInsideItsClosure() {
        var cancellable: AnyCancellable?
        var count = 0
        cancellable = AnyCancellable {
            count += 1
            cancellable?.cancel()
        }
        cancellable?.cancel()
        XCTAssertEqual(count, 1)
    }

    func test_cancelsOnceWhateverTheThreads() {
        for _ in 0..<50 {
            let count = Atomic(0)
            let cancellable = AnyCancellable { count.add(1, ordering: .relaxed) }
            onThreads(4) { _ in cancellable.cancel() }
            XCTAssertEqual(count.load(ordering: .acquiring), 1)
        }
    }

    func test_isKeptAliveInASetAndCancelledWithIt() {
        var count = 0
        var set: Set<AnyCancellable> = []
        AnyCancellable { count += 1 }.store(in: &set)
        let counter = Counter()
        counter.store(in: &set)
        XCTAssertEqual(set.count, 2)
        XCTAssertEqual(count + counter.count, 0)
        set = []
        XCTAssertEqual([count, counter.count], [1, 1])
    }

    func test_isKeptAliveInACollectionAndCancelledWithIt() {
        var count = 0
        var array: [AnyCancellable] = []
        var contiguous: ContiguousArray<AnyCancellable> = []
        AnyCancellable { count += 1 }.store(in: &array)
        let counter = Counter()
        counter.store(in: &contiguous)
        XCTAssertEqual(array.count + contiguous.count, 2)
        array.removeAll()
        contiguous.removeAll()
        XCTAssertEqual([count, counter.count], [1, 1])
    }

    func test_isEqualToItselfOnly() {
        let first = AnyCancellable {}
        let second = AnyCancellable {}
        XCTAssertEqual(first, first)
        XCTAssertNotEqual(first, second)
        XCTAssertEqual(first.hashValue, first.hashValue)
        XCTAssertEqual(Set([first, second, first]).count, 2)
    }
}
