import Combine
import Foundation

// What everybody defines who has followed the tutorials, under the names that they have there.

struct Always<Output>: Publisher {
    typealias Failure = Never

    let output: Output

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        Deferred { [output] in sequence(first: output) { $0 }.publisher }.receive(subscriber: subscriber)
    }
}

extension Publisher {
    func unwrap<T>() -> Publishers.CompactMap<Self, T> where Output == T? { compactMap { $0 } }
}

protocol Pausable {
    var paused: Bool { get }
    func resume()
}

final class PausableSubscriber<Input, Failure: Error>: Subscriber, Pausable, Cancellable {
    let combineIdentifier = CombineIdentifier()
    let receiveValue: (Input) -> Bool
    private var subscription: (any Combine.Subscription)?
    private(set) var paused = false

    init(receiveValue: @escaping (Input) -> Bool) { self.receiveValue = receiveValue }

    func cancel() {
        subscription?.cancel()
        subscription = nil
    }

    func receive(subscription: any Combine.Subscription) {
        self.subscription = subscription
        subscription.request(.max(1))
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        paused = !receiveValue(input)
        return paused ? .none : .max(1)
    }

    func receive(completion: Subscribers.Completion<Failure>) { subscription = nil }

    func resume() {
        guard paused else { return }
        paused = false
        subscription?.request(.max(1))
    }
}

extension Publisher {
    func pausableSink(receiveValue: @escaping (Output) -> Bool) -> any Pausable & Cancellable {
        let subscriber = PausableSubscriber<Output, Failure>(receiveValue: receiveValue)
        subscribe(subscriber)
        return subscriber
    }
}

extension Publishers {
    struct DispatchTimer: Publisher {
        typealias Output = DispatchTime
        typealias Failure = Never

        let times: Int

        func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            subscriber.receive(subscription: Inner(subscriber: subscriber, times: times))
        }

        private final class Inner<S: Subscriber>: Combine.Subscription where S.Input == DispatchTime {
            var subscriber: S?
            var times: Int

            init(subscriber: S, times: Int) {
                self.subscriber = subscriber
                self.times = times
            }

            func request(_ demand: Subscribers.Demand) {
                var demand = demand
                while let subscriber, demand > .none, times > 0 {
                    times -= 1
                    demand -= .max(1)
                    demand += subscriber.receive(.now())
                }
                if times == 0 {
                    subscriber?.receive(completion: .finished)
                    subscriber = nil
                }
            }

            func cancel() { subscriber = nil }
        }
    }

    static func timer(times: Int) -> Publishers.DispatchTimer { Publishers.DispatchTimer(times: times) }

    /// Keeps the last values for those who come late.
    final class ShareReplay<Upstream: Publisher>: Publisher {
        typealias Output = Upstream.Output
        typealias Failure = Upstream.Failure

        let upstream: Upstream
        let capacity: Int
        private var values: [Output] = []
        private let subject = PassthroughSubject<Output, Failure>()
        private var connection: AnyCancellable?

        init(upstream: Upstream, capacity: Int) {
            self.upstream = upstream
            self.capacity = capacity
        }

        func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            subject.prepend(values).receive(subscriber: subscriber)
            if connection != nil { return }
            connection = upstream.sink(
                receiveCompletion: { [subject] in subject.send(completion: $0) },
                receiveValue: { [unowned self] in
                    values = (values + [$0]).suffix(capacity)
                    subject.send($0)
                })
        }
    }
}

extension Publisher {
    // With another result than that of the operator of this name in Headgate.
    func shareReplay(capacity: Int = .max) -> AnyPublisher<Output, Failure> {
        Publishers.ShareReplay(upstream: self, capacity: capacity).eraseToAnyPublisher()
    }

    func withLatestFrom<Other: Publisher>(_ other: Other) -> AnyPublisher<Other.Output, Failure>
    where Other.Failure == Failure {
        other.map { latest in self.map { _ in latest } }.switchToLatest().eraseToAnyPublisher()
    }

    func flatMapLatest<P: Publisher>(_ transform: @escaping (Output) -> P) -> AnyPublisher<P.Output, Failure>
    where P.Failure == Failure {
        map(transform).switchToLatest().eraseToAnyPublisher()
    }

    func pairwise() -> AnyPublisher<(Output, Output), Failure> {
        scan((nil, nil) as (Output?, Output?)) { ($0.1, $1) }
            .compactMap { previous, next in previous.flatMap { previous in next.map { (previous, $0) } } }
            .eraseToAnyPublisher()
    }
}

extension Publisher where Failure == Never, Output: Sendable {
    func asyncMap<T: Sendable>(_ transform: @escaping @Sendable (Output) async -> T) -> AnyPublisher<T, Never> {
        flatMap(maxPublishers: .max(1)) { value in
            Future<T, Never> { promise in
                Task { promise(.success(await transform(value))) }
            }
        }
        .eraseToAnyPublisher()
    }
}

extension Main {
    static func checkTutorials() {
        var log: [String] = []
        var bag: [AnyCancellable] = []
        func expect(_ name: String, _ expected: [String]) {
            check(name, log, expected)
            log = []
        }

        Always(output: "x").prefix(2).sink { log.append($0) }.store(in: &bag)
        expect("Always", ["x", "x"])

        [1, nil, 3].publisher.unwrap().sink { log.append("\($0)") }.store(in: &bag)
        expect("unwrap", ["1", "3"])

        let pausable = (1...3).publisher.pausableSink {
            log.append("\($0)")
            return $0 != 2
        }
        log.append("\(pausable.paused)")
        pausable.resume()
        expect("pausableSink", ["1", "2", "true", "3"])

        Publishers.timer(times: 2).count().sink { log.append("\($0)") }.store(in: &bag)
        expect("DispatchTimer", ["2"])

        let numbers = PassthroughSubject<Int, Never>()
        let replayed = numbers.shareReplay(capacity: 1)
        replayed.sink { log.append("early \($0)") }.store(in: &bag)
        numbers.send(1)
        replayed.sink { log.append("late \($0)") }.store(in: &bag)
        expect("shareReplay", ["early 1", "late 1"])

        let state = CurrentValueSubject<String, Never>("a")
        let taps = PassthroughSubject<Void, Never>()
        taps.withLatestFrom(state).sink { log.append($0) }.store(in: &bag)
        taps.send()
        state.value = "b"
        taps.send()
        expect("withLatestFrom", ["a", "b"])

        state.flatMapLatest { Just($0 + $0) }.sink { log.append($0) }.store(in: &bag)
        expect("flatMapLatest", ["bb"])

        (1...3).publisher.pairwise().sink { log.append("\($0.0)\($0.1)") }.store(in: &bag)
        expect("pairwise", ["12", "23"])

        let declared: Publishers.Sequence<[Int], Never> = [3, 1].publisher.map { $0 * 2 }
        declared.sink { log.append("\($0)") }.store(in: &bag)
        expect("Publishers.Sequence as a declared type", ["6", "2"])

        if Subscription(plan: "yearly").plan.isEmpty || Record(id: 1).id != 1 { log.append("shadowed") }
        expect("types of the client's own", [])
    }
}
