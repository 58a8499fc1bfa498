import Headgate

/// `Always` repeats one value for as long as there is demand, and never completes.
func always() {
    // Asked for everything, it would go on for ever; `first` stops it after one value.
    _ = Always("again").first().sink(
        receiveCompletion: { print("  first: \($0)") },
        receiveValue: { print("  first: \($0)") })

    // Its demand is somebody else's: a pair needs a value from each side, and there are four on the other.
    let squares = [1, 2, 3, 4].publisher
        .zip(Always(2))
        .map { base, exponent in power(base, exponent) }
        .sink(
            receiveCompletion: { print("  squares: \($0)") },
            receiveValue: { print("  squares: \($0)") })

    // A subscriber that asks for three gets three, and hears nothing more: that is not the end of the stream.
    Always("value").subscribe(ThreeSubscriber())
    squares.cancel()
}

private func power(_ base: Int, _ exponent: Int) -> Int {
    (0..<exponent).reduce(1) { power, _ in power * base }
}

/// A subscriber written by hand.
private final class ThreeSubscriber: Subscriber {
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
