import Headgate
import Synchronization

/// What several streams write into.
final class Log<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])

    var values: [Value] { state.withLock { $0 } }

    func append(_ value: Value) { state.withLock { $0.append(value) } }
}

/// A value that is no thread's but its own.
final class Unshared {
    var number: Int

    init(_ number: Int) { self.number = number }
}

struct Odd: Error, Equatable {}

/// Publishers are Sendable where what they are made of is, and say so by their types.
struct Model: Sendable {
    let numbers: AnyPublisher<Int, Never>
    let evens: Publishers.Filter<Publishers.Map<Publishers.Sequence<ClosedRange<Int>, Never>, Int>>
}

extension Main {
    static func checkClosures() {
        let log = Log<String>()
        let limit = 3
        let listener = (1...4).publisher
            .map { $0 * 10 }
            .filter { $0 <= limit * 10 }
            .scan(0, +)
            .removeDuplicates()
            .sink { log.append("\($0)") }
        listener.cancel()
        check("a chain of closures", log.values, ["10", "30", "60"])

        // On one thread, what can't be sent may still pass through a stream.
        let boxes = PassthroughSubject<Unshared, Never>()
        let numbers = Log<Int>()
        let reading = boxes.map { $0.number }.sink { numbers.append($0) }
        boxes.send(Unshared(7))
        reading.cancel()
        check("a value that is not Sendable", numbers.values, [7])

        let failures = Log<String>()
        let failing = Publishers.unfold(1) { state throws(Odd) in
            if state == 3 { throw Odd() }
            defer { state += 1 }
            return state
        }
        .sink(receiveCompletion: { failures.append("\($0)") }, receiveValue: { failures.append("\($0)") })
        failing.cancel()
        check("typed throws", failures.values.first ?? "", "1")

        let model = send(
            Model(
                numbers: (1...3).publisher.tryMap { $0 }.replaceError(with: 0).eraseToAnyPublisher(),
                evens: (1...4).publisher.map { $0 + 1 }.filter { $0.isMultiple(of: 2) }))
        let evens = Log<Int>()
        model.evens.merge(with: model.numbers).sink { evens.append($0) }.cancel()
        check("publishers in a Sendable struct", evens.values.count, 5)
    }

    static func checkKeyPaths() {
        let log = Log<Int>()
        ["a", "bc"].publisher.map(\.count).sink { log.append($0) }.cancel()
        check("a key path", log.values, [1, 2])
    }
}
