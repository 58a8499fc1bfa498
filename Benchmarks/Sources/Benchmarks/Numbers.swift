import Headgate

/// A range as a publisher without operators of its own, which a sequence has: what follows it is what any publisher has.
struct Numbers: Publisher {
    typealias Output = Int

    typealias Failure = Never

    let count: Int

    func receive(subscriber: some Subscriber<Int, Never>) { (0..<count).publisher.receive(subscriber: subscriber) }
}

extension Workload {
    /// An operator behind a range, beside a loop.
    static func pulled<P: Publisher<Int, Failure>, Failure>(
        _ name: String, reach: Int, lookups: Int = 0, _ make: @escaping (Numbers) -> P
    ) -> Workload {
        Workload(
            name: name, element: "value", reach: reach, lookups: lookups,
            run: { count in
                _ = make(Numbers(count: count)).sink(receiveCompletion: { _ in }, receiveValue: Opaque.add)
            },
            baseline: loopByHand)
    }

    /// An operator behind a subject, beside a list of closures.
    static func sent<P: Publisher<Int, Failure>, Failure>(
        _ name: String, reach: Int, _ make: @escaping (PassthroughSubject<Int, Never>) -> P
    ) -> Workload {
        Workload(
            name: name, element: "send", reach: reach,
            run: { count in
                let subject = PassthroughSubject<Int, Never>()
                let sink = make(subject).sink(receiveCompletion: { _ in }, receiveValue: Opaque.add)
                for value in 0..<count { subject.send(value) }
                sink.cancel()
            },
            baseline: { deliverByHand($0, to: 1) })
    }

    static func loopByHand(_ count: Int) {
        let add = Opaque.add
        for value in 0..<count { add(value) }
    }
}
