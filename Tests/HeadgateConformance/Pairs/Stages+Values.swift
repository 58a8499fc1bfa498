import Foundation
import Headgate
import HeadgateFlow
import HeadgateFoundation
import HeadgateTesting
import HeadgateVerification

// Operators that look at one value after the other.
extension Stage {
    static var transforming: Family<Stage> {
        Family(
            "Transforming",
            [
                .stage("map", { up, _ in up.map { $0 + 10 } }) { $0.map { $0 + 10 } },
                .stage("tryMap", { up, _ in up.tryMap { try $0.unlessNine() } }) { $0.unlessNine },
                .stage("map(\\.a)", { up, _ in up.map(\.bitWidth) as Publishers.MapKeyPath }) { $0.map { _ in 64 } },
                .stage("compactMap", { up, _ in up.compactMap { $0 % 2 == 0 ? $0 : nil } }) {
                    $0.filter { $0 % 2 == 0 }
                },
                .stage("tryCompactMap", { up, _ in up.tryCompactMap { try $0.unlessNine() % 2 == 1 ? $0 : nil } }) {
                    $0.unlessNine.filter { $0 % 2 == 1 }
                },
                .stage("replaceNil(with:)", { up, _ in up.map { $0 > 2 ? $0 : nil }.replaceNil(with: 0) }) {
                    $0.map { $0 > 2 ? $0 : 0 }
                },
                .stage("scan", { up, _ in up.scan(0) { $0 &+ $1 } }) { $0.sums },
                .stage("tryScan", { up, _ in up.tryScan(0) { try $0 &+ $1.unlessNine() } }) { $0.unlessNine.sums },
                .stage("mapError", { up, _ in up.mapError { $0 } }) { $0 },
                .stage(
                    "setFailureType(to:)",
                    { up, _ in up.replaceError(with: 0).setFailureType(to: VerificationFailure.self) }
                ) {
                    $0.replaceFailure(0)
                },
                .stage("enumerated", { up, _ in up.enumerated().map { $0.0 * 100 &+ $0.1 } }) { $0.numbered },
                .stage("scan(into:)", { up, _ in up.scan(into: 0) { $0 &+= $1 } }) { $0.sums },
                .stage("scan(emitting:)", { up, _ in up.scan(emitting: 0) { $0 &+ $1 } }) { $0.sums.opening(with: 0) },
                .stage("mapToValue", { up, _ in up.mapToValue(3) }) { $0.map { _ in 3 } },
                .stage(
                    "materialize",
                    { up, _ in up.materialize().map { if case .value(let value) = $0 { value } else { -1 } } }
                ) { $0.materialized },
                .stage("mapToResult", { up, _ in up.mapToResult().map { (try? $0.get()) ?? -1 } }) {
                    $0.replaceFailure(-1)
                },
                .stage(
                    "step(state:_:)",
                    {
                        up, _ in
                        up.step(state: 0) { (sum: inout Int, value: Int) -> Int? in
                            sum &+= value
                            return sum % 2 == 0 ? sum : nil
                        }
                    }
                ) { $0.sums.filter { $0 % 2 == 0 } },
                .stage(
                    "step(state:_:atEnd:)",
                    {
                        up, _ in
                        up.step(state: 0) { (sum: inout Int, value: Int) -> Int? in
                            sum &+= value
                            return sum % 2 == 0 ? sum : nil
                        } atEnd: {
                            $0
                        }
                    }
                ) {
                    $0.step(0) { sum, event in
                        guard case .value(let value) = event else {
                            return (event == .finished ? [.value(sum)] : []) + [event]
                        }
                        sum &+= value
                        return sum % 2 == 0 ? [.value(sum)] : []
                    }
                },
                .stage("owned(onDiscard:).taken", { up, _ in up.owned { _ in }.taken() }) { $0 },
                .stage(
                    "map.filter.prefix(4).map",
                    { up, _ in up.map { $0 + 1 }.filter { $0 > 2 }.prefix(4).map { $0 &* 2 } }
                ) {
                    $0.map { $0 + 1 }.filter { $0 > 2 }.prefix(4).map { $0 &* 2 }
                },
            ])
    }

