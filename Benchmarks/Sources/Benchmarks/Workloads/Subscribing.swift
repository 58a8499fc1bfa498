import Headgate

extension Workload {
    /// Pipelines that are made, subscribed to and taken down again.
    static var subscribing: [Workload] {
        [
            Workload(
                name: "subscribe-one-element-range", element: "life of a subscription", reach: 2753,
                run: { count in
                    for value in 0..<count {
                        _ = (value..<value + 1).publisher
                            .map(Opaque.increment).filter(Opaque.isEven).sink(receiveValue: Opaque.add)
                    }
                },
                baseline: mapAndFilterByHand),
            Workload(
                name: "subscribe-cancel-subject", element: "life of a subscription", reach: 4040,
                run: { count in
                    let subject = PassthroughSubject<Int, Never>()
                    for _ in 0..<count {
                        subject.map(Opaque.increment).filter(Opaque.isEven).sink(receiveValue: Opaque.add).cancel()
                    }
                },
                baseline: { count in
                    let (next, isEven, add) = (Opaque.increment, Opaque.isEven, Opaque.add)
                    let callbacks = Callbacks()
                    for _ in 0..<count {
                        let token = callbacks.add { value in
                            let mapped = next(value)
                            if isEven(mapped) { add(mapped) }
                        }
                        callbacks.remove(token)
                    }
                }),
            Workload(
                name: "subscribe-just", element: "life of a subscription", reach: 682,
                run: { count in
                    for value in 0..<count {
                        _ = Just(value).map(Opaque.increment).filter(Opaque.isEven).sink(receiveValue: Opaque.add)
                    }
                },
                baseline: mapAndFilterByHand),
            Workload(
                name: "subscribe-future", element: "life of a subscription", reach: 2452,
                run: { count in
                    for value in 0..<count {
                        _ = Future<Int, Never> { $0(.success(value)) }.sink(receiveValue: Opaque.add)
                    }
                },
                baseline: { count in
                    let add = Opaque.add
                    for value in 0..<count { add(value) }
                }),
        ]
    }
}
