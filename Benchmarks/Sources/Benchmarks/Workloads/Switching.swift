import Headgate

extension Workload {
    /// Inner publishers of one value.
    static var switching: [Workload] {
        [
            Workload(
                name: "flat-map-erased-just", element: "inner publisher", reach: 906,
                run: { count in
                    let next = Opaque.increment
                    _ = (0..<count).publisher
                        .flatMap { Just(next($0)).eraseToAnyPublisher() }
                        .sink(receiveValue: Opaque.add)
                },
                baseline: mapByHand),
            Workload(
                name: "switch-to-latest-just", element: "inner publisher", reach: 224,
                run: { count in
                    let next = Opaque.increment
                    _ = (0..<count).publisher.map { Just(next($0)) }.switchToLatest().sink(receiveValue: Opaque.add)
                },
                baseline: mapByHand),
        ]
    }

    private static func mapByHand(_ count: Int) {
        let (next, add) = (Opaque.increment, Opaque.add)
        for value in 0..<count { add(next(value)) }
    }
}