    static var filtering: Family<Stage> {
        Family(
            "Filtering",
            [
                .stage("filter", { up, _ in up.filter { $0 % 2 == 0 } }) { $0.filter { $0 % 2 == 0 } },
                .stage("tryFilter", { up, _ in up.tryFilter { try $0.unlessNine() % 2 == 1 } }) {
                    $0.unlessNine.filter { $0 % 2 == 1 }
                },
                .stage("removeDuplicates", { up, _ in up.map { $0 / 2 }.removeDuplicates() }) {
                    $0.map { $0 / 2 }.withoutRepeats
                },
                .stage("removeAllDuplicates", { up, _ in up.removeAllDuplicates() }) { $0.distinct() },
                .stage(
                    "removeAllDuplicates(rememberingLast: 2)", { up, _ in up.removeAllDuplicates(rememberingLast: 2) }
                ) {
                    $0.distinct(rememberingLast: 2)
                },
                .stage("ignoreOutput", { up, _ in up.ignoreOutput(setOutputType: Int.self) }, [.reduces, .discards]) {
                    $0.filter { _ in false }
                },
                .stage("replaceEmpty(with:)", { up, _ in up.replaceEmpty(with: 5) }) { $0.replaceEmpty(5) },
                .stage("replaceError(with:)", { up, _ in up.replaceError(with: 5) }) { $0.replaceFailure(5) },
                .stage("ignoreFailure", { up, _ in up.ignoreFailure() }) { $0.recover { _ in .list([]) } },
            ])
    }

    static var trimming: Family<Stage> {
        Family(
            "Trimming",
            [
                .stage("prefix(3)", { up, _ in up.prefix(3) }) { $0.prefix(3) },
                .stage("prefix(0)", { up, _ in up.prefix(0) }) { _ in .list([]) },
                .stage("prefix(while:)", { up, _ in up.prefix { $0 < 4 } }) {
                    $0.expand { $0 < 4 ? [.value($0)] : [.finished] }
                },
                .stage("PrefixThrough", { up, _ in up.prefix(while: { $0 < 3 }, behavior: .inclusive) }) {
                    $0.expand { $0 < 3 ? [.value($0)] : [.value($0), .finished] }
                },
                .stage("dropFirst(2)", { up, _ in up.dropFirst(2) }, .requestsFirst) { $0.dropFirst(2) },
                .stage("drop(while:)", { up, _ in up.drop { $0 < 3 } }) { $0.dropWhile { $0 < 3 } },
                .stage("output(at:)", { up, _ in up.output(at: 2) }) { $0.dropFirst(2).prefix(1) },
                .stage("output(in:)", { up, _ in up.output(in: 1...3) }) { $0.dropFirst(1).prefix(3) },
                .stage(
                    "prefix(untilOutputFrom:), silent",
                    { up, _ in up.prefix(untilOutputFrom: Empty<Int, VerificationFailure>(completeImmediately: false)) }
                ) { $0 },
                .stage("prefix(untilOutputFrom:), at once", { up, _ in up.prefix(untilOutputFrom: Just(1)) }) { _ in
                    .list([])
                },
                .stage(
                    "drop(untilOutputFrom:), at once",
                    { up, _ in up.drop(untilOutputFrom: Just(1).setFailureType(to: VerificationFailure.self)) }
                ) { $0 },
                .stage(
                    "drop(untilOutputFrom:), silent",
                    { up, _ in up.drop(untilOutputFrom: Empty<Int, VerificationFailure>(completeImmediately: false)) },
                    .paced
                ) { $0.filter { _ in false } },
            ])
    }

    static var observing: Family<Stage> {
        Family(
            "Observing",
            [
                .stage("handleEvents", { up, _ in up.handleEvents(receiveOutput: { _ in }) }) { $0 },
                .stage("handleEvents(receiveRequest:)", { up, _ in up.handleEvents(receiveRequest: { _ in }) }) { $0 },
                .stage("breakpoint", { up, _ in up.breakpoint() }) { $0 },
                .stage("checkpoint", { up, _ in up.checkpoint("here") { _ in } }) { $0 },
                .stage("onUndeliverable", { up, _ in up.onUndeliverable { _ in } }) { $0 },
                .stage("onStall", { up, time in up.onStall(for: 5, scheduler: time) { _ in } }) { $0 },
                .stage("tap", { up, _ in up.tap(Unmoved()) }) { $0 },
                .stage("stage", { up, _ in up.stage("numbers", in: HeadgateFlow.Flow("flow")) }) { $0 },
                .stage("measureInterval(using:)", { up, time in up.measureInterval(using: time).map { _ in 1 } }) {
                    $0.map { _ in 1 }
                },
            ])
    }

