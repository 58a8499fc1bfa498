import Headgate

extension Workload {
    /// Values beside the ones before them.
    static var comparing: [Workload] {
        [
            Workload(
                name: "remove-duplicates", element: "value", reach: 79,
                run: { count in
                    _ = (0..<count).publisher.removeDuplicates().sink(receiveValue: Opaque.add)
                },
                baseline: { count in
                    let add = Opaque.add
                    var last: Int?
                    for value in 0..<count where value != last {
                        last = value
                        add(value)
                    }
                })
        ]
    }
}
