import HeadgateCombine
import TestSupport
import XCTest

// The type of each result is written out on the left: a test that compiles has tested that.
final class OptionalOperatorsTests: XCTestCase {
    private typealias IntPublisher = Optional<Int>.Publisher

    private let some = IntPublisher(7)
    private let none = IntPublisher(nil)

    func test_keepTheValueWhereThereIsNothingToChoose() {
        for publisher in [some, none] {
            let results: [IntPublisher] = [
                publisher.min(), publisher.max(), publisher.min(by: <), publisher.max(by: <),
                publisher.removeDuplicates(), publisher.removeDuplicates { _, _ in true }, publisher.first(),
                publisher.last(), publisher.replaceError(with: 1), publisher.retry(3), publisher.dropFirst(0),
                publisher.prefix(1), publisher.output(at: 0), publisher.output(in: 0...2),
            ]
            for result in results { XCTAssertEqual(result, publisher) }
        }
    }

    func test_answerAQuestionAboutTheValueIfThereIsOne() {
        let answers: (IntPublisher) -> [Optional<Bool>.Publisher] = { publisher in
            [
                publisher.contains(7), publisher.contains { $0 > 6 }, publisher.allSatisfy { $0 > 6 },
                publisher.contains(6), publisher.contains { $0 > 7 }, publisher.allSatisfy { $0 > 7 },
            ]
        }
        XCTAssertEqual(answers(some).map(\.output), [true, true, true, false, false, false])
        XCTAssertEqual(answers(none).map(\.output), [nil, nil, nil, nil, nil, nil])
        let counts: [Optional<Int>.Publisher] = [some.count(), none.count()]
        XCTAssertEqual(counts.map(\.output), [1, nil])
    }

    func test_makeSomethingOfTheValue() {
        let mapped: [Optional<String>.Publisher] = [
            some.map { "\($0)" }, some.compactMap { "\($0)" }, some.compactMap { _ in nil },
            none.map { "\($0)" }, none.compactMap { "\($0)" },
        ]
        XCTAssertEqual(mapped.map(\.output), ["7", "7", nil, nil, nil])
        let collected: [Optional<[Int]>.Publisher] = [some.collect(), none.collect()]
        XCTAssertEqual(collected.map(\.output), [[7], []])
        let reduced: [IntPublisher] = [some.reduce(1, -), some.scan(1, -), none.reduce(1, -), none.scan(1, -)]
        XCTAssertEqual(reduced.map(\.output), [-6, -6, nil, nil])
    }

    func test_keepOrDropTheValue() {
        let kept: [IntPublisher] = [
            some.filter { $0 > 6 }, some.first { $0 > 6 }, some.last { $0 > 6 }, some.prefix { $0 > 6 },
            some.drop { $0 > 7 }, some.output(in: 0...), some.output(in: ...Int.max), some.output(in: 0...Int.max),
            some.prefix(9),
        ]
        for result in kept { XCTAssertEqual(result, some) }
        let dropped: [IntPublisher] = [
            some.filter { $0 > 7 }, some.first { $0 > 7 }, some.last { $0 > 7 }, some.prefix { $0 > 7 },
            some.drop { $0 > 6 }, some.dropFirst(), some.prefix(0), some.output(at: 1), some.output(in: 1...),
            some.output(in: 0..<0), none.filter { $0 > 6 }, none.drop { $0 > 7 }, none.dropFirst(),
        ]
        for result in dropped { XCTAssertEqual(result, none) }
        let ignored: Empty<Int, Never> = some.ignoreOutput()
        XCTAssertEqual(ignored, Empty())
    }

    func test_replaceAMissingValue() {
        let replaced: [Just<Int>] = [some.replaceEmpty(with: 1), none.replaceEmpty(with: 1)]
        XCTAssertEqual(replaced, [Just(7), Just(1)])
    }
}
