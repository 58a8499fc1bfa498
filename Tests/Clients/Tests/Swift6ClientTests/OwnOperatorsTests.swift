import Headgate
import XCTest

// Operators that a client has brought along, with the signatures of a well-known package: the client's own are called.

extension Publisher {
    func withLatestFrom<Other: Publisher>(
        _ other: Other
    ) -> Publishers.WithLatestFrom<Self, Other, Other.Output> where Other.Failure == Failure {
        own("withLatestFrom")
        return Publishers.WithLatestFrom(upstream: self, second: other) { $1 }
    }

    func flatMapLatest<P: Publisher>(
        _ transform: @escaping (Output) -> P
    ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Failure {
        own("flatMapLatest")
        return map(transform).switchToLatest()
    }

    func pairwise() -> AnyPublisher<(Output, Output), Failure> {
        own("pairwise")
        return zip(dropFirst()).eraseToAnyPublisher()
    }

    // In the language mode 6, the library's is called only with a closure that is `@Sendable`: `Documentation/Porting.md`.
    func prefix(
        while predicate: @escaping @Sendable (Output) -> Bool, inclusive: Bool = false
    ) -> AnyPublisher<Output, Failure> {
        if inclusive { return map { $0 }.eraseToAnyPublisher() }
        own("prefix")
        return prefix(while: predicate).eraseToAnyPublisher()
    }
}

nonisolated(unsafe) private var called: [String] = []

private func own(_ name: String) { called.append(name) }

final class OwnOperatorsTests: XCTestCase {
    func test_theClientsOwnOperatorsWin() {
        called = []
        var received: [String] = []
        _ = [1].publisher.withLatestFrom(Just(7)).sink { received.append("\($0)") }
        _ = [1].publisher.flatMapLatest { Just($0 * 10) }.sink { received.append("\($0)") }
        _ = [1, 2].publisher.pairwise().sink { received.append("\($0)") }
        XCTAssertEqual(received, ["7", "10", "(1, 2)"])
        XCTAssertEqual(called, ["withLatestFrom", "flatMapLatest", "pairwise"])
    }

    func test_anOwnOperatorWithAParameterMoreCallsTheLibrarys() {
        called = []
        var received: [Int] = []
        _ = [1, 2].publisher.prefix(while: { $0 < 2 }, inclusive: false).sink { received.append($0) }
        XCTAssertEqual(received, [1])
        XCTAssertEqual(called, ["prefix"])
    }
}
