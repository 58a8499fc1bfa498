import Headgate

extension Workload {
    /// Publishers of publishers.
    static var flattening: [Workload] {
        [
            Workload(
                name: "flat-map-just", element: "inner publisher", reach: 208,
                run: { count in
                    let next = Opaque.increment
                    _ = (0..<count).publisher.flatMap { Just(next($0)) }.sink(receiveValue: Opaque.add)
                },
                baseline: mapByHand),
            Workload(
                name: "flat-map-just-one-at-a-time", element: "inner publisher", reach: 220,
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
            pulled("flat-map-failures", reach: 195) { $0.flatMap(failures: .afterValues) { Just($0) } },
            pulled("flat-map-delaying-failures", reach: 340) { $0.flatMapDelayingFailures { Just($0) } },
            pulled("flat-map-latest", reach: 227) { $0.flatMapLatest { Just($0) } },
            pulled("flat-map-first", reach: 348) { $0.flatMapFirst { Just($0) } },
            pulled("flat-map-sequential-just", reach: 223) { $0.flatMapSequential(maxConcurrent: 4) { Just($0) } },
            pulled("flat-map-sequential-sequences", reach: 3140) {
                $0.flatMapSequential(maxConcurrent: 4) { Numbers(count: $0 & 1) }
            },
            lives("expand", reach: 356) { count in
                Just(0).expand(limit: 16, whenFull: .skip) { ($0 < count ? $0 + 1 : nil).publisher }
            },
            lives("expand-depth-first", reach: 4050) { count in
                Just(0).expand(.depthFirst, limit: .max, whenFull: .skip) { ($0 < count ? $0 + 1 : nil).publisher }
            },
            lives("flat-map-batches", reach: 32000, lookups: 21) { count in
                (0..<count).map { Just($0) }.flatMapBatches(of: 4).map { $0.count }
            },
            // With a type of their own, so that they share no code with the rows of `flatMap`, which would no longer be inlined there.
            pulled("parallel-4-ordered", reach: 190) {
                $0.parallel(4).map { Double($0) }.sequential(ordered: true).map { Int($0) }
            },
            pulled("parallel-4", reach: 190) {
                $0.parallel(4).map { Double($0) }.sequential(ordered: false).map { Int($0) }
            },
            pulled("parallel-4-run", reach: 5080) {
                $0.parallel(4).run(on: ImmediateScheduler.shared).map { Double($0) }.sequential(ordered: true)
                    .map { Int($0) }
            },
            pulled("switch-on-first", reach: 312) { $0.switchOnFirst { _, values in values } },
        ]
    }

    private static func mapByHand(_ count: Int) {
        let (next, add) = (Opaque.increment, Opaque.add)
        for value in 0..<count { add(next(value)) }
    }
}
