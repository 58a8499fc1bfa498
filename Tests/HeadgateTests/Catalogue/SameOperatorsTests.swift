import Headgate
import TestSupport
import XCTest

private func thrown<T>() throws -> T { throw TestFailure.second }

/// Each operator that the compatibility page calls the same, with what Combine makes of the same values.
final class SameOperatorsTests: XCTestCase {
    /// The values of a publisher that says everything at once, and how it ends: `1 2 |`, or `1 x` for a failure.
    private func line<P: Publisher>(_ publisher: P) -> String {
        var words: [String] = []
        let subscription = publisher.sink(
            receiveCompletion: { if case .finished = $0 { words.append("|") } else { words.append("x") } },
            receiveValue: { words.append("\($0)") })
        defer { subscription.cancel() }
        return words.joined(separator: " ")
    }

    private func check(_ name: String, _ found: String, _ expected: String, line: UInt = #line) {
        XCTAssertEqual(found, expected, name, line: line)
    }

    private let numbers = [3, 1, 1, 2].publisher
    private let none = Empty<Int, Never>()
    private let failing = Fail<Int, TestFailure>(error: .first)

    private struct Point {
        let x = 1
        let y = 2
        let z = 3
    }

    func test_mapping() {
        check("map", line(numbers.map { $0 * 2 }), "6 2 2 4 |")
        check("tryMap", line(numbers.tryMap { try $0 == 2 ? thrown() : $0 }), "3 1 1 x")
        check("map key path", line(Just(Point()).map(\.x)), "1 |")
        check("map two key paths", line(Just(Point()).map(\.x, \.y)), "(1, 2) |")
        check("map three key paths", line(Just(Point()).map(\.x, \.y, \.z)), "(1, 2, 3) |")
        check("mapError", line(failing.mapError { _ in TestFailure.second }), "x")
        check("replaceNil", line([1, nil].publisher.replaceNil(with: 7)), "1 7 |")
        check("setFailureType", line(numbers.setFailureType(to: TestFailure.self)), "3 1 1 2 |")
        check("compactMap", line(numbers.compactMap { $0 > 1 ? $0 : nil }), "3 2 |")
        check("tryCompactMap", line(numbers.tryCompactMap { try $0 == 2 ? thrown() : nil as Int? }), "x")
        check("scan", line(numbers.scan(10) { $0 + $1 }), "13 14 15 17 |")
        check("tryScan", line(numbers.tryScan(10) { try $1 == 2 ? thrown() : $0 + $1 }), "13 14 15 x")
        check("flatMap", line(numbers.flatMap { Just($0 * 2) }), "6 2 2 4 |")
        check(
            "flatMap in order", line(numbers.flatMap(maxPublishers: .max(1)) { [$0, 0].publisher }), "3 0 1 0 1 0 2 0 |"
        )
        check("switchToLatest", line(numbers.map { Just($0) }.switchToLatest()), "3 1 1 2 |")
    }

    func test_filteringAndTrimming() {
        check("filter", line(numbers.filter { $0 > 1 }), "3 2 |")
        check("tryFilter", line(numbers.tryFilter { try $0 == 2 ? thrown() : $0 > 1 }), "3 x")
        check("removeDuplicates", line(numbers.removeDuplicates()), "3 1 2 |")
        check("removeDuplicates(by:)", line(numbers.removeDuplicates { $0 >= $1 }), "3 2 |")
        check("tryRemoveDuplicates", line(numbers.tryRemoveDuplicates { try $0 == $1 ? thrown() : false }), "3 1 x")
        check("ignoreOutput", line(numbers.ignoreOutput()), "|")
        check("drop(while:)", line(numbers.drop { $0 > 2 }), "1 1 2 |")
        check("tryDrop(while:)", line(numbers.tryDrop { try $0 == 1 ? thrown() : true }), "x")
        check("prefix(while:)", line(numbers.prefix { $0 != 2 }), "3 1 1 |")
        check("tryPrefix(while:)", line(numbers.tryPrefix { try $0 == 1 ? thrown() : true }), "3 x")
        check("prefix(untilOutputFrom:)", line(numbers.prefix(untilOutputFrom: Just(1))), "|")
        check("prefix(untilOutputFrom:) of nothing", line(numbers.prefix(untilOutputFrom: none)), "3 1 1 2 |")
        check("drop(untilOutputFrom:)", line(numbers.drop(untilOutputFrom: Just(1))), "3 1 1 2 |")
        check("drop(untilOutputFrom:) of nothing", line(numbers.drop(untilOutputFrom: none)), "|")
        check("prefix(_:)", line(numbers.prefix(2)), "3 1 |")
        check("output(at:)", line(numbers.output(at: 3)), "2 |")
        check("output(in:)", line(numbers.output(in: 1...2)), "1 1 |")
    }

