import Headgate

extension Workload {
    /// Rows of more than two columns.
    static var zipping: [Workload] {
        [
            Workload(
                name: "zip-3-subjects", element: "row", reach: 1528,
                run: { count in
                    let add = Opaque.add
                    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
                    let sink = subjects[0].zip(subjects[1], subjects[2]).sink { add($0.0 &+ $0.1 &+ $0.2) }
                    for value in 0..<count { for subject in subjects { subject.send(value) } }
                    sink.cancel()
                },
                baseline: { rowsByHand(of: 3, $0) }),
            Workload(
                name: "zip-4-subjects", element: "row", reach: 2068,
                run: { count in
                    let add = Opaque.add
                    let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
                    let sink = subjects[0].zip(subjects[1], subjects[2], subjects[3])
                        .sink { add($0.0 &+ $0.1 &+ $0.2 &+ $0.3) }
                    for value in 0..<count { for subject in subjects { subject.send(value) } }
                    sink.cancel()
                },
                baseline: { rowsByHand(of: 4, $0) }),
        ]
    }

    private static func rowsByHand(of columns: Int, _ count: Int) {
        let add = Opaque.add
        let lists = (0..<columns).map { _ in Callbacks() }
        var waiting = [[Int]](repeating: [], count: columns - 1)
        for column in 0..<columns - 1 { _ = lists[column].add { waiting[column].append($0) } }
        _ = lists[columns - 1].add { value in
            var sum = value
            for column in 0..<columns - 1 { sum &+= waiting[column].removeFirst() }
            add(sum)
        }
        for value in 0..<count { for list in lists { list.send(value) } }
    }
}
