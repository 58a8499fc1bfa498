import Headgate
import TestSupport
import XCTest

/// Trees of joining operators, erased at each level: the stack grows with the number of levels, not with the leaves.
///
/// Each tree is served on a secondary thread, whose stack has 512 KiB; in a debug build, whose frames are larger, 4 MiB. A stack that grew
/// with the leaves would take several times as much.
final class TreeTests: XCTestCase {
    private typealias Node = AnyPublisher<Int, Never>

    nonisolated(unsafe) private static let pairs: [(name: String, join: (Node, Node) -> Node)] = [
        ("zip", { $0.zip($1) { $0 + $1 }.eraseToAnyPublisher() }),
        ("combineLatest", { $0.combineLatest($1) { $0 + $1 }.eraseToAnyPublisher() }),
        ("merge", { $0.merge(with: $1).eraseToAnyPublisher() }),
        ("append", { $0.append($1).eraseToAnyPublisher() }),
        ("prepend", { $1.prepend($0).eraseToAnyPublisher() }),
        ("flatMap", { first, second in first.flatMap { _ in second }.eraseToAnyPublisher() }),
        (
            "flatMapSequential",
            { first, second in first.flatMapSequential(maxConcurrent: 2) { _ in second }.eraseToAnyPublisher() }
        ),
        ("switchToLatest", { first, second in first.map { _ in second }.switchToLatest().eraseToAnyPublisher() }),
        ("withLatestFrom", { $0.withLatestFrom($1) { $0 + $1 }.eraseToAnyPublisher() }),
        ("amb", { $0.amb($1).eraseToAnyPublisher() }),
        ("mergeSorted", { [$0, $1].mergeSorted(by: <).eraseToAnyPublisher() }),
        ("zip of four", { $0.zip($1, Just(1), Just(2)) { $0 + $1 + $2 + $3 }.eraseToAnyPublisher() }),
    ]

    func test_aTreeOfAHundredThousandLeavesTakesNoMoreStackThanItsLevels() {
        // A publisher that `flatMap` attaches is served inside the delivery that made it, so each leaf of a tree of them nests in the one before.
        for pair in Self.pairs where !pair.name.hasPrefix("flatMap") && pair.name != "switchToLatest" {
            serve(100_000, left: 0.5, pair.name) { _ in pair.join }
            for left in [0.3, 0.7] { serve(2_000, left: left, pair.name) { _ in pair.join } }
        }
    }

    func test_treesOfEveryOperatorWithEveryOtherAreFlat() {
        for even in Self.pairs {
            for odd in Self.pairs {
                for left in [0.5, 0.3] {
                    serve(200, left: left, "\(even.name), \(odd.name)") { $0.isMultiple(of: 2) ? even.join : odd.join }
                }
            }
        }
    }

    private func serve(
        _ leaves: Int, left: Double, _ name: String, line: UInt = #line,
        _ join: @escaping (Int) -> (Node, Node) -> Node
    ) {
        nonisolated(unsafe) let join = join
        nonisolated(unsafe) var count = 0
        let finished = expectation(description: name)
        let thread = Thread {
            let root = Self.tree(leaves, level: 0, left: left, join)
            // Some trees multiply their values at each level.
            let sink = root.prefix(1_000).sink(
                receiveCompletion: { _ in count += 1 }, receiveValue: { _ in count += 1 })
            withExtendedLifetime(sink) {}
            finished.fulfill()
        }
        #if DEBUG
            thread.stackSize = 4 << 20
        #else
            thread.stackSize = 512 << 10
        #endif
        thread.start()
        wait(for: [finished], timeout: 300)
        XCTAssertGreaterThan(count, 1, "\(name), \(left)", line: line)
    }

    private static func tree(
        _ leaves: Int, level: Int, left: Double, _ join: (Int) -> (Node, Node) -> Node
    ) -> Node {
        if leaves == 1 { return Just(1).eraseToAnyPublisher() }
        let first = min(leaves - 1, max(1, Int(Double(leaves) * left)))
        return join(level)(
            tree(first, level: level + 1, left: left, join), tree(leaves - first, level: level + 1, left: left, join))
    }
}
