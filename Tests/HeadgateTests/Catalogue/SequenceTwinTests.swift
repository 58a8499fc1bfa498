import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// Operators that have the name of something that sequences can do give the same results.
final class SequenceTwinTests: XCTestCase {
    private typealias Upstream = AnyPublisher<Int, TestFailure>

    private struct Twin {
        let name: String
        let publish: (Upstream) -> AnyPublisher<String, TestFailure>
        let compute: ([Int]) -> [String]

        init<P: Publisher, Result>(
            _ name: String, _ publish: @escaping (Upstream) -> P, _ compute: @escaping ([Int]) -> [Result]
        ) where P.Output == Result, P.Failure == TestFailure {
            self.name = name
            self.publish = { publish($0).map { "\($0)" }.eraseToAnyPublisher() }
            self.compute = { compute($0).map { "\($0)" } }
        }
    }

    private static func numbers(_ count: Int) -> Upstream {
        (0..<count).publisher.setFailureType(to: TestFailure.self).eraseToAnyPublisher()
    }

    /// An order in which different numbers are equal: which of them is found shows.
    private static func hasLessRest(_ number: Int, _ other: Int) -> Bool { number % 3 < other % 3 }

    private var twins: [Twin] { transforming + trimming + folding + joining }

    private var transforming: [Twin] {
        [
            Twin("map", { $0.map { $0 * 3 } }, { $0.map { $0 * 3 } }),
            Twin("filter", { $0.filter { $0.isMultiple(of: 3) } }, { $0.filter { $0.isMultiple(of: 3) } }),
            Twin("compactMap", { $0.compactMap { $0 > 4 ? $0 : nil } }, { $0.compactMap { $0 > 4 ? $0 : nil } }),
            Twin("flatMap", { $0.flatMap { Self.numbers($0) } }, { $0.flatMap { Array(0..<$0) } }),
            Twin(
                "scan", { $0.scan(1) { $0 &* 3 &+ $1 } },
                { $0.reduce(into: [1]) { $0.append($0[$0.count - 1] &* 3 &+ $1) }.dropFirst().map { $0 } }),
            Twin(
                "removeDuplicates", { $0.removeDuplicates() },
                { $0.reduce(into: []) { if $0.last != $1 { $0.append($1) } } }),
            Twin(
                "collect(3)", { $0.collect(3) },
                { all in stride(from: 0, to: all.count, by: 3).map { Array(all[$0..<min($0 + 3, all.count)]) } }),
        ]
    }

    private var trimming: [Twin] {
        [
            Twin("prefix", { $0.prefix(4) }, { Array($0.prefix(4)) }),
            Twin("dropFirst", { $0.dropFirst(4) }, { Array($0.dropFirst(4)) }),
            Twin("prefix(while:)", { $0.prefix { $0 < 6 } }, { Array($0.prefix { $0 < 6 }) }),
            Twin("drop(while:)", { $0.drop { $0 < 6 } }, { Array($0.drop { $0 < 6 }) }),
            Twin("output(in:)", { $0.output(in: 2...5) }, { Array($0.dropFirst(2).prefix(4)) }),
            Twin("output(at:)", { $0.output(at: 3) }, { Array($0.dropFirst(3).prefix(1)) }),
            Twin("first", { $0.first() }, { Array($0.prefix(1)) }),
            Twin("first(where:)", { $0.first { $0 > 5 } }, { $0.first { $0 > 5 }.map { [$0] } ?? [] }),
            Twin("last", { $0.last() }, { Array($0.suffix(1)) }),
            Twin("last(where:)", { $0.last { $0 > 5 } }, { $0.last { $0 > 5 }.map { [$0] } ?? [] }),
        ]
    }

    private var folding: [Twin] {
        [
            Twin("reduce", { $0.reduce(1) { $0 &* 3 &+ $1 } }, { [$0.reduce(1) { $0 &* 3 &+ $1 }] }),
            Twin("count", { $0.count() }, { [$0.count] }),
            Twin("collect", { $0.collect() }, { [$0] }),
            Twin("min", { $0.min() }, { $0.min().map { [$0] } ?? [] }),
            Twin("max", { $0.max() }, { $0.max().map { [$0] } ?? [] }),
            Twin("min(by:)", { $0.min(by: Self.hasLessRest) }, { $0.min(by: Self.hasLessRest).map { [$0] } ?? [] }),
            Twin("max(by:)", { $0.max(by: Self.hasLessRest) }, { $0.max(by: Self.hasLessRest).map { [$0] } ?? [] }),
            Twin("contains", { $0.contains(5) }, { [$0.contains(5)] }),
            Twin("contains(where:)", { $0.contains { $0 > 7 } }, { [$0.contains { $0 > 7 }] }),
            Twin("allSatisfy", { $0.allSatisfy { $0 < 8 } }, { [$0.allSatisfy { $0 < 8 }] }),
        ]
    }

    private var joining: [Twin] {
        [
            Twin("append", { $0.append(1, 2) }, { $0 + [1, 2] }),
            Twin("prepend", { $0.prepend(1, 2) }, { [1, 2] + $0 }),
            Twin("append a publisher", { $0.append(Self.numbers(3)) }, { $0 + [0, 1, 2] }),
            Twin(
                "zip", { $0.zip(Self.numbers(4)) { [$0, $1] } }, { zip($0, 0..<4).map { [$0, $1] } }),
            Twin(
                "zip the other way round", { Self.numbers(4).zip($0) { [$0, $1] } },
                { zip(0..<4, $0).map { [$0, $1] } }),
        ]
    }

    func test_theResultsAreThoseOfSequences() {
        var random = SeededGenerator(seed: 7)
        for twin in twins {
            for _ in 0..<40 {
                let numbers = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    Int.random(in: 0..<10, using: &random)
                }
                // Asked for in pieces of random size, by the request and by the answer.
                let subscriber = TestSubscriber<String, TestFailure>.checked(requesting: .max(1)) { subscriber, _ in
                    if subscriber.outstanding == .none, Bool.random(using: &random) { return .max(2) }
                    subscriber.request(1)
                    return .none
                }
                twin.publish(numbers.publisher.setFailureType(to: TestFailure.self).eraseToAnyPublisher())
                    .subscribe(subscriber)
                XCTAssertEqual(subscriber.values, twin.compute(numbers), "\(twin.name) of \(numbers)")
                XCTAssertTrue(subscriber.hasFinished, "\(twin.name) of \(numbers)")
            }
        }
    }
}