    /// Operators that a publisher has for itself put two closures into one: neither may get lost.
    func test_twoOfAKindInARow() {
        let all = [1, 2, 3, 4, 5, 6].publisher
        check("filter, filter", line(all.filter { $0 > 2 }.filter { $0 % 2 == 0 }), "4 6 |")
        check("filter, tryFilter", line(all.filter { $0 > 2 }.tryFilter { $0 % 2 == 0 }), "4 6 |")
        check("tryFilter, filter", line(all.tryFilter { $0 > 2 }.filter { $0 % 2 == 0 }), "4 6 |")
        check("tryFilter, tryFilter", line(all.tryFilter { $0 > 2 }.tryFilter { $0 % 2 == 0 }), "4 6 |")
        check(
            "compactMap, compactMap",
            line(all.compactMap { $0 > 4 ? $0 : nil }.compactMap { $0 % 2 == 0 ? $0 * 10 : nil }), "60 |")
        check("compactMap, map", line(all.compactMap { $0 > 4 ? $0 : nil }.map { $0 * 10 }), "50 60 |")
        check(
            "tryCompactMap, compactMap",
            line(all.tryCompactMap { $0 > 4 ? $0 : nil }.compactMap { $0 % 2 == 0 ? $0 * 10 : nil }), "60 |")
        let maps: Publishers.Map<Publishers.Sequence<[Int], Never>, Int> = all.map { $0 + 1 }.map { $0 * 10 }
        check("map, map", line(maps), "20 30 40 50 60 70 |")
        check("map, tryMap", line(all.map { $0 + 1 }.tryMap { try $0 == 3 ? thrown() : $0 * 10 }), "20 x")
        check("tryMap, map", line(all.tryMap { try $0 == 3 ? thrown() : $0 + 1 }.map { $0 * 10 }), "20 30 x")
        check("tryMap, tryMap", line(all.tryMap { $0 + 1 }.tryMap { try $0 == 3 ? thrown() : $0 * 10 }), "20 x")
        check("MergeMany, merge", line(Publishers.MergeMany([Just(1), Just(2)]).merge(with: Just(3))), "1 2 3 |")
    }

    func test_choosingAndReducing() {
        check("first", line(numbers.first()), "3 |")
        check("first(where:)", line(numbers.first { $0 < 3 }), "1 |")
        check("tryFirst(where:)", line(numbers.tryFirst { try $0 == 1 ? thrown() : false }), "x")
        check("last", line(numbers.last()), "2 |")
        check("last(where:)", line(numbers.last { $0 > 2 }), "3 |")
        check("tryLast(where:)", line(numbers.tryLast { try $0 == 2 ? thrown() : true }), "x")
        check("collect()", line(numbers.collect()), "[3, 1, 1, 2] |")
        check("collect(_:)", line(numbers.collect(3)), "[3, 1, 1] [2] |")
        check(
            "collect(_:) before a failure",
            line(numbers.setFailureType(to: TestFailure.self).append(failing).collect(3)), "[3, 1, 1] x")
        check("reduce", line(numbers.reduce(0, +)), "7 |")
        check("tryReduce", line(numbers.tryReduce(0) { try $1 == 2 ? thrown() : $0 }), "x")
        check("count", line(numbers.count()), "4 |")
        check("min", line(numbers.min()), "1 |")
        check("max", line(numbers.max()), "3 |")
        check("min(by:)", line(numbers.min(by: >)), "3 |")
        check("max(by:)", line(numbers.max(by: >)), "1 |")
        check("tryMin(by:)", line(numbers.tryMin { try $0 == $1 ? thrown() : $0 < $1 }), "x")
        check("tryMax(by:)", line(numbers.tryMax { $0 < $1 }), "3 |")
        check("min of nothing", line(none.min()), "|")
    }

    func test_matching() {
        check("contains", line(numbers.contains(2)), "true |")
        check("contains of a failing stream", line(failing.contains(2)), "x")
        check("contains(where:)", line(numbers.contains { $0 > 3 }), "false |")
        check("tryContains(where:)", line(numbers.tryContains { try $0 == 1 ? thrown() : false }), "x")
        check("allSatisfy", line(numbers.allSatisfy { $0 > 1 }), "false |")
        check("allSatisfy of nothing", line(none.allSatisfy { _ in false }), "true |")
        check("tryAllSatisfy", line(numbers.tryAllSatisfy { try $0 == 2 ? thrown() : true }), "x")
    }

