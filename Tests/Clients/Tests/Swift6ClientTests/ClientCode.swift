import Headgate
import XCTest

// Code as users of Combine write it: nothing here knows about Headgate but the import line. The same file is compiled in
// Swift 5 and in Swift 6 mode.

/// A publisher that repeats a value, written by hand against the three protocols.
private struct Repeating<Output>: Publisher {
    typealias Failure = Never

    let output: Output

    func receive<S>(subscriber: S) where S: Subscriber, S.Input == Output, S.Failure == Failure {
        subscriber.receive(subscription: Inner(output: output, subscriber: subscriber))
    }

    private final class Inner<S: Subscriber>: Subscription where S.Input == Output, S.Failure == Never {
        private let output: Output
        private var subscriber: S?

        init(output: Output, subscriber: S) {
            self.output = output
            self.subscriber = subscriber
        }

        func request(_ demand: Subscribers.Demand) {
            var demand = demand
            while let subscriber = subscriber, demand > 0 {
                demand -= 1
                demand += subscriber.receive(output)
            }
        }

        func cancel() {
            subscriber = nil
        }
    }
}

/// An operator of one's own, written as a struct around an upstream.
private struct Doubled<Upstream: Publisher>: Publisher where Upstream.Output == Int {
    typealias Output = Int
    typealias Failure = Upstream.Failure

    let upstream: Upstream

    func receive<S>(subscriber: S) where S: Subscriber, Upstream.Failure == S.Failure, S.Input == Int {
        upstream.map { $0 * 2 }.receive(subscriber: subscriber)
    }
}

extension Publisher {
    fileprivate func unwrapped<T>() -> Publishers.CompactMap<Self, T> where Output == T? {
        compactMap { $0 }
    }
}

/// A subscriber that requests three values.
private final class ThreeSubscriber: Subscriber {
    typealias Input = Int
    typealias Failure = Never

    var received: [Int] = []
    var completion: Subscribers.Completion<Never>?

    func receive(subscription: Subscription) {
        subscription.request(.max(3))
    }

    func receive(_ input: Int) -> Subscribers.Demand {
        received.append(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
        self.completion = completion
    }
}

private final class ViewModel: ObservableObject {
    @Published var name = ""
    @Published private(set) var greeting = ""
    private var cancellables = Set<AnyCancellable>()

    init() {
        $name
            .dropFirst()
            .map { "Hello, \($0)" }
            .assign(to: &$greeting)
    }
}

final class ClientCodeTests: XCTestCase {
    private var cancellables = Set<AnyCancellable>()

    func test_publisherWrittenByHandWorksWithOperators() {
        var powers: [Int] = []
        var hasFinished = false
        [1, 2, 3, 4].publisher
            .zip(Repeating(output: 2))
            .map { base, exponent in (0..<exponent).reduce(1) { power, _ in power * base } }
            .sink(receiveCompletion: { _ in hasFinished = true }, receiveValue: { powers.append($0) })
            .store(in: &cancellables)
        XCTAssertEqual(powers, [1, 4, 9, 16])
        XCTAssertTrue(hasFinished)
    }

    func test_operatorWrittenByHand() {
        var values: [Int] = []
        let cancellable = Doubled(upstream: [1, 2].publisher).sink { values.append($0) }
        XCTAssertEqual(values, [2, 4])
        cancellable.cancel()
    }

    func test_subscriberWrittenByHand() {
        let subscriber = ThreeSubscriber()
        Repeating(output: 7).subscribe(subscriber)
        XCTAssertEqual(subscriber.received, [7, 7, 7])
        XCTAssertNil(subscriber.completion)
    }

    func test_operatorAsExtension() {
        var values: [Int] = []
        [1, nil, 3].publisher.unwrapped().sink { values.append($0) }.store(in: &cancellables)
        XCTAssertEqual(values, [1, 3])
    }

    func test_subjectsAndSharing() {
        let subject = PassthroughSubject<Int, Never>()
        let shared = subject.map { $0 + 1 }.share()
        var first: [Int] = []
        var second: [Int] = []
        shared.sink { first.append($0) }.store(in: &cancellables)
        shared.sink { second.append($0) }.store(in: &cancellables)
        subject.send(1)
        subject.send(completion: .finished)
        XCTAssertEqual(first, [2])
        XCTAssertEqual(second, [2])
    }

    func test_multicastConnectsByHand() {
        let connectable = [1, 2, 3].publisher.multicast { PassthroughSubject<Int, Never>() }
        var values: [Int] = []
        connectable.sink { values.append($0) }.store(in: &cancellables)
        XCTAssertEqual(values, [])
        connectable.connect().store(in: &cancellables)
        XCTAssertEqual(values, [1, 2, 3])
    }

    func test_erasedPublishersAndExistentials() {
        func numbers(_ many: Bool) -> AnyPublisher<Int, Never> {
            many ? (1...3).publisher.eraseToAnyPublisher() : Just(1).eraseToAnyPublisher()
        }
        let opaque: some Publisher<Int, Never> = numbers(true).filter { $0 > 1 }
        let existential: any Publisher<Int, Never> = numbers(false)
        var values: [Int] = []
        opaque.sink { values.append($0) }.store(in: &cancellables)
        existential.sink { values.append($0) }.store(in: &cancellables)
        XCTAssertEqual(values, [2, 3, 1])
    }

    func test_publishedPropertiesAndAssign() {
        let model = ViewModel()
        var changes = 0
        model.objectWillChange.sink { changes += 1 }.store(in: &cancellables)
        model.name = "Ada"
        XCTAssertEqual(model.greeting, "Hello, Ada")
        XCTAssertEqual(changes, 2)
    }

    func test_currentValueSubject() {
        let subject = CurrentValueSubject<String, Never>("a")
        var values: [String] = []
        subject.sink { values.append($0) }.store(in: &cancellables)
        subject.value = "b"
        subject.send("c")
        XCTAssertEqual(values, ["a", "b", "c"])
        XCTAssertEqual(subject.value, "c")
    }

    func test_errorsAndFallback() {
        struct Oops: Error {}
        var values: [Int] = []
        [1, 2, 3].publisher
            .tryMap { value -> Int in
                if value == 2 { throw Oops() }
                return value
            }
            .catch { _ in Just(-1) }
            .sink { values.append($0) }
            .store(in: &cancellables)
        XCTAssertEqual(values, [1, -1])
    }

    func test_futureAndFlatMap() {
        func load(_ id: Int) -> Future<String, Never> {
            Future { promise in promise(.success("item \(id)")) }
        }
        var values: [String] = []
        (1...2).publisher.flatMap(load).sink { values.append($0) }.store(in: &cancellables)
        XCTAssertEqual(values, ["item 1", "item 2"])
    }

    func test_demandArithmetic() {
        var demand: Subscribers.Demand = .max(2)
        demand += 1
        XCTAssertEqual(demand, .max(3))
        XCTAssertTrue(demand > 2 && demand < .unlimited)
        XCTAssertNil(Subscribers.Demand.unlimited.max)
    }
}
