import Headgate
import Synchronization

/// An operator of one's own, as a function.
extension Publisher where Output: Sendable {
    func twice() -> some Publisher<Output, Failure> { flatMap { [$0, $0].publisher } }

    func pairs() -> some Publisher<(Output, Output), Failure> {
        step(state: Output?.none) { previous, value -> (Output, Output)? in
            defer { previous = value }
            return previous.map { ($0, value) }
        }
    }
}

/// A publisher of one's own.
struct Countdown: Publisher, Sendable {
    typealias Output = Int

    typealias Failure = Never

    let start: Int

    func receive(subscriber: some Subscriber<Int, Never>) {
        stride(from: start, through: 1, by: -1).publisher.receive(subscriber: subscriber)
    }
}

/// A subscriber of one's own.
final class Counter: Subscriber, Sendable {
    let count = Atomic(0)

    func receive(subscription: any Subscription) { subscription.request(.unlimited) }

    func receive(_ input: Int) -> Subscribers.Demand {
        count.add(input, ordering: .relaxed)
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
}

extension Main {
    static func checkOwnTypes() {
        let counter = Counter()
        Countdown(start: 3).twice().subscribe(counter)
        check("a publisher, an operator and a subscriber", counter.count.load(ordering: .relaxed), 12)

        let erased = send(AnySubscriber(counter))
        send(Countdown(start: 2).eraseToAnyPublisher()).subscribe(erased)
        check("erased", counter.count.load(ordering: .relaxed), 15)

        let pairs = Log<Int>()
        Countdown(start: 3).pairs().sink { pairs.append($0 * 10 + $1) }.cancel()
        check("a step", pairs.values, [32, 21])
    }
}