    func test_combining() {
        let other = [5].publisher
        check("merge(with:)", line(numbers.merge(with: other)), "3 1 1 2 5 |")
        check("merge(with:) of several", line(Just(1).merge(with: Just(2), Just(3), Just(4))), "1 2 3 4 |")
        check("merge(with:) of one type", line(Just(1).merge(with: Just(2)).merge(with: Just(3))), "1 2 3 |")
        check("append", line(numbers.append(8, 9)), "3 1 1 2 8 9 |")
        check("append of a sequence", line(numbers.append([8])), "3 1 1 2 8 |")
        check("append of a publisher", line(numbers.append(other)), "3 1 1 2 5 |")
        check("append after a failure", line(failing.append(8)), "x")
        check("prepend", line(numbers.prepend(8, 9)), "8 9 3 1 1 2 |")
        check("prepend of a sequence", line(numbers.prepend([8])), "8 3 1 1 2 |")
        check("prepend of a publisher", line(numbers.prepend(other)), "5 3 1 1 2 |")
    }

    func test_recovering() {
        check("catch", line(failing.catch { _ in Just(7) }), "7 |")
        check("tryCatch", line(failing.tryCatch { _ -> Just<Int> in try thrown() }), "x")
        var attempts = 0
        let counted = Deferred { () -> Fail<Int, TestFailure> in
            attempts += 1
            return Fail(error: .first)
        }
        check("retry", line(counted.retry(2)), "x")
        XCTAssertEqual(attempts, 3)
        check("assertNoFailure", line(numbers.setFailureType(to: TestFailure.self).assertNoFailure()), "3 1 1 2 |")
    }

    func test_schedulingAndSharing() {
        let now = ImmediateScheduler.shared
        check("subscribe(on:)", line(numbers.subscribe(on: now)), "3 1 1 2 |")
        check("measureInterval", line(numbers.measureInterval(using: now).map(\.magnitude)), "0 0 0 0 |")
        check("share", line(numbers.share()), "3 1 1 2 |")
        check("autoconnect", line(numbers.multicast { PassthroughSubject() }.autoconnect()), "3 1 1 2 |")
        check("multicast(subject:)", line(numbers.multicast(subject: PassthroughSubject()).autoconnect()), "3 1 1 2 |")
        check("makeConnectable", line(numbers.makeConnectable().autoconnect()), "3 1 1 2 |")
    }

    func test_codingAndObserving() {
        check("encode(encoder:)", line(Just(1).encode(encoder: Words())), "1 |")
        check("decode(type:decoder:)", line(Just("one").decode(type: Int.self, decoder: Words())), "x")
        var events: [String] = []
        let observed = numbers.handleEvents(
            receiveSubscription: { events.append("subscription \($0)") },
            receiveOutput: { events.append("value \($0)") },
            receiveCompletion: { events.append("end \($0)") }, receiveCancel: { events.append("cancel") },
            receiveRequest: { events.append("request \($0)") })
        check("handleEvents", line(observed.prefix(1)), "3 |")
        XCTAssertEqual(events, ["subscription [3, 1, 1, 2]", "request unlimited", "value 3", "cancel"])
        check("breakpoint", line(numbers.breakpoint(receiveOutput: { _ in false })), "3 1 1 2 |")
        check("breakpointOnError", line(numbers.breakpointOnError()), "3 1 1 2 |")
    }

    func test_subscribing() {
        final class Target { var value = 0 }
        let target = Target()
        numbers.assign(to: \.value, on: target).cancel()
        XCTAssertEqual(target.value, 2)
        final class Model { @Published var value = 0 }
        let model = Model()
        numbers.assign(to: &model.$value)
        XCTAssertEqual(model.value, 2)
        let subject = CurrentValueSubject<Int, Never>(0)
        numbers.subscribe(subject).cancel()
        XCTAssertEqual(subject.value, 2)
        check("eraseToAnyPublisher", line(numbers.eraseToAnyPublisher()), "3 1 1 2 |")
    }

    /// Writes values as words, and can read none.
    private struct Words: TopLevelEncoder, TopLevelDecoder {
        func encode(_ value: some Encodable) throws -> String { "\(value)" }

        func decode<T: Decodable>(_ type: T.Type, from: String) throws -> T { throw TestFailure.first }
    }
}
