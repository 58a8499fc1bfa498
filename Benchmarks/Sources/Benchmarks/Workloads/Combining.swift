import Headgate

extension Workload {
    /// Several publishers into one.
    static var combining: [Workload] {
        [
            Workload(
                name: "zip-ranges", element: "pair", reach: 1800,
                run: { count in
                    let sum = Opaque.sum
                    let add = Opaque.add
                    _ = (0..<count).publisher.zip((0..<count).publisher).sink { add(sum($0.0, $0.1)) }
                },
                baseline: { count in
                    let sum = Opaque.sum
                    let add = Opaque.add
                    for (left, right) in zip(0..<count, 0..<count) { add(sum(left, right)) }
                }),
            Workload(
                name: "zip-subjects", element: "pair", reach: 917,
                run: { count in
                    let sum = Opaque.sum
                    let add = Opaque.add
                    let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
                    let sink = left.zip(right).sink { add(sum($0.0, $0.1)) }
                    for value in 0..<count {
                        left.send(value)
                        right.send(value)
                    }
                    sink.cancel()
                },
                baseline: { count in
                    let sum = Opaque.sum
                    let add = Opaque.add
                    let (left, right) = (Callbacks(), Callbacks())
                    var waiting: [Int] = []
                    _ = left.add { waiting.append($0) }
                    _ = right.add { add(sum(waiting.removeFirst(), $0)) }
                    for value in 0..<count {
                        left.send(value)
                        right.send(value)
                    }
                }),
            Workload(
                name: "merge-4-subjects", element: "send", reach: 270,
                run: { count in
                    let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
                    let sink = subjects[0].merge(with: subjects[1], subjects[2], subjects[3])
                        .sink(receiveValue: Opaque.add)
                    for value in 0..<count { subjects[value & 3].send(value) }
                    sink.cancel()
                },
                baseline: { count in
                    let callbacks = (0..<4).map { _ in Callbacks() }
                    for list in callbacks { _ = list.add(Opaque.add) }
                    for value in 0..<count { callbacks[value & 3].send(value) }
                }),
            Workload(
                name: "combine-latest-2-subjects", element: "send", reach: 252,
                run: { count in
                    let sum = Opaque.sum
                    let add = Opaque.add
                    let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
                    let sink = left.combineLatest(right).sink { add(sum($0.0, $0.1)) }
                    for value in 0..<count / 2 {
                        left.send(value)
                        right.send(value)
                    }
                    sink.cancel()
                },
                baseline: { count in
                    let sum = Opaque.sum
                    let add = Opaque.add
                    let (left, right) = (Callbacks(), Callbacks())
                    var latestLeft: Int?
                    var latestRight: Int?
                    func publish() {
                        if let latestLeft, let latestRight { add(sum(latestLeft, latestRight)) }
                    }
                    _ = left.add {
                        latestLeft = $0
                        publish()
                    }
                    _ = right.add {
                        latestRight = $0
                        publish()
                    }
                    for value in 0..<count / 2 {
                        left.send(value)
                        right.send(value)
                    }
                }),
        ]
    }
}
