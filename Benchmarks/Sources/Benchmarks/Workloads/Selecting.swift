import Headgate
import HeadgateTesting

extension Workload {
    /// Operators that drop values, or make one result of all of them.
    static var selecting: [Workload] {
        [
            pulled("filter", reach: 63) { $0.filter { $0 >= 0 } },
            pulled("try-filter", reach: 79) { $0.tryFilter { $0 >= 0 } },
            pulled("ignore-output", reach: 16) { $0.ignoreOutput().setOutputType(to: Int.self) },
            pulled("try-remove-duplicates", reach: 87) { $0.tryRemoveDuplicates { $0 == $1 } },
            pulled("remove-all-duplicates", reach: 184) { $0.map { $0 & 15 }.removeAllDuplicates() },
            pulled("replace-empty", reach: 90) { $0.replaceEmpty(with: 1) },
            pulled("replace-error", reach: 94) { $0.setFailureType(to: Broken.self).replaceError(with: 1) },
            pulled("default-if-empty", reach: 90) { $0.defaultIfEmpty(1) },
            pulled("all-satisfy", reach: 37) { $0.allSatisfy { $0 >= 0 }.map { $0 ? 1 : 2 } },
            pulled("try-all-satisfy", reach: 43) { $0.tryAllSatisfy { $0 >= 0 }.map { $0 ? 1 : 2 } },
            pulled("contains", reach: 33) { $0.contains(-1).map { $0 ? 1 : 2 } },
            pulled("try-contains", reach: 43) { $0.tryContains { $0 < 0 }.map { $0 ? 1 : 2 } },
            pulled("collect", reach: 15) { $0.collect().map { $0.count } },
            pulled("count", reach: 20) { $0.count() },
            pulled("max", reach: 40) { $0.max() },
            pulled("min", reach: 38) { $0.min() },
            pulled("try-max", reach: 43) { $0.tryMax { $0 < $1 } },
            pulled("try-min", reach: 41) { $0.tryMin { $0 < $1 } },
            pulled("reduce-into", reach: 29) { $0.reduce(into: 0) { $0 &+= $1 } },
            pulled("try-reduce", reach: 38) { $0.tryReduce(0) { $0 &+ $1 } },
            pulled("first-where", reach: 33) { $0.first { $0 < 0 } },
            pulled("try-first", reach: 38) { $0.tryFirst { $0 < 0 } },
            pulled("last", reach: 32) { $0.last() },
            pulled("last-where", reach: 37) { $0.last { $0 >= 0 } },
            pulled("try-last", reach: 41) { $0.tryLast { $0 >= 0 } },
            pulled("output-in", reach: 70) { $0.output(in: 1...) },
            pulled("drop-first", reach: 62) { $0.dropFirst() },
            pulled("drop-while", reach: 63) { $0.drop { $0 < 0 } },
            pulled("try-drop", reach: 65) { $0.tryDrop { $0 < 0 } },
            sent("drop-until-output", reach: 214) { $0.drop(untilOutputFrom: Just(1)) },
            pulled("prefix-while", reach: 75) { $0.prefix { $0 >= 0 } },
            pulled("prefix-through", reach: 103) { $0.prefix(while: { $0 >= 0 }, behavior: .inclusive) },
            pulled("try-prefix", reach: 80) { $0.tryPrefix { $0 >= 0 } },
            sent("prefix-until-output", reach: 212) {
                $0.prefix(untilOutputFrom: Empty<Int, Never>(completeImmediately: false))
            },
            sent("prefix-duration", reach: 211) { $0.prefix(duration: 1000, on: TestScheduler()) },
        ]
    }
}
