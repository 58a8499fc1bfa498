import Headgate

/// `shareReplay` subscribes to upstream once for all subscribers, and replays the most recent values to late ones.
func shareReplay() {
    let source = PassthroughSubject<Int, Never>()
    let shared =
        source
        .handleEvents(receiveSubscription: { _ in print("  upstream is subscribed to") })
        .shareReplay(capacity: 2)

    let early = shared.sink(
        receiveCompletion: { print("  early: \($0)") },
        receiveValue: { print("  early: \($0)") })
    for value in 1...3 { source.send(value) }

    // The late one receives 2 and 3, and continues from there.
    let late = shared.sink(
        receiveCompletion: { print("  late: \($0)") },
        receiveValue: { print("  late: \($0)") })
    source.send(4)
    source.send(completion: .finished)

    // After the end, the values are still replayed, followed by the completion.
    let last = shared.sink(
        receiveCompletion: { print("  last: \($0)") },
        receiveValue: { print("  last: \($0)") })
    withExtendedLifetime((early, late, last)) {}
}
