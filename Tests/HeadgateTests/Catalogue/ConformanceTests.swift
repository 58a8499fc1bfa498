import Dispatch
import Headgate
import TestSupport
import XCTest

/// Publishers are equal where all that they are made of is, and only where a program could tell them apart by nothing else.
final class EqualityTests: XCTestCase {
    private typealias Numbers = Publishers.Sequence<[Int], Never>

    /// A publisher of so many upstreams equals one of equal upstreams, and none where any of them is different.
    private func checkEquality<P: Publisher & Equatable>(
        of count: Int, _ make: ([Numbers]) -> P, line: UInt = #line
    ) {
        let numbers = (0..<count).map { Numbers(sequence: [$0]) }
        XCTAssertTrue(make(numbers) == make(numbers), "\(P.self) does not equal itself", line: line)
        for position in 0..<count {
            var others = numbers
            others[position] = Numbers(sequence: [count])
            XCTAssertFalse(make(numbers) == make(others), "\(P.self) overlooks upstream \(position)", line: line)
        }
    }

    private func checkDifference<P: Publisher & Equatable>(_ one: P, _ other: P, line: UInt = #line) {
        XCTAssertFalse(one == other, "\(P.self) overlooks a property", line: line)
    }

    func test_publishersOfOneUpstreamAreEqualWhereItIs() {
        checkEquality(of: 1) { Publishers.Collect(upstream: $0[0]) }
        checkEquality(of: 1) { Publishers.CollectByCount(upstream: $0[0], count: 2) }
        checkEquality(of: 1) { Publishers.Contains(upstream: $0[0], output: 2) }
        checkEquality(of: 1) { Publishers.Count(upstream: $0[0]) }
        checkEquality(of: 1) { Publishers.Drop(upstream: $0[0], count: 2) }
        checkEquality(of: 1) { Publishers.First(upstream: $0[0]) }
        checkEquality(of: 1) { Publishers.IgnoreOutput(upstream: $0[0]) }
        checkEquality(of: 1) { Publishers.Last(upstream: $0[0]) }
        checkEquality(of: 1) { Publishers.MergeMany($0) }
        checkEquality(of: 1) { Publishers.Output(upstream: $0[0], range: 1..<3) }
        checkEquality(of: 1) { Publishers.ReplaceEmpty(upstream: $0[0], output: 2) }
        checkEquality(of: 1) { Publishers.ReplaceError(upstream: $0[0], output: 2) }
        checkEquality(of: 1) { Publishers.Retry(upstream: $0[0], retries: 2) }
        checkEquality(of: 1) { Publishers.SetFailureType<Numbers, TestFailure>(upstream: $0[0]) }
    }

    func test_publishersOfSeveralUpstreamsAreEqualWhereAllOfThemAre() {
        checkEquality(of: 2) { Publishers.Concatenate(prefix: $0[0], suffix: $0[1]) }
        checkEquality(of: 2) { Publishers.DropUntilOutput(upstream: $0[0], other: $0[1]) }
        checkEquality(of: 5) { Publishers.MergeMany($0) }
        checkEquality(of: 2) { Publishers.Merge($0[0], $0[1]) }
        checkEquality(of: 3) { Publishers.Merge3($0[0], $0[1], $0[2]) }
        checkEquality(of: 4) { Publishers.Merge4($0[0], $0[1], $0[2], $0[3]) }
        checkEquality(of: 5) { Publishers.Merge5($0[0], $0[1], $0[2], $0[3], $0[4]) }
        checkEquality(of: 6) { Publishers.Merge6($0[0], $0[1], $0[2], $0[3], $0[4], $0[5]) }
        checkEquality(of: 7) { Publishers.Merge7($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]) }
        checkEquality(of: 8) { Publishers.Merge8($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7]) }
        checkEquality(of: 2) { Publishers.CombineLatest($0[0], $0[1]) }
        checkEquality(of: 3) { Publishers.CombineLatest3($0[0], $0[1], $0[2]) }
        checkEquality(of: 4) { Publishers.CombineLatest4($0[0], $0[1], $0[2], $0[3]) }
        checkEquality(of: 2) { Publishers.Zip($0[0], $0[1]) }
        checkEquality(of: 3) { Publishers.Zip3($0[0], $0[1], $0[2]) }
        checkEquality(of: 4) { Publishers.Zip4($0[0], $0[1], $0[2], $0[3]) }
    }

    func test_publishersAreNotEqualWhereAPropertyDiffers() {
        let numbers = Numbers(sequence: [1])
        checkDifference(
            Publishers.CollectByCount(upstream: numbers, count: 2),
            Publishers.CollectByCount(upstream: numbers, count: 3))
        checkDifference(
            Publishers.Contains(upstream: numbers, output: 2), Publishers.Contains(upstream: numbers, output: 3))
        checkDifference(Publishers.Drop(upstream: numbers, count: 2), Publishers.Drop(upstream: numbers, count: 3))
        checkDifference(
            Publishers.Output(upstream: numbers, range: 1..<3), Publishers.Output(upstream: numbers, range: 1..<4))
        checkDifference(
            Publishers.ReplaceEmpty(upstream: numbers, output: 2), Publishers.ReplaceEmpty(upstream: numbers, output: 3)
        )
        checkDifference(
            Publishers.ReplaceError(upstream: numbers, output: 2), Publishers.ReplaceError(upstream: numbers, output: 3)
        )
        checkDifference(
            Publishers.Retry(upstream: numbers, retries: 2), Publishers.Retry(upstream: numbers, retries: nil))
    }

    func test_sourcesAreEqualWhereTheirValuesAre() {
        checkEquality(of: 1) { $0[0] }
        checkDifference(Just(1), Just(2))
        checkDifference(Empty<Int, Never>(), Empty<Int, Never>(completeImmediately: false))
        checkDifference(Fail<Int, TestFailure>(error: .first), Fail<Int, TestFailure>(error: .second))
        checkDifference(Optional<Int>.Publisher(1), Optional<Int>.Publisher(nil))
        checkDifference(Result<Int, TestFailure>.Publisher(1), Result<Int, TestFailure>.Publisher(.first))
        XCTAssertTrue(Just(1) == Just(1))
        XCTAssertTrue(Empty<Int, Never>() == Empty<Int, Never>())
        XCTAssertTrue(Fail<Int, TestFailure>(error: .first) == Fail<Int, TestFailure>(error: .first))
        XCTAssertTrue(Optional<Int>.Publisher(1) == Optional<Int>.Publisher(1))
        XCTAssertTrue(Result<Int, TestFailure>.Publisher(1) == Result<Int, TestFailure>.Publisher(1))
    }

    func test_aSharedPublisherEqualsItselfOnly() {
        let shared = Publishers.Share(upstream: Numbers(sequence: [1]))
        XCTAssertTrue(shared == shared)
        checkDifference(shared, Publishers.Share(upstream: Numbers(sequence: [1])))
    }

    func test_strategiesOfPrefetchingAreTwo() {
        XCTAssertEqual(Set([Publishers.PrefetchStrategy.keepFull, .byRequest, .keepFull]).count, 2)
    }
}

