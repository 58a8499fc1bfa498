import Headgate

extension Workload {
    /// Publishers of publishers.
    static var flattening: [Workload] {
        [
            Workload(
                name: "flat-map-just", element: "inner publisher", reach: 201,
                run: { count in
                    let next = Opaque.increment
                    _ = (0..<count).publisher.flatMap { Just(next($0)) }.sink(receiveValue: Opaque.add)
                },
                baseline: mapByHand),
            Workload(
                name: "flat-map-just-one-at-a-time", element: "inner publisher", reach: 214,
                run: { count in
                    let next = Opaque.increment
                    _ = (0..<count).publisher
                        .flatMap(maxPublishers: .max(1)) { Just(next($0)) }
                        .sink(receiveValue: Opaque.add)
                },
                baseline: mapByHand),
            Workload(
                name: "flat-map-sequences-of-100", element: "inner value", reach: 162,
                run: { count in
                    _ = (0..<count / 100).publisher
                        .flatMap { ($0..<$0 + 100).publisher }
                        .sink(receiveValue: Opaque.add)
                },
                baseline: { count in
                    let add = Opaque.add
                    for start in 0..<count / 100 {
                        for value in start..<start + 100 { add(value) }
                    }
                }),
        ]
    }

    private static func mapByHand(_ count: Int) {
        let (next, add) = (Opaque.increment, Opaque.add)
        for value in 0..<count { add(next(value)) }
    }
}
