import Headgate
import XCTest

/// What ported code brings along under names that Headgate has, too.
struct Own {}

extension Publisher {
    func asyncMap<T>(_ transform: @escaping (Output) async -> T) -> Own { Own() }
    func asyncMap<T>(_ transform: @escaping (Output) async throws -> T) -> Own { Own() }
    func asyncFilter(_ isIncluded: @escaping (Output) async -> Bool) -> Own { Own() }
    func asyncCompactMap<T>(_ transform: @escaping (Output) async throws -> T?) -> Own { Own() }
    func asyncFlatMap<P: Publisher>(_ transform: @escaping (Output) async -> P) -> Own { Own() }
    func forEach(_ body: @escaping (Output) -> Void) -> Own { Own() }
    func collected(upTo count: Int) -> Own { Own() }
    var firstValue: Own { Own() }
}

extension AsyncSequence {
    var publisher: Own { Own() }
}

final class OwnNamesTests: XCTestCase {
    func test_whatTheClientDeclaresGoesFirst() {
        func check(_: Own) {}
        @Sendable func work(_ value: Int) async -> Int { value }
        @Sendable func risk(_ value: Int) async throws -> Int { value }
        let safe = [1].publisher.map { $0 }
        let failing = safe.setFailureType(to: (any Error).self)
        let (mapped, tried) = (safe.asyncMap { await work($0) }, safe.asyncMap { try await risk($0) })
        check(mapped)
        check(tried)
        let other = failing.asyncMap { try await risk($0) }
        check(other)
        let filtered = safe.asyncFilter { await work($0) > 0 }
        check(filtered)
        let compact = safe.asyncCompactMap { await work($0) as Int? }
        check(compact)
        let flat = safe.asyncFlatMap { Just($0) }
        check(flat)
        let each = safe.forEach { print($0) }
        check(each)
        let collected = safe.collected(upTo: 3)
        check(collected)
        let first = safe.firstValue
        check(first)
        let sequence = AsyncStream<Int> { _ in }.publisher
        check(sequence)
    }
}
