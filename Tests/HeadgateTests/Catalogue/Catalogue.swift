import Headgate
import TestSupport

/// An operator as the catalogue tests use it: numbers in, texts out, so that all have one type.
struct CataloguedOperator {
    let name: String

    /// Puts the operator behind a publisher. Operators with several upstreams make up the others.
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
        transforming + filtering + reducing + sharing + joining
    }

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
            CataloguedOperator("prefix") { $0.prefix(3) },
            CataloguedOperator("prefix(0)") { $0.prefix(0) },
        ]
    }

    private static var reducing: [CataloguedOperator] {
        [
            CataloguedOperator("reduce") { $0.reduce(0, +) },
        ]
    }

    private static var sharing: [CataloguedOperator] {
        [
            CataloguedOperator("share") { $0.share() },
            CataloguedOperator("multicast, autoconnect") {
                $0.multicast { PassthroughSubject() }.autoconnect()
            },
            CataloguedOperator("shareReplay") { $0.shareReplay(capacity: 2) },
        ]
    }

    private static var joining: [CataloguedOperator] {
        [
            CataloguedOperator("zip") { $0.zip((0..<5).publisher.setFailureType(to: TestFailure.self)) },
            CataloguedOperator("flatMap") { $0.flatMap { (0..<$0 % 5).publisher.setFailureType(to: TestFailure.self) } },
            CataloguedOperator("flatMap(maxPublishers: 1)") {
                $0.flatMap(maxPublishers: .max(1)) { (0..<$0 % 5).publisher.setFailureType(to: TestFailure.self) }
            },
        ]
    }
}

private struct Silence: TextOutputStream {
    mutating func write(_ string: String) {}
}

extension Int {
    /// The number, unless it is the one that a test has chosen to fail at.
    fileprivate func unless(_ bad: Int) throws -> Int {
        if self == bad { throw TestFailure.second }
        return self
    }
}
