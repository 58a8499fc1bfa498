import Headgate

/// `print` logs everything that passes in both directions; a `TimeLogger` puts the time before each line.
func printing() {
    let subscription = (1...3).publisher
        .print("  numbers")
        .sink { _ in }
    subscription.cancel()

    // Demand returned for a value is marked as such.
    (1...9).publisher
        .print("  odd ones")
        .filter { !$0.isMultiple(of: 2) }
        .prefix(2)
        .subscribe(
            AnySubscriber(
                receiveSubscription: { $0.request(.max(1)) },
                receiveValue: { _ in .max(1) }))
}
