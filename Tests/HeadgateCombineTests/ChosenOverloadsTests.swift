import Headgate
import HeadgateCombine
import XCTest

/// Which of several operators of one name the compiler takes, by the type of what they return.
final class ChosenOverloadsTests: XCTestCase {
    private struct Failed: Error {}

    private typealias Numbers = PassthroughSubject<Int, Never>

    private let numbers = Numbers()

    private let failing = PassthroughSubject<Int, any Error>()

    private func expect<T>(_ type: T.Type, _ value: T) {}

    func test_flatMapAddsAFailureTypeOnlyWhereOneIsMissing() {
        typealias Raised = Publishers.SetFailureType<Numbers, any Error>
        expect(Publishers.FlatMap<Just<Int>, Numbers>.self, numbers.flatMap { Just($0) })
        expect(
            Publishers.FlatMap<PassthroughSubject<Int, any Error>, Raised>.self, numbers.flatMap { _ in self.failing })
        expect(
            Publishers.FlatMap<Publishers.SetFailureType<Just<Int>, any Error>, PassthroughSubject<Int, any Error>>
                .self, failing.flatMap { Just($0) })
        expect(
            Publishers.FlatMap<Fail<Int, any Error>, PassthroughSubject<Int, any Error>>.self,
            failing.flatMap { _ in Fail<Int, any Error>(error: Failed()) })
    }

    func test_switchToLatestAddsAFailureTypeOnlyWhereOneIsMissing() {
        typealias Inners<P: Publisher, Failure: Error> = PassthroughSubject<P, Failure>
        expect(
            Publishers.SwitchToLatest<Just<Int>, Inners<Just<Int>, Never>>.self,
            Inners<Just<Int>, Never>().switchToLatest())
        expect(
            Publishers.SwitchToLatest<
                Fail<Int, any Error>, Publishers.SetFailureType<Inners<Fail<Int, any Error>, Never>, any Error>
            >.self, Inners<Fail<Int, any Error>, Never>().switchToLatest())
        expect(
            Publishers.SwitchToLatest<Fail<Int, any Error>, Inners<Fail<Int, any Error>, any Error>>.self,
            Inners<Fail<Int, any Error>, any Error>().switchToLatest())
        expect(
            Publishers.SwitchToLatest<
                Publishers.SetFailureType<Just<Int>, any Error>,
                Publishers.Map<Inners<Just<Int>, any Error>, Publishers.SetFailureType<Just<Int>, any Error>>
            >.self, Inners<Just<Int>, any Error>().switchToLatest())
    }

    func test_appendTakesElementsSequencesAndPublishersForWhatTheyAre() {
        typealias Appended<P: Publisher, S: Sequence> = Publishers.Concatenate<P, Publishers.Sequence<S, Never>>
        where P.Failure == Never, P.Output == S.Element
        let lists = PassthroughSubject<[Int], Never>()
        let anything = PassthroughSubject<Any, Never>()
        expect(Appended<Numbers, [Int]>.self, numbers.append(1))
        expect(Appended<Numbers, ClosedRange<Int>>.self, numbers.append(1...3))
        expect(Publishers.Concatenate<Numbers, Numbers>.self, numbers.append(numbers))
        expect(Appended<PassthroughSubject<[Int], Never>, [[Int]]>.self, lists.append([]))
        expect(Appended<PassthroughSubject<Any, Never>, [Any]>.self, anything.append([1, 2] as [Any]))
        expect(
            Publishers.Concatenate<PassthroughSubject<Any, Never>, PassthroughSubject<Any, Never>>.self,
            anything.append(anything))
    }

    func test_justAndSequencesKeepTheirOwnTypes() {
        expect(Just<Int>.self, Just(1).map { $0 + 1 })
        expect(Optional<Int>.Publisher.self, Just(1).filter { $0 > 1 })
        expect(Just<[Int]>.self, Just(1).collect())
        expect(Publishers.Sequence<[Int], Never>.self, Just(1).append(2))
        expect(Publishers.Sequence<[Int], Never>.self, [1].publisher.append(2))
    }

    func test_operatorsAfterTheirOwnKindAreOneWhereTheTypeSaysSo() {
        let filtered: Publishers.Filter<Numbers> = numbers.filter { $0 > 1 }.filter { $0 < 3 }
        let compacted: Publishers.CompactMap<Numbers, String> = numbers.compactMap { $0 > 1 ? $0 : nil }
            .compactMap { "\($0)" }
        let mapped: Publishers.CompactMap<Numbers, String> = numbers.compactMap { $0 > 1 ? $0 : nil }.map { "\($0)" }
        let tried: Publishers.TryMap<Numbers, String> = numbers.tryMap { $0 + 1 }.map { "\($0)" }
        var received: [String] = []
        let cancellables = [
            filtered.sink { received.append("\($0)") }, compacted.sink { received.append($0) },
            mapped.sink { received.append($0) },
            tried.sink(receiveCompletion: { _ in }, receiveValue: { received.append($0) }),
        ]
        numbers.send(2)
        XCTAssertEqual(received, ["2", "2", "2", "3"])
        for cancellable in cancellables { cancellable.cancel() }
    }

    func test_aKeyPathLiteralIsAClosureUnlessTheTypeSaysOtherwise() {
        let words = PassthroughSubject<String, Never>()
        let count = \String.count
        expectInferred(words.map(\.count), Publishers.Map<PassthroughSubject<String, Never>, Int>.self)
        expectInferred(words.map(count), Publishers.MapKeyPath<PassthroughSubject<String, Never>, Int>.self)
        let declared: Publishers.MapKeyPath<PassthroughSubject<String, Never>, Int> = words.map(\.count)
        XCTAssertEqual(declared.keyPath, \String.count)
    }

    /// The type is inferred from the value alone.
    private func expectInferred<T>(_ value: T, _ type: any Any.Type, line: UInt = #line) {
        XCTAssertTrue(T.self == type, "\(T.self)", line: line)
    }

    /// The compiler gives up where it can't tell the operators apart before it knows the types in the closures.
    func test_chainsOfInferredClosuresAfterFlatMapAreChecked() {
        var lines: [[String]] = []
        _ = (1...4).publisher
            .map { $0 + 1 }
            .filter { $0 % 2 == 0 }
            .map { $0 * 3 }
            .flatMap { (0..<$0).publisher }
            .map { $0 - 1 }
            .filter { $0 > 8 }
            .map { "\($0)" }
            .collect()
            .sink { lines.append($0) }
        XCTAssertEqual(lines, [["9", "10"]])
    }
}
