import HeadgateCombine
import TestSupport
import XCTest

// The type of each result is written out on the left: a test that compiles has tested that.
final class JustOperatorsTests: XCTestCase {
    private let just = Just(7)
    private typealias Throwing<Value> = Result<Value, any Error>.Publisher

    private func fails<Value>(_ publisher: Throwing<Value>) -> Bool {
        if case .failure(let error) = publisher.result { error as? TestFailure == .first } else { false }
    }

    private func value<Value>(_ publisher: Throwing<Value>) -> Value? { try? publisher.result.get() }

    private func fail<Value>(_ type: Value.Type = Value.self) throws -> Value { throw TestFailure.first }

    private func impossible(_ failure: Never) -> TestFailure {}

    func test_keepTheValueWhereThereIsNothingToChoose() {
        let results: [Just<Int>] = [
            just.min(), just.max(), just.min(by: <), just.max(by: <), just.removeDuplicates(), just.first(),
            just.last(),
            just.removeDuplicates { _, _ in true }, just.replaceError(with: 1), just.replaceEmpty(with: 1),
            just.retry(3),
        ]
        for result in results { XCTAssertEqual(result, just) }
        let kept: Throwing<Int> = just.tryRemoveDuplicates { $0 == $1 }
        XCTAssertEqual(value(kept), 7)
        let failed: Throwing<Int> = just.tryRemoveDuplicates { _, _ in throw TestFailure.first }
        XCTAssertNil(value(failed))
    }

    func test_answerAQuestionAboutTheValue() {
        let yes: [Just<Bool>] = [
            just.contains(7), just.contains { $0 > 6 }, just.allSatisfy { $0 > 6 },
        ]
        let no: [Just<Bool>] = [
            just.contains(6), just.contains { $0 > 7 }, just.allSatisfy { $0 > 7 },
        ]
        XCTAssertEqual(yes, [Just(true), Just(true), Just(true)])
        XCTAssertEqual(no, [Just(false), Just(false), Just(false)])
        let tried: [Throwing<Bool>] = [just.tryContains { $0 > 6 }, just.tryAllSatisfy { $0 > 6 }]
        XCTAssertEqual(tried.map(value), [true, true])
        let failed: [Throwing<Bool>] = [just.tryContains { _ in try fail() }, just.tryAllSatisfy { _ in try fail() }]
        XCTAssertEqual(failed.map(fails), [true, true])
        let count: Just<Int> = just.count()
        XCTAssertEqual(count, Just(1))
    }

    func test_makeSomethingOfTheValue() {
        let mapped: Just<String> = just.map { "\($0)" }
        XCTAssertEqual(mapped, Just("7"))
        let some: Optional<String>.Publisher = just.compactMap { "\($0)" }
        XCTAssertEqual(some, .init("7"))
        let none: Optional<Int>.Publisher = just.compactMap { _ in nil }
        XCTAssertEqual(none, .init(nil))
        let collected: Just<[Int]> = just.collect()
        XCTAssertEqual(collected, Just([7]))
        let tried: Throwing<String> = just.tryMap { "\($0)" }
        XCTAssertEqual(value(tried), "7")
        XCTAssertTrue(fails(just.tryMap { _ in try fail(Int.self) } as Throwing<Int>))
        let reduced: [Result<Int, Never>.Publisher] = [just.reduce(1, -), just.scan(1, -)]
        XCTAssertEqual(reduced, [.init(-6), .init(-6)])
        let tryReduced: [Throwing<Int>] = [just.tryReduce(1, -), just.tryScan(1, -)]
        XCTAssertEqual(tryReduced.map(value), [-6, -6])
        let failed: [Throwing<Int>] = [
            just.tryReduce(1) { _, _ in try fail() }, just.tryScan(1) { _, _ in try fail() },
        ]
        XCTAssertEqual(failed.map(fails), [true, true])
    }

    func test_keepOrDropTheValue() {
        let kept: [Optional<Int>.Publisher] = [
            just.filter { $0 > 6 }, just.first { $0 > 6 }, just.last { $0 > 6 }, just.prefix { $0 > 6 },
            just.drop { $0 > 7 }, just.dropFirst(0), just.prefix(1), just.prefix(9), just.output(at: 0),
            just.output(in: 0..<1), just.output(in: 0...), just.output(in: ...5),
        ]
        for result in kept { XCTAssertEqual(result, .init(7)) }
        let dropped: [Optional<Int>.Publisher] = [
            just.filter { $0 > 7 }, just.first { $0 > 7 }, just.last { $0 > 7 }, just.prefix { $0 > 7 },
            just.drop { $0 > 6 }, just.dropFirst(), just.dropFirst(9), just.prefix(0), just.output(at: 1),
            just.output(in: 1..<3), just.output(in: 0..<0), just.output(in: 2...),
        ]
        for result in dropped { XCTAssertEqual(result, .init(nil)) }
        let ignored: Empty<Int, Never> = just.ignoreOutput()
        XCTAssertEqual(ignored, Empty())
    }

    func test_putElementsAround() {
        let results: [Publishers.Sequence<[Int], Never>] = [
            just.prepend(5, 6), just.prepend(5...6), just.append(8, 9), just.append(8...9),
        ]
        XCTAssertEqual(results.map(\.sequence), [[5, 6, 7], [5, 6, 7], [7, 8, 9], [7, 8, 9]])
    }

    func test_changeTheFailureType() {
        let changed: [Result<Int, TestFailure>.Publisher] = [
            just.setFailureType(to: TestFailure.self), just.mapError(impossible),
        ]
        XCTAssertEqual(changed, [.init(7), .init(7)])
    }
}
