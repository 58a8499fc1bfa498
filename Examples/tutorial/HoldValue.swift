import Headgate

/// `HoldValue` holds a value and publishes every change to each subscriber against its own demand.
func holdValue() {
    let temperature = HoldValue(20)

    let everything = temperature.publisher.sink { print("  everything: \($0)") }
    temperature.publisher.subscribe(
        AnySubscriber(
            receiveSubscription: { $0.request(.max(2)) },
            receiveValue: { value in
                print("  two changes: \(value)")
                return .none
            }))

    for degrees in 21...24 { temperature.value = degrees }
    print("  now: \(temperature.value)")
    everything.cancel()
}
