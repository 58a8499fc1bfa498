import Headgate
import TestSupport

/// An operator as the catalogue tests use it: numbers in, texts out, so that all have one type.
struct CataloguedOperator {
    let name: String

    /// Puts the operator behind a publisher.
    ///
    /// Operators with several upstreams make up the others.
    let apply: (AnyPublisher<Int, TestFailure>) -> AnyPublisher<String, TestFailure>

    init<P: Publisher>(_ name: String, _ apply: @escaping (AnyPublisher<Int, TestFailure>) -> P) {
        self.name = name
        self.apply = { upstream in
            apply(upstream)
                .map { "\($0)" }
                .mapError { $0 as? TestFailure ?? .second }
                .eraseToAnyPublisher()
        }
    }
}

/// Every operator, each once.
enum Catalogue {
    static var operators: [CataloguedOperator] {
        unclocked + clocked
    }

    /// Those that several threads may use at a time, for they have no clock that belongs to one.
    static var unclocked: [CataloguedOperator] {
        transforming + filtering + trimming + reducing + sharing + observing
            + joining + flattening + following + buffering + immediate
    }

    /// The clock of the operators that have one.
    ///
    /// A test that wants to go on its own makes a new one first, and moves it.
    nonisolated(unsafe) static var clock = VirtualScheduler()

    private static var transforming: [CataloguedOperator] {
        [
            CataloguedOperator("map") { $0.map { $0 * 2 } },
            CataloguedOperator("tryMap") { $0.tryMap { try $0.unless(5) } },
            CataloguedOperator("map(keyPath)") { $0.map(\.bitWidth) },
            CataloguedOperator("compactMap") { $0.compactMap { $0 > 2 ? $0 : nil } },
            CataloguedOperator("tryCompactMap") { $0.tryCompactMap { try $0.unless(5) > 2 ? $0 : nil } },
            CataloguedOperator("mapError") { $0.mapError { _ in TestFailure.second } },
            CataloguedOperator("scan") { $0.scan(0, +) },
            CataloguedOperator("tryScan") { $0.tryScan(0) { try $0 + $1.unless(5) } },
            CataloguedOperator("replaceNil") { $0.map { $0 > 2 ? $0 : nil }.replaceNil(with: 0) },
            CataloguedOperator("setFailureType") { $0.replaceError(with: 0).setFailureType(to: TestFailure.self) },
            CataloguedOperator("several steps") { $0.map { $0 + 1 }.filter { $0 > 2 }.prefix(4).map { $0 * 2 } },
        ]
    }

    private static var filtering: [CataloguedOperator] {
        [
            CataloguedOperator("filter") { $0.filter { $0.isMultiple(of: 2) } },
            CataloguedOperator("tryFilter") { $0.tryFilter { try $0.unless(5).isMultiple(of: 2) } },
            CataloguedOperator("removeDuplicates") { $0.map { $0 / 2 }.removeDuplicates() },
            CataloguedOperator("tryRemoveDuplicates") { $0.tryRemoveDuplicates { try $0.unless(5) == $1 } },
            CataloguedOperator("ignoreOutput") { $0.ignoreOutput() },
            CataloguedOperator("replaceEmpty") { $0.filter { $0 > 2 }.replaceEmpty(with: 0) },
            CataloguedOperator("replaceError") { $0.replaceError(with: 0) },
        ]
    }

    private static var trimming: [CataloguedOperator] {
        [
            CataloguedOperator("prefix") { $0.prefix(3) },
            CataloguedOperator("prefix(0)") { $0.prefix(0) },
            CataloguedOperator("output(at:)") { $0.output(at: 2) },
            CataloguedOperator("output(in:)") { $0.output(in: 1...3) },
            CataloguedOperator("prefix(while:)") { $0.prefix { $0 < 4 } },
            CataloguedOperator("tryPrefix(while:)") { $0.tryPrefix { try $0.unless(5) < 6 } },
            CataloguedOperator("dropFirst") { $0.dropFirst(2) },
            CataloguedOperator("drop(while:)") { $0.drop { $0 < 3 } },
            CataloguedOperator("tryDrop(while:)") { $0.tryDrop { try $0.unless(5) < 6 } },
            CataloguedOperator("first") { $0.first() },
            CataloguedOperator("first(where:)") { $0.first { $0 > 3 } },
            CataloguedOperator("tryFirst(where:)") { $0.tryFirst { try $0.unless(5) > 5 } },
            CataloguedOperator("last") { $0.last() },
            CataloguedOperator("last(where:)") { $0.last { $0 > 3 } },
            CataloguedOperator("tryLast(where:)") { $0.tryLast { try $0.unless(5) > 3 } },
        ]
    }

    private static var reducing: [CataloguedOperator] {
        [
            CataloguedOperator("collect") { $0.collect() },
            CataloguedOperator("collect(3)") { $0.collect(3) },
            CataloguedOperator("reduce") { $0.reduce(0, +) },
            CataloguedOperator("tryReduce") { $0.tryReduce(0) { try $0 + $1.unless(5) } },
            CataloguedOperator("count") { $0.count() },
            CataloguedOperator("min") { $0.min() },
            CataloguedOperator("max(by:)") { $0.max { $0 < $1 } },
            CataloguedOperator("tryMin(by:)") { $0.tryMin { try $0.unless(5) < $1 } },
            CataloguedOperator("contains") { $0.contains(4) },
            CataloguedOperator("contains(where:)") { $0.contains { $0 > 4 } },
            CataloguedOperator("tryContains(where:)") { $0.tryContains { try $0.unless(5) > 5 } },
            CataloguedOperator("allSatisfy") { $0.allSatisfy { $0 < 5 } },
            CataloguedOperator("tryAllSatisfy") { $0.tryAllSatisfy { try $0.unless(5) < 6 } },
        ]
    }
}

extension Int {
    /// The number, unless it is the one that a test has chosen to fail at.
    func unless(_ bad: Int) throws -> Int {
        if self == bad { throw TestFailure.second }
        return self
    }
}
