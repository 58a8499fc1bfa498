import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

/// Client code that spells out Combine's types compiles, and no other code gets them.
final class SequenceDeclaredTypesTests: XCTestCase {
    private func values<P: Publisher>(of publisher: P) -> [P.Output] {
        let subscriber = TestSubscriber<P.Output, P.Failure>.checked(.unlimited)
        publisher.subscribe(subscriber)
        return subscriber.values
    }

    func test_aSequenceIsWhatTheDeclaredTypeSays() {
        let numbers = [3, 1, 1, 2].publisher
        let mapped: Publishers.Sequence<[Int], Never> = numbers.map { $0 * 2 }
        XCTAssertEqual(mapped.sequence, [6, 2, 2, 4])
        let filtered: Publishers.Sequence<[Int], Never> = numbers.filter { $0 > 1 }
        XCTAssertEqual(filtered.sequence, [3, 2])
        let compacted: Publishers.Sequence<[String], Never> = numbers.compactMap { $0 > 1 ? "\($0)" : nil }
        XCTAssertEqual(compacted.sequence, ["3", "2"])
        let scanned: Publishers.Sequence<[Int], Never> = numbers.scan(0, +)
        XCTAssertEqual(scanned.sequence, [3, 4, 5, 7])
        let distinct: Publishers.Sequence<[Int], Never> = numbers.removeDuplicates()
        XCTAssertEqual(distinct.sequence, [3, 1, 2])
        let prefix: Publishers.Sequence<[Int], Never> = numbers.prefix(while: { $0 > 2 })
        XCTAssertEqual(prefix.sequence, [3])
        let rest: Publishers.Sequence<DropWhileSequence<[Int]>, Never> = numbers.drop(while: { $0 > 2 })
        XCTAssertEqual(Array(rest.sequence), [1, 1, 2])
        let known: Publishers.Sequence<[Int?], Never> = [1, nil].publisher.replaceNil(with: 7)
        XCTAssertEqual(known.sequence, [1, 7])
        let chained: Publishers.Sequence<[String], Never> = numbers.map { $0 * 2 }.filter { $0 > 2 }.map { "\($0)" }
        XCTAssertEqual(chained.sequence, ["6", "4"])
    }

    func test_aResultIsWhatTheDeclaredTypeSays() {
        let numbers = [3, 1, 1, 2].publisher
        let collected: Result<[Int], Never>.Publisher = numbers.collect()
        XCTAssertEqual(values(of: collected), [[3, 1, 1, 2]])
        let sum: Result<Int, Never>.Publisher = numbers.reduce(0, +)
        XCTAssertEqual(values(of: sum), [7])
        let product: Result<Int, any Error>.Publisher = numbers.tryReduce(1, *)
        XCTAssertEqual(values(of: product), [6])
        let failed: Result<Int, any Error>.Publisher = numbers.tryReduce(1) { _, _ in throw TestFailure.first }
        XCTAssertThrowsError(try failed.result.get())
        let contained: Result<Bool, Never>.Publisher = numbers.contains(2)
        XCTAssertEqual(values(of: contained), [true])
        let found: Result<Bool, Never>.Publisher = numbers.contains(where: { $0 > 3 })
        XCTAssertEqual(values(of: found), [false])
        let tried: Result<Bool, any Error>.Publisher = numbers.tryContains(where: { $0 > 2 })
        XCTAssertEqual(values(of: tried), [true])
        let all: Result<Bool, Never>.Publisher = numbers.allSatisfy { $0 > 0 }
        XCTAssertEqual(values(of: all), [true])
        let triedAll: Result<Bool, any Error>.Publisher = numbers.tryAllSatisfy { $0 > 1 }
        XCTAssertEqual(values(of: triedAll), [false])
        let count: Result<Int, Never>.Publisher = Set([1, 2]).publisher.count()
        XCTAssertEqual(values(of: count), [2])
    }

    func test_anOptionalIsWhatTheDeclaredTypeSays() {
        let numbers = [3, 1, 1, 2].publisher
        let least: Optional<Int>.Publisher = numbers.min()
        let greatest: Optional<Int>.Publisher = numbers.max()
        let leastByOrder: Optional<Int>.Publisher = numbers.min(by: >)
        let greatestByOrder: Optional<Int>.Publisher = numbers.max(by: >)
        let first: Optional<Int>.Publisher = numbers.first(where: { $0 < 3 })
        let last: Optional<Int>.Publisher = numbers.last(where: { $0 > 2 })
        XCTAssertEqual(
            [least, greatest, leastByOrder, greatestByOrder, first, last].map(\.output), [1, 3, 3, 1, 1, 3])
    }

    func test_theLazyOperatorsServeWhereNoTypeIsDeclared() {
        var calls = 0
        let mapped = (1...3).publisher.map { number -> Int in
            calls += 1
            return number
        }
        XCTAssertEqual(calls, 0)
        XCTAssertTrue(type(of: mapped) == Publishers.Map<Publishers.Sequence<ClosedRange<Int>, Never>, Int>.self)
        let collected = (1...3).publisher.collect()
        XCTAssertTrue(type(of: collected) == Publishers.Collect<Publishers.Sequence<ClosedRange<Int>, Never>>.self)
        let endless: AnyPublisher<Int, Never> = sequence(first: 1) { $0 + 1 }.publisher
            .map { $0 * 2 }.filter { $0 > 2 }.compactMap { $0 }.removeDuplicates().prefix(2).eraseToAnyPublisher()
        XCTAssertEqual(values(of: endless), [4, 6])
    }
}
