import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

// The type of each result is written out on the left: a test that compiles has tested that.
final class SequenceOperatorsTests: XCTestCase {
    private let numbers = [1, 2, 3].publisher

    private func values<P: Publisher>(of publisher: P, demand: Subscribers.Demand = .unlimited) -> [P.Output] {
        let subscriber = TestSubscriber<P.Output, P.Failure>.checked(requesting: demand)
        publisher.subscribe(subscriber)
        return subscriber.values
    }

    func test_changeTheFailureType() {
        let changed: Publishers.Sequence<[Int], TestFailure> = numbers.setFailureType(to: TestFailure.self)
        XCTAssertEqual(changed.sequence, [1, 2, 3])
    }

    func test_dropOrKeepTheFirstElements() {
        let dropped: Publishers.Sequence<DropFirstSequence<[Int]>, Never> = numbers.dropFirst()
        XCTAssertEqual(values(of: dropped), [2, 3])
        XCTAssertEqual(values(of: numbers.dropFirst(9)), [])
        let prefix: Publishers.Sequence<PrefixSequence<[Int]>, Never> = numbers.prefix(2)
        XCTAssertEqual(values(of: prefix), [1, 2])
        XCTAssertEqual(values(of: numbers.prefix(0)), [])
    }

    func test_takeEndlessSequencesWithoutReadingThemAhead() {
        var read = 0
        let endless = sequence(state: 0) { state -> Int? in
            state += 1
            read = state
            return state
        }
        let prefix = endless.publisher.prefix(3)
        let dropped = endless.publisher.dropFirst(5)
        XCTAssertEqual(read, 0)
        XCTAssertEqual(values(of: prefix), [1, 2, 3])
        XCTAssertEqual(read, 3)
        XCTAssertEqual(values(of: dropped, demand: .max(2)), [6, 7])
        XCTAssertEqual(read, 7)
        let ignored: Empty<Int, Never> = endless.publisher.ignoreOutput()
        XCTAssertEqual(ignored, Empty())
    }

    func test_findAnElementOfACollection() {
        let found: [Optional<Int>.Publisher] = [numbers.first(), numbers.last(), numbers.output(at: 1)]
        XCTAssertEqual(found.map(\.output), [1, 3, 2])
        let none = [Int]().publisher
        let missed: [Optional<Int>.Publisher] = [
            none.first(), none.last(), none.output(at: 0), numbers.output(at: 3), numbers.output(at: -1),
        ]
        XCTAssertEqual(missed.map(\.output), [nil, nil, nil, nil, nil])
        let text = "abc"
        let letter: Optional<Character>.Publisher = text.publisher.output(at: text.index(after: text.startIndex))
        XCTAssertEqual(letter.output, "b")
    }

    func test_findElementsOfACollectionSoFarAsTheyExist() {
        let found: Publishers.Sequence<[Int], Never> = numbers.output(in: 1..<9)
        XCTAssertEqual(found.sequence, [2, 3])
        XCTAssertEqual(numbers.output(in: 5..<9).sequence, [])
        let text = "abc"
        let letters = text.publisher.output(in: text.index(after: text.startIndex)..<text.endIndex)
        XCTAssertEqual(letters.sequence, ["b", "c"])
    }

    func test_countWhatNeedNotBeCounted() {
        let count: Just<Int> = numbers.count()
        XCTAssertEqual(count, Just(3))
        let other: Result<Int, TestFailure>.Publisher = numbers.setFailureType(to: TestFailure.self).count()
        XCTAssertEqual(other, .init(3))
    }

    func test_putElementsAround() {
        let results: [Publishers.Sequence<[Int], Never>] = [
            numbers.prepend(8, 9), numbers.prepend(8...9), numbers.prepend([8, 9].publisher),
            numbers.append(8, 9), numbers.append(8...9), numbers.append([8, 9].publisher),
        ]
        XCTAssertEqual(
            results.map(\.sequence),
            [
                [8, 9, 1, 2, 3], [8, 9, 1, 2, 3], [8, 9, 1, 2, 3],
                [1, 2, 3, 8, 9], [1, 2, 3, 8, 9], [1, 2, 3, 8, 9],
            ])
    }

    func test_areNotEvaluatedAheadWhereTheyHaveToReadTheElements() {
        var calls = 0
        let mapped = (1...).publisher.map { number -> Int in
            calls += 1
            return number * 10
        }
        XCTAssertEqual(calls, 0)
        XCTAssertEqual(values(of: mapped.filter { $0 > 10 }, demand: .max(2)), [20, 30])
        XCTAssertEqual(calls, 3)
    }
}
