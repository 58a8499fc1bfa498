import Headgate

extension Workload {
    /// Flow control, grouping and flattening beyond Combine.
    static var flowing: [Workload] {
        [
            sent("with-latest-from", reach: 241) { $0.withLatestFrom(Just(1)) { value, _ in value } },
            pulled("pairwise", reach: 110) { $0.pairwise().map { $1 } },
            pulled("sliding-2", reach: 179) { $0.sliding(2).map { $0[1] } },
            pulled("batch-10", reach: 143) { $0.batch(count: 10).map { $0[0] } },
            sent("conflate", reach: 245) { $0.conflate() },
            pulled("prefetch-16-4", reach: 155) { $0.prefetch(16, low: 4) },
            pulled("group-by-100", reach: 484) {
                $0.groupBy(limit: 100, whenFull: .drop) { $0 % 100 }.flatMap { $0 }
            },
            pulled("window-count-10", reach: 590) { $0.window(count: 10, unread: .skip).flatMap { $0 } },
            pulled("concat-map-just", reach: 210) { $0.concatMap { Just($0) } },
            Workload(
                name: "merge-100-subjects", element: "send", reach: 272,
                run: { count in
                    let subjects = (0..<100).map { _ in PassthroughSubject<Int, Never>() }
                    let sink = subjects.merge().sink(receiveValue: Opaque.add)
                    for value in 0..<count { subjects[value % 100].send(value) }
                    sink.cancel()
                },
                baseline: { count in
                    let callbacks = (0..<100).map { _ in Callbacks() }
                    for list in callbacks { _ = list.add(Opaque.add) }
                    for value in 0..<count { callbacks[value % 100].send(value) }
                }),
        ]
    }
}
