import Combine

// Erasers, which can be sent, of what can't be.

final class Box { var number = 0 }

final class Listener: Subscriber {
    var count = 0

    func receive(subscription: any Subscription) { subscription.request(.unlimited) }

    func receive(_ input: Int) -> Subscribers.Demand {
        count += 1
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
}

func erase(_ boxes: PassthroughSubject<Box, Never>, _ numbers: PassthroughSubject<Int, Never>) {
    _ = boxes.map { $0.number }.eraseToAnyPublisher()
    numbers.subscribe(Listener())
    _ = AnySubscriber(Listener())
}