    static var reducing: Family<Stage> {
        Family(
            "Reducing",
            [
                .stage("collect", { up, _ in up.collect().map(\.number) }, .reduces) { $0.atEnd { [$0.number] } },
                .stage("collect(3)", { up, _ in up.collect(3).map(\.number) }) { $0.chunks { $0.count == 3 } },
                .stage("reduce", { up, _ in up.reduce(0) { $0 &+ $1 } }, .reduces) { $0.atEnd { [$0.reduce(0, &+)] } },
                .stage("reduce(into:)", { up, _ in up.reduce(into: 0) { $0 &+= $1 } }, .reduces) {
                    $0.atEnd { [$0.reduce(0, &+)] }
                },
                .stage("tryReduce", { up, _ in up.tryReduce(0) { try $0 &+ $1.unlessNine() } }, .reduces) {
                    $0.unlessNine.atEnd { [$0.reduce(0, &+)] }
                },
                .stage("count", { up, _ in up.count() }, .reduces) { $0.atEnd { [$0.count] } },
                .stage("min", { up, _ in up.min() }, .reduces) { $0.atEnd { $0.min().map { [$0] } ?? [] } },
                .stage("max(by:)", { up, _ in up.max { $0 < $1 } }, .reduces) {
                    $0.atEnd { $0.max().map { [$0] } ?? [] }
                },
                .stage("last", { up, _ in up.last() }, .reduces) { $0.atEnd { $0.suffix(1) } },
                .stage("last(where:)", { up, _ in up.last { $0 < 3 } }, .reduces) {
                    $0.atEnd { $0.filter { $0 < 3 }.suffix(1) }
                },
                .stage("first", { up, _ in up.first() }, .reduces) { $0.prefix(1) },
                .stage("first(where:)", { up, _ in up.first { $0 > 3 } }, .reduces) {
                    $0.filter { $0 > 3 }.prefix(1)
                },
                .stage("tryFirst(where:)", { up, _ in up.tryFirst { try $0.unlessNine() > 9 } }, .reduces) {
                    $0.unlessNine.filter { $0 > 9 }.prefix(1)
                },
                .stage("contains", { up, _ in up.contains(3).map { $0 ? 1 : 0 } }, .reduces) {
                    $0.answer { $0 == 3 }
                },
                .stage("allSatisfy", { up, _ in up.allSatisfy { $0 < 4 }.map { $0 ? 0 : 1 } }, .reduces) {
                    $0.answer { $0 >= 4 }
                },
            ])
    }
}

extension Flow {
    fileprivate var sums: Flow {
        scan(0) { sum, value in
            sum &+= value
            return [.value(sum)]
        }
    }

    fileprivate var numbered: Flow {
        scan(0) { index, value in
            defer { index += 1 }
            return [.value(index * 100 &+ value)]
        }
    }

    fileprivate var withoutRepeats: Flow {
        scan(Int?.none) { last, value in
            defer { last = value }
            return value == last ? [] : [.value(value)]
        }
    }

    func opening(with value: Int) -> Flow { step((), opening: [.value(value)]) { [$1] } }

    fileprivate var materialized: Flow {
        step(()) { _, event in event.isEnd ? [.value(-1), .finished] : [event] }
    }

    func replaceFailure(_ value: Int) -> Flow {
        step(()) { _, event in event == .failed ? [.value(value), .finished] : [event] }
    }

    fileprivate func replaceEmpty(_ value: Int) -> Flow {
        step(true) { isEmpty, event in
            if event == .finished, isEmpty { return [.value(value), .finished] }
            isEmpty = false
            return [event]
        }
    }

    fileprivate func dropWhile(_ isDropped: @escaping (Int) -> Bool) -> Flow {
        scan(false) { isOpen, value in
            if !isOpen, isDropped(value) { return [] }
            isOpen = true
            return [.value(value)]
        }
    }

    /// 1 as soon as a value satisfies a condition, 0 at the end.
    fileprivate func answer(_ condition: @escaping (Int) -> Bool) -> Flow {
        step(()) { _, event in
            switch event {
            case .value(let value): condition(value) ? [.value(1), .finished] : []
            case .finished: [.value(0), .finished]
            case .failed: [.failed]
            }
        }
    }
}
