import HeadgateCombine
import TestSupport
import XCTest

// The type of each result is written out on the left: a test that compiles has tested that.
final class ResultOperatorsTests: XCTestCase {
    private typealias IntPublisher = Result<Int, TestFailure>.Publisher
    private typealias Throwing<Value> = Result<Value, any Error>.Publisher

    private let success = IntPublisher(7)
    private let failure = IntPublisher(.first)

    private func failure<Value>(of publisher: Throwing<Value>) -> TestFailure? {
        if case .failure(let error) = publisher.result { error as? TestFailure } else { nil }
    }

    private func value<Value>(_ publisher: Throwing<Value>) -> Value? { try? publisher.result.get() }

    private func fail<Value>(_ type: Value.Type = Value.self) throws -> Value { throw TestFailure.second }

    func test_keepTheResultWhereThereIsNothingToChoose() {
        for publisher in [success, failure] {
            let results: [IntPublisher] = [
                publisher.min(), publisher.max(), publisher.min(by: <), publisher.max(by: <),
                publisher.removeDuplicates(), publisher.removeDuplicates { _, _ in true }, publisher.first(),
                publisher.last(), publisher.replaceEmpty(with: 1), publisher.retry(3),
            ]
            for result in results { XCTAssertEqual(result, publisher) }
            let kept: [Throwing<Int>] = [
                publisher.tryMin { $0 < $1 }, publisher.tryMax { $0 < $1 }, publisher.tryRemoveDuplicates { $0 == $1 },
            ]
            XCTAssertEqual(kept.map(value), Array(repeating: publisher == success ? 7 : nil, count: 3))
            let tried: [Throwing<Int>] = [
                publisher.tryMin { _, _ in throw TestFailure.second },
                publisher.tryMax { _, _ in throw TestFailure.second },
                publisher.tryRemoveDuplicates { _, _ in throw TestFailure.second },
            ]
            XCTAssertEqual(tried.map(failure), Array(repeating: publisher == success ? .second : .first, count: 3))
        }
    }

    func test_answerAQuestionAboutTheValue() {
        let answers: (IntPublisher) -> [Result<Bool, TestFailure>.Publisher] = { publisher in
            [
                publisher.contains(7), publisher.contains { $0 > 6 }, publisher.allSatisfy { $0 > 6 },
                publisher.contains(6), publisher.contains { $0 > 7 }, publisher.allSatisfy { $0 > 7 },
            ]
        }
        XCTAssertEqual(answers(success), [true, true, true, false, false, false].map { .init($0) })
        XCTAssertEqual(answers(failure), Array(repeating: .init(.first), count: 6))
        let counts: [Result<Int, TestFailure>.Publisher] = [success.count(), failure.count()]
        XCTAssertEqual(counts, [.init(1), .init(.first)])
        let tried: (IntPublisher) -> [Throwing<Bool>] = { publisher in
            [publisher.tryContains { $0 > 6 }, publisher.tryAllSatisfy { $0 > 6 }]
        }
        XCTAssertEqual(tried(success).map(value), [true, true])
        XCTAssertEqual(tried(failure).map(failure), [.first, .first])
        let failed: [Throwing<Bool>] = [
            success.tryContains { _ in try fail() }, success.tryAllSatisfy { _ in try fail() },
        ]
        XCTAssertEqual(failed.map(failure), [.second, .second])
    }

    func test_makeSomethingOfTheValue() {
        let mapped: [Result<String, TestFailure>.Publisher] = [success.map { "\($0)" }, failure.map { "\($0)" }]
        XCTAssertEqual(mapped, [.init("7"), .init(TestFailure.first)])
        let collected: [Result<[Int], TestFailure>.Publisher] = [success.collect(), failure.collect()]
        XCTAssertEqual(collected, [.init([7]), .init(.first)])
        let reduced: [IntPublisher] = [
            success.reduce(1, -), success.scan(1, -), failure.reduce(1, -), failure.scan(1, -),
        ]
        XCTAssertEqual(reduced, [.init(-6), .init(-6), failure, failure])
        let tried: (IntPublisher) -> [Throwing<Int>] = { publisher in
            [publisher.tryMap { $0 - 13 }, publisher.tryReduce(1, -), publisher.tryScan(1, -)]
        }
        XCTAssertEqual(tried(success).map(value), [-6, -6, -6])
        XCTAssertEqual(tried(failure).map(failure), [.first, .first, .first])
        let failed: [Throwing<Int>] = [
            success.tryMap { _ in try fail() }, success.tryReduce(1) { _, _ in try fail() },
            success.tryScan(1) { _, _ in try fail() },
        ]
        XCTAssertEqual(failed.map(failure), [.second, .second, .second])
    }

    func test_replaceOrChangeTheFailure() {
        let replaced: [Result<Int, Never>.Publisher] = [success.replaceError(with: 1), failure.replaceError(with: 1)]
        XCTAssertEqual(replaced, [.init(7), .init(1)])
        struct Other: Error, Equatable {}
        let changed: [Result<Int, Other>.Publisher] = [
            success.mapError { _ in Other() }, failure.mapError { _ in Other() },
        ]
        XCTAssertEqual(changed, [.init(7), .init(Other())])
        let set: IntPublisher = Result<Int, Never>.success(7).publisher.setFailureType(to: TestFailure.self)
        XCTAssertEqual(set, success)
    }
}
