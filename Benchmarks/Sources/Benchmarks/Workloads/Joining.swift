import Headgate

extension Workload {
    /// Operators that join publishers.
    static var joining: [Workload] {
        [
            pulled("append", reach: 156) { $0.append(1) },
            pulled("prepend", reach: 156) { $0.prepend(1) },
            pulled("scan-emitting", reach: 170) { $0.scan(emitting: 0) { $0 &+ $1 } },
            pulled("switch-if-empty", reach: 156) { $0.switchIfEmpty(to: Just(1)) },
            lives("repeat", reach: 2990) { Just(1).repeat(times: $0) },
            pulled("amb", reach: 121) { $0.amb(Empty<Int, Never>(completeImmediately: false)) },
            pulled("merge", reach: 146) { $0.merge(with: Empty<Int, Never>(completeImmediately: false)) },
            pulled("first-with-value", reach: 137) { $0.firstWithValue(Empty<Int, Never>()) },
            pulled("merge-delaying-failures", reach: 240) {
                $0.setFailureType(to: Broken.self)
                    .mergeDelayingFailures(with: Empty<Int, Broken>(completeImmediately: false))
            },
            sent("sample", reach: 344) { $0.sample(on: $0).map { $0 } },
            Workload(
                name: "merge-sorted-2-ranges", element: "value", reach: 265,
                run: { count in
                    let numbers = Numbers(count: count / 2)
                    _ = numbers.mergeSorted(with: numbers) { $0 < $1 }.sink(receiveValue: Opaque.add)
                },
                baseline: mergeByHand),
            Workload(
                name: "merge-sorted-100-ranges", element: "value", reach: 525,
                run: { count in
                    let numbers = (0..<100).map { _ in Numbers(count: count / 100) }
                    _ = numbers.mergeSorted { $0 < $1 }.sink(receiveValue: Opaque.add)
                },
                baseline: loopByHand),
        ]
    }

    /// A publisher that subscribes once per element.
    static func lives<P: Publisher<Int, Failure>, Failure>(
        _ name: String, reach: Int, lookups: Int = 0, _ make: @escaping (Int) -> P
    ) -> Workload {
        Workload(
            name: name, element: "subscription", reach: reach, lookups: lookups,
            run: { count in _ = make(count).sink(receiveCompletion: { _ in }, receiveValue: Opaque.add) },
            baseline: loopByHand)
    }

    private static func mergeByHand(_ count: Int) {
        let add = Opaque.add
        var (left, right) = (0, 0)
        while left < count / 2 || right < count / 2 {
            if right >= count / 2 || left < count / 2 && left <= right {
                add(left)
                left += 1
            } else {
                add(right)
                right += 1
            }
        }
    }
}
