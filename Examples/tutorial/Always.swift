import Headgate

/// `Always` repeats one value for as long as there is demand, and never completes.
func always() {
    // With unlimited demand it would never end; `first` stops it after one value.
    _ = Always("again").first().sink(
        receiveCompletion: { print("  first: \($0)") },
        receiveValue: { print("  first: \($0)") })

    // `zip` provides the demand: a pair needs a value from each side, and the other side has four.
    let squares = [1, 2, 3, 4].publisher
        .zip(Always(2))
        .map { base, exponent in power(base, exponent) }
        .sink(
            receiveCompletion: { print("  squares: \($0)") },
            receiveValue: { print("  squares: \($0)") })

    // A subscriber that requests three values receives three, and nothing more: that is not the end of the stream.
    Always("value").subscribe(ThreeSubscriber())
    squares.cancel()
}

private func power(_ base: Int, _ exponent: Int) -> Int {
    (0..<exponent).reduce(1) { power, _ in power * base }
}

/// A subscriber written by hand.
private final class ThreeSubscriber: Subscriber, Sendable {
    func receive(subscription: any Subscription) {
        subscription.request(.max(3))
    }

    func receive(_ input: String) -> Subscribers.Demand {
        print("  three: \(input)")
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
        print("  three: \(completion)")
    }
}
