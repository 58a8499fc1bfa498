import Headgate

extension Workload {
    /// The ends of streams that are no closures.
    static var ending: [Workload] {
        [
            Workload(
                name: "assign", element: "value", reach: 1654, lookups: 1,
                run: { count in
                    let total = Total()
                    _ = Numbers(count: count).assign(to: \.value, on: total)
                    Opaque.add(total.value)
                },
                baseline: loopByHand),
            Workload(
                name: "pausable-sink", element: "value", reach: 66,
                run: { count in
                    let add = Opaque.add
                    _ = Numbers(count: count).pausableSink {
                        add($0)
                        return true
                    }
                },
                baseline: loopByHand),
            Workload(
                name: "subscribe-a-subject", element: "value", reach: 161,
                run: { count in
                    let subject = PassthroughSubject<Int, Never>()
                    let sink = subject.sink(receiveValue: Opaque.add)
                    _ = Numbers(count: count).subscribe(subject)
                    sink.cancel()
                },
                baseline: loopByHand),
        ]
    }

    private final class Total {
        var value = 0
    }
}