/// What a type conforms to is part of its interface: this file does not compile where one of them is missing.
final class ConformanceTests: XCTestCase {
    private func isCancellable(_: (some Cancellable).Type) {}
    private func isCodable(_: (some Codable).Type) {}
    private func isComparable(_: (some Comparable & Hashable).Type) {}
    private func isConnectable(_: (some ConnectablePublisher).Type) {}
    private func isDescribed(_: (some CustomStringConvertible & CustomPlaygroundDisplayConvertible).Type) {}
    private func isHashable(_: (some Hashable).Type) {}
    private func isReflected(_: (some CustomReflectable).Type) {}
    private func isSubject(_: (some Subject).Type) {}
    private func isSubscriber(_: (some Subscriber).Type) {}
    private func isTime<T: Strideable & Hashable>(_: T.Type) where T.Stride: SchedulerTimeIntervalConvertible {}
    private func isStride<T: SignedNumeric & Comparable & Codable>(_: T.Type)
    where T: SchedulerTimeIntervalConvertible {}

    /// An error that can be written and read.
    private struct Mishap: Error, Codable, Hashable {}

    func test_typesConformToWhatTheyDoInCombine() {
        isSubject(PassthroughSubject<Int, Never>.self)
        isSubject(CurrentValueSubject<Int, Never>.self)

        isSubscriber(AnySubscriber<Int, Never>.self)
        isSubscriber(Subscribers.Sink<Int, Never>.self)
        isSubscriber(Subscribers.Assign<Meter, Int>.self)
        isCancellable(Subscribers.Sink<Int, Never>.self)
        isCancellable(Subscribers.Assign<Meter, Int>.self)
        isCancellable(AnyCancellable.self)

        isDescribed(AnyPublisher<Int, Never>.self)
        isDescribed(AnySubscriber<Int, Never>.self)
        isDescribed(Subscribers.Sink<Int, Never>.self)
        isDescribed(Subscribers.Assign<Meter, Int>.self)
        isReflected(AnySubscriber<Int, Never>.self)
        isReflected(Subscribers.Sink<Int, Never>.self)
        isReflected(Subscribers.Assign<Meter, Int>.self)

        isHashable(AnyCancellable.self)
        isHashable(CombineIdentifier.self)
        isHashable(Subscribers.Completion<Mishap>.self)
        isHashable(Publishers.PrefetchStrategy.self)
        isComparable(Subscribers.Demand.self)

        isCodable(Subscribers.Demand.self)
        isCodable(Subscribers.Completion<Mishap>.self)
        isCodable(Record<Int, Mishap>.self)
        isCodable(Record<Int, Mishap>.Recording.self)

        isConnectable(Publishers.Multicast<Just<Int>, PassthroughSubject<Int, Never>>.self)
        isConnectable(Publishers.MakeConnectable<Just<Int>>.self)

        isTime(DispatchQueue.SchedulerTimeType.self)
        isCodable(DispatchQueue.SchedulerTimeType.self)
        isStride(DispatchQueue.SchedulerTimeType.Stride.self)
        isTime(ImmediateScheduler.SchedulerTimeType.self)
        isStride(ImmediateScheduler.SchedulerTimeType.Stride.self)
    }
}

/// An object with a property to assign to.
private final class Meter {
    var number = 0
}
