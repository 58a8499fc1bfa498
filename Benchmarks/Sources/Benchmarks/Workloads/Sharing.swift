import Headgate

extension Workload {
    /// Subjects with a memory, and one subscription for many.
    static var sharing: [Workload] {
        [
            Workload(
                name: "current-value-map-filter-sink", element: "send", reach: 230,
                run: { count in
                    let subject = CurrentValueSubject<Int, Never>(0)
                    let sink = subject.map(Opaque.increment).filter(Opaque.isEven).sink(receiveValue: Opaque.add)
                    for value in 0..<count { subject.send(value) }
                    sink.cancel()
                },
                baseline: sendByHand),
            Workload(
                name: "share-10-sinks", element: "delivery", reach: 98,
                run: { count in
                    let subject = PassthroughSubject<Int, Never>()
                    let shared = subject.share()
                    let sinks = (0..<10).map { _ in shared.sink(receiveValue: Opaque.add) }
                    for value in 0..<count / 10 { subject.send(value) }
                    for sink in sinks { sink.cancel() }
                },
                baseline: { count in deliverByHand(count, to: 10) }),
        ]
    }
}
