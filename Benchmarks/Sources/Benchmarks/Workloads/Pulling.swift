import Headgate

extension Workload {
    /// A range with unlimited demand.
    static var pulling: [Workload] {
        [
            Workload(
                name: "range-sink", element: "value", reach: 17,
                run: { count in
                    _ = (0..<count).publisher.sink(receiveValue: Opaque.add)
                },
                baseline: { count in
                    let add = Opaque.add
                    for value in 0..<count { add(value) }
                }),
            Workload(
                name: "range-map-filter-sink", element: "value", reach: 96,
                run: { count in
                    _ = (0..<count).publisher
                        .map(Opaque.increment).filter(Opaque.isEven).sink(receiveValue: Opaque.add)
                },
                baseline: mapAndFilterByHand),
            Workload(
                name: "range-ten-maps-sink", element: "value", reach: 418,
                run: { count in
                    let next = Opaque.increment
                    _ = (0..<count).publisher
                        .map(next).map(next).map(next).map(next).map(next)
                        .map(next).map(next).map(next).map(next).map(next)
                        .sink(receiveValue: Opaque.add)
                },
                baseline: mapTenTimesByHand),
            Workload(
                name: "range-ten-map-literals-sink", element: "value", reach: 189,
                run: { count in
                    _ = (0..<count).publisher
                        .map { $0 &+ 1 }.map { $0 ^ 2 }.map { $0 &+ 3 }.map { $0 ^ 4 }.map { $0 &+ 5 }
                        .map { $0 ^ 6 }.map { $0 &+ 7 }.map { $0 ^ 8 }.map { $0 &+ 9 }.map { $0 ^ 10 }
                        .sink(receiveValue: Opaque.add)
                },
                baseline: { count in
                    let add = Opaque.add
                    for value in 0..<count {
                        add((((((((((value &+ 1) ^ 2) &+ 3) ^ 4) &+ 5) ^ 6) &+ 7) ^ 8) &+ 9) ^ 10)
                    }
                }),
            Workload(
                name: "range-ten-erased-maps-sink", element: "value", reach: 741,
                run: { count in
                    var publisher = (0..<count).publisher.eraseToAnyPublisher()
                    for _ in 0..<10 { publisher = publisher.map(Opaque.increment).eraseToAnyPublisher() }
                    _ = publisher.sink(receiveValue: Opaque.add)
                },
                baseline: mapTenTimesByHand),
            Workload(
                name: "range-prefix-map-sink", element: "value of the range", reach: 40,
                run: { count in
                    _ = (0..<count).publisher
                        .prefix(count / 2).map(Opaque.increment).sink(receiveValue: Opaque.add)
                },
                baseline: { count in
                    let (next, add) = (Opaque.increment, Opaque.add)
                    for value in (0..<count).prefix(count / 2) { add(next(value)) }
                }),
            Workload(
                name: "range-reduce-sink", element: "value", reach: 57,
                run: { count in
                    _ = (0..<count).publisher.reduce(0, Opaque.sum).sink(receiveValue: Opaque.add)
                },
                baseline: { count in Opaque.add((0..<count).reduce(0, Opaque.sum)) }),
            Workload(
                name: "range-scan-reduce-sink", element: "value", reach: 98,
                run: { count in
                    _ = (0..<count).publisher.scan(0, Opaque.sum).reduce(0, Opaque.sum).sink(receiveValue: Opaque.add)
                },
                baseline: { count in
                    let sum = Opaque.sum
                    var (running, result) = (0, 0)
                    for value in 0..<count {
                        running = sum(running, value)
                        result = sum(result, running)
                    }
                    Opaque.add(result)
                }),
            Workload(
                name: "range-collect-10-sink", element: "value", reach: 107,
                run: { count in
                    let add = Opaque.add
                    _ = (0..<count).publisher.collect(10).sink { add($0.count) }
                },
                baseline: { count in
                    let add = Opaque.add
                    var group: [Int] = []
                    group.reserveCapacity(10)
                    for value in 0..<count {
                        group.append(value)
                        if group.count == 10 {
                            add(group.count)
                            group = []
                            group.reserveCapacity(10)
                        }
                    }
                }),
            Workload(
                name: "range-buffer-128-sink", element: "value", reach: 149,
                run: { count in
                    _ = (0..<count).publisher
                        .buffer(size: 128, prefetch: .keepFull, whenFull: .dropOldest)
                        .sink(receiveValue: Opaque.add)
                },
                baseline: { count in
                    let add = Opaque.add
                    var waiting: [Int] = []
                    waiting.reserveCapacity(128)
                    for value in 0..<count {
                        waiting.append(value)
                        if waiting.count == 128 {
                            for value in waiting { add(value) }
                            waiting.removeAll(keepingCapacity: true)
                        }
                    }
                    for value in waiting { add(value) }
                }),
        ]
    }

    static func mapAndFilterByHand(_ count: Int) {
        let (next, isEven, add) = (Opaque.increment, Opaque.isEven, Opaque.add)
        for value in 0..<count {
            let mapped = next(value)
            if isEven(mapped) { add(mapped) }
        }
    }

    private static func mapTenTimesByHand(_ count: Int) {
        let (next, add) = (Opaque.increment, Opaque.add)
        for value in 0..<count {
            add(next(next(next(next(next(next(next(next(next(next(value)))))))))))
        }
    }
}
