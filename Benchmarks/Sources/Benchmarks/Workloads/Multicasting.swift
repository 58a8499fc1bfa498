import Headgate
import HeadgateTesting

extension Workload {
    /// One subscription for many, and publishers that remember.
    static var multicasting: [Workload] {
        [
            delivered("share-replay-1-10-sinks", reach: 312) { $0.shareReplay(capacity: 1) },
            delivered("share-and-replay-1-10-sinks", reach: 300) { $0.share(replay: 1) },
            delivered("broadcast-10-sinks", reach: 116) { $0.broadcast(to: 10) },
            delivered("multicast-autoconnect-10-sinks", reach: 111) {
                $0.multicast { PassthroughSubject<Int, Never>() }.autoconnect()
            },
            delivered("share-until-failure-10-sinks", reach: 113) { $0.shareUntilFailure() },
            sent("make-connectable", reach: 278) { $0.makeConnectable().autoconnect() },
            Workload(
                name: "partition", element: "send", reach: 369,
                run: { count in
                    let subject = PassthroughSubject<Int, Never>()
                    let (even, odd) = subject.partition { $0.isMultiple(of: 2) }
                    let sinks = [even.sink(receiveValue: Opaque.add), odd.sink(receiveValue: Opaque.add)]
                    for value in 0..<count { subject.send(value) }
                    for sink in sinks { sink.cancel() }
                },
                baseline: { deliverByHand($0, to: 1) }),
            Workload(
                name: "cached-hit", element: "subscription", reach: 1315,
                run: { count in
                    let cached = Numbers(count: 1).cached(for: .seconds(1000), scheduler: TestScheduler())
                    for _ in 0..<count { _ = cached.sink(receiveValue: Opaque.add) }
                },
                baseline: loopByHand),
        ]
    }

    /// A publisher with ten subscribers.
    private static func delivered<P: Publisher<Int, Never>>(
        _ name: String, reach: Int, _ make: @escaping (PassthroughSubject<Int, Never>) -> P
    ) -> Workload {
        Workload(
            name: name, element: "delivery", reach: reach,
            run: { count in
                let subject = PassthroughSubject<Int, Never>()
                let shared = make(subject)
                let sinks = (0..<10).map { _ in shared.sink(receiveValue: Opaque.add) }
                for value in 0..<count / 10 { subject.send(value) }
                for sink in sinks { sink.cancel() }
            },
            baseline: { deliverByHand($0, to: 10) })
    }
}
