import Headgate

extension Workload {
    /// A subject that is sent values.
    static var sending: [Workload] {
        [
            Workload(
                name: "subject-sink", element: "send", reach: 128,
                run: { count in
                    let subject = PassthroughSubject<Int, Never>()
                    let sink = subject.sink(receiveValue: Opaque.add)
                    for value in 0..<count { subject.send(value) }
                    sink.cancel()
                },
                baseline: { count in
                    let callbacks = Callbacks()
                    _ = callbacks.add(Opaque.add)
                    for value in 0..<count { callbacks.send(value) }
                }),
            Workload(
                name: "subject-map-filter-sink", element: "send", reach: 174,
                run: { count in
                    let subject = PassthroughSubject<Int, Never>()
                    let sink = subject.map(Opaque.increment).filter(Opaque.isEven).sink(receiveValue: Opaque.add)
                    for value in 0..<count { subject.send(value) }
                    sink.cancel()
                },
                baseline: sendByHand),
            Workload(
                name: "subject-100-sinks", element: "delivery", reach: 80,
                run: { count in
                    let subject = PassthroughSubject<Int, Never>()
                    let sinks = (0..<100).map { _ in subject.sink(receiveValue: Opaque.add) }
                    for value in 0..<count / 100 { subject.send(value) }
                    for sink in sinks { sink.cancel() }
                },
                baseline: { count in deliverByHand(count, to: 100) }),
        ]
    }

    static func sendByHand(_ count: Int) {
        let (next, isEven, add) = (Opaque.increment, Opaque.isEven, Opaque.add)
        let callbacks = Callbacks()
        _ = callbacks.add { value in
            let mapped = next(value)
            if isEven(mapped) { add(mapped) }
        }
        for value in 0..<count { callbacks.send(value) }
    }

    static func deliverByHand(_ count: Int, to receivers: Int) {
        let callbacks = Callbacks()
        for _ in 0..<receivers { _ = callbacks.add(Opaque.add) }
        for value in 0..<count / receivers { callbacks.send(value) }
    }
}
